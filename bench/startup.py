"""What a command costs beyond a bare interpreter: `python bench/startup.py [--rounds 15] [--json]`.

Every command is a process of its own, on a home with a few sessions. Prints the median in milliseconds and how many
bare interpreters (`python -c pass`) that is. Run nothing else meanwhile: the ratio tolerates a slow
machine, not a busy one.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from axiommind.config import Config
from axiommind.memory import Memory

SAMPLE = Path(__file__).parents[1] / "src" / "axiommind" / "sample"
PROMPT = {"hook_event_name": "UserPromptSubmit", "prompt": "which tests did we write for the parser?", "cwd": "/"}
AXM = ("-m", "axiommind")
COMMANDS: dict[str, tuple[str, ...]] = {
    "version": (*AXM, "--version"),
    "unknown command": (*AXM, "serach"),
    "help": (*AXM, "--help"),
    "query": (*AXM, "query", "--perspective", "tool-frequency", "--all-projects"),
    "search": (*AXM, "search", "--all-projects", "tests last week -nothing kind:prompt"),
    "hook": ("-c", "from axiommind.surfaces.hooks import main; main()", "UserPromptSubmit"),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="axm-startup-") as base:
        environ = {**os.environ, "AXM_HOME": f"{base}/axm", "CLAUDE_CONFIG_DIR": str(SAMPLE), "AXM_WORKERS": "0"}
        Memory(Config.load(environ), environ=environ, user=Path(base)).index()
        bare = median(("-c", "pass"), environ, args.rounds)
        took = {name: median(command, environ, args.rounds) for name, command in COMMANDS.items()}
    shown = {name: {"ms": round(1000 * s, 1), "bare": round(s / bare, 1)} for name, s in {"bare": bare, **took}.items()}
    if args.json:
        print(json.dumps(shown, indent=1))
    else:
        for name, figures in shown.items():
            print(f"{name:16} {figures['ms']:7.1f} ms  {figures['bare']:5.1f} x bare")
    return 0


def median(command: tuple[str, ...], environ: dict[str, str], rounds: int) -> float:
    took = []
    for n in range(rounds):
        given = json.dumps({**PROMPT, "session_id": f"s{time.monotonic_ns()}-{n}"})
        started = time.perf_counter()
        subprocess.run(
            [sys.executable, *command], env=environ, input=given, capture_output=True, text=True, check=False
        )
        took.append(time.perf_counter() - started)
    return statistics.median(took)


if __name__ == "__main__":
    sys.exit(main())
