"""Looks for bytes that break a parser, for minutes or an hour: `make torture FUZZ=60`.

    python -m tests.fuzz.run [--minutes 5] [--target NAME …] [FILE …]

Guided by coverage where atheris is installed (pip install atheris; CPython on Linux and macOS), else by hypothesis.
Each target gets its share of the time, in a process of its own. What breaks one is kept in tests/fuzz/crashes/TARGET,
where `make test` tries it; the exit code is 1. With files: tries those on one target, to look at what happens.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

from tests.torture.figures import note

CRASHES = Path(__file__).with_name("crashes")
ONE_INPUT_S = 20  # after that much, an input counts as one that does not end


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--target", action="append", metavar="NAME")
    parser.add_argument("--seconds", type=float, help=argparse.SUPPRESS)  # this process is the one of a target
    args = parser.parse_args()
    if args.seconds is not None:
        return (_with_atheris if _has_atheris() else _with_hypothesis)(args.target[0], args.seconds)
    from tests.fuzz.targets import TARGETS, try_one

    names = args.target or list(TARGETS)
    if args.files:
        for path in args.files:
            try_one(names[0], path.read_bytes())
        return 0
    share = 60 * args.minutes / len(names)
    print(f"Fuzzing {len(names)} parsers with {'atheris' if _has_atheris() else 'hypothesis'}, {share:.0f} s each")
    broken = sum(_in_a_process(name, share) for name in names)
    if not args.target:
        by = "atheris" if _has_atheris() else "hypothesis"
        note("fuzzing", f"{len(names)} parsers, {args.minutes:g} min with {by}: {broken or 'none'} broken")
    return int(broken > 0)


def _has_atheris() -> bool:
    return importlib.util.find_spec("atheris") is not None


def _in_a_process(name: str, seconds: float) -> int:
    before = set(CRASHES.glob(f"{name}/*"))
    command = [sys.executable, "-m", "tests.fuzz.run", "--target", name, "--seconds", str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    new = sorted(set(CRASHES.glob(f"{name}/*")) - before)
    tried = [line for line in done.stderr.splitlines() if line.startswith(("Done ", "tried "))]
    print(f"  {name:14} {'BROKEN' if new or done.returncode else 'holds'}  {' '.join(tried)}", flush=True)
    for path in new:
        print(f"    kept: {path.relative_to(CRASHES.parents[2])}")
    if new or done.returncode:
        print("    " + "\n    ".join(done.stderr.strip().splitlines()[-25:]))
    return int(bool(new or done.returncode))


def _with_atheris(name: str, seconds: float) -> int:
    import atheris  # type: ignore[import-not-found,unused-ignore]

    with atheris.instrument_imports(include=["axiommind"]):
        from tests.fuzz.targets import SEEDS, try_one
    with tempfile.TemporaryDirectory(prefix="axm-fuzz-") as corpus:
        for number, seed in enumerate(SEEDS[name]):
            (Path(corpus) / str(number)).write_bytes(seed)

        def one(data: bytes) -> None:
            try:
                try_one(name, data)
            except BaseException:
                _keep(name, data)
                raise

        limits = [f"-max_total_time={seconds:.0f}", f"-timeout={ONE_INPUT_S}", "-max_len=4096", "-rss_limit_mb=4096"]
        atheris.Setup([sys.argv[0], corpus, *limits, f"-artifact_prefix={corpus}/"], one)
        atheris.Fuzz()
    return 0


def _with_hypothesis(name: str, seconds: float) -> int:
    from hypothesis import HealthCheck, given, settings

    from tests.fuzz.mutation import near
    from tests.fuzz.targets import SEEDS, try_one

    tried = 0

    @given(near(SEEDS[name]))
    @settings(max_examples=500, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    def one(data: bytes) -> None:
        nonlocal tried
        tried += 1
        last[0] = data
        try_one(name, data)

    last = [b""]
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            one()
        except BaseException:  # noqa: BLE001 - whatever it is, it is what we look for
            _keep(name, last[0])  # the smallest, which hypothesis tries last
            traceback.print_exc()
            return 1
    print(f"tried {tried:,} inputs", file=sys.stderr)
    return 0


def _keep(name: str, data: bytes) -> None:
    folder = CRASHES / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)


if __name__ == "__main__":
    sys.exit(main())
