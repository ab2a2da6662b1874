"""How long `axm` takes before it does anything: against a bare interpreter, medians of 30 runs each, taken in turns.

    python bench/startup.py [RUNS]

`--version` and a wrong command should stay under 3 × `python -c pass`. The last line is a real question, for scale: it
needs argparse, the index and a perspective.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

MAIN = "import sys; from axiommind.surfaces.cli import main; sys.exit(main(sys.argv[1:]))"
CASES = {
    "python -c pass": None,
    "axm --version": ["--version"],
    "axm --help": ["--help"],
    "axm serach (a wrong command)": ["serach"],
    "axm entries --help (an alias)": ["entries", "--help"],
    "axm query --list-perspectives": ["query", "--list-perspectives"],
}


def seconds(argv: list[str] | None, environ: dict[str, str]) -> float:
    code = ["-c", "pass"] if argv is None else ["-c", MAIN, *argv]
    started = time.perf_counter()
    subprocess.run([sys.executable, *code], env=environ, capture_output=True, check=False)
    return time.perf_counter() - started


def main() -> None:
    if "--help" in sys.argv or "-h" in sys.argv:
        print(__doc__)
        return
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    with tempfile.TemporaryDirectory() as home:
        environ = {**os.environ, "AXM_HOME": home}
        taken: dict[str, list[float]] = {name: [] for name in CASES}
        for argv in CASES.values():
            seconds(argv, environ)  # compiles what has to be
        for _ in range(runs):
            for name, argv in CASES.items():
                taken[name].append(seconds(argv, environ))
    bare = statistics.median(taken["python -c pass"])
    for name, times in taken.items():
        middle = statistics.median(times)
        print(f"{name:<32} {middle * 1000:7.1f} ms  {middle / bare:5.1f} ×")


if __name__ == "__main__":
    main()
