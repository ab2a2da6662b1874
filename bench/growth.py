"""What a growing store costs: 100 to 100,000 generated sessions in one home, counted and timed at each size.

    python bench/growth.py 100 1000 10000 [--keep FOLDER] [--write docs] [--check]

At each size: the sessions that are new are indexed; nothing new is indexed; one session grows by a turn; then searches
and hooks, as processes. Counted: bytes read and written by system calls (which the page cache does not hide), SQL
statements, and steps of SQLite's machine. Counts are the same on a busy machine, times are not: run nothing else.
`--write` writes growth.json and growth.svg into a folder. `--check` fails where daily work grows faster than the
logarithm of the corpus (DAILY), or what is known to grow faster than that grows faster still (KNOWN).
100,000 sessions are 2 GB, and as much again in temporary files.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import generated
from axiommind.config import Config
from axiommind.home import Scope
from axiommind.memory import Memory
from growth_plot import draw

QUERIES, HOOKS = 60, 30
STEP = 100  # steps of SQLite's machine between two counts
# What is done every day, and what of it must not grow faster than the logarithm of the corpus.
DAILY = {
    "increment": ("statements", "written"),
    "search": ("statements", "steps"),
    "hook": ("statements", "steps"),
}
# What grows faster, why, and the power of the corpus that it must not exceed.
KNOWN = {
    ("increment", "steps"): (1.0, "every file has a head that is compared; sums of the touched project are made anew"),
    ("search", "read"): (0.75, "postings of common words are as long as the corpus"),
    ("hook", "read"): (0.75, "postings of common words are as long as the corpus"),
}
SLACK = 2.0  # times what is allowed; what is compared at small sizes is a few pages, and one more is much


class Work:
    """What a piece of work did."""

    def __init__(self) -> None:
        self.statements = self.steps = self.read = self.written = 0
        self.seconds = 0.0

    def shown(self, times: int = 1) -> dict[str, float]:
        counts = {name: getattr(self, name) / times for name in ("statements", "steps", "read", "written", "seconds")}
        return {name: round(value, 4 if name == "seconds" else 1) for name, value in counts.items()}


@contextmanager
def counted() -> Iterator[Work]:
    """Count what is done while this lasts, on every connection opened meanwhile."""
    work, connect = Work(), sqlite3.connect

    def traced(*args: Any, **options: Any) -> sqlite3.Connection:
        db = connect(*args, **options)
        db.set_trace_callback(lambda _: setattr(work, "statements", work.statements + 1))
        db.set_progress_handler(lambda: setattr(work, "steps", work.steps + STEP), STEP)
        return db

    before, started = _io(), time.perf_counter()
    sqlite3.connect = traced  # type: ignore[assignment]
    try:
        yield work
    finally:
        sqlite3.connect = connect  # type: ignore[assignment]
        after = _io()
        work.read, work.written = after[0] - before[0], after[1] - before[1]
        work.seconds = time.perf_counter() - started


def _io() -> tuple[int, int]:
    """Bytes that this process has read and written by system calls."""
    try:
        said = dict(line.split(": ") for line in Path("/proc/self/io").read_text("ascii").splitlines())
    except OSError:  # not Linux
        return 0, 0
    return int(said["rchar"]), int(said["wchar"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", type=int, nargs="+")
    parser.add_argument("--keep", type=Path, help="make the home here, and leave it")
    parser.add_argument("--write", type=Path, help="a folder for growth.json and growth.svg")
    parser.add_argument("--note", default="nothing else ran", help="what else ran, for whoever reads the times")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="axm-growth-") as base:
        points = list(grow(args.keep or Path(base), sorted(args.sizes)))
    machine = f"{os.cpu_count()} cores, Python {sys.version.split()[0]}; {args.note}"
    said = {"machine": machine, "points": points}
    if args.write:
        (args.write / "growth.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
        (args.write / "growth.svg").write_text(draw(points), encoding="utf-8")
    too_fast = list(faster_than_log(points))
    for line in too_fast:
        print(f"grows too fast: {line}", file=sys.stderr)
    return int(args.check and bool(too_fast))


def grow(base: Path, sizes: list[int]) -> Iterator[dict[str, Any]]:
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(base),
        "AXM_HOME": str(base / "axm"),
        "AXM_LEARN": "off",
        "AXM_EMBED_BACKGROUND": "0",
        "CLAUDE_CONFIG_DIR": str(base / "claude"),
    }
    have = source = 0
    for size in sizes:
        source += generated.write(base / "claude", have, size)
        point = {"sessions": size, "new": size - have, "source_bytes": source}
        print(json.dumps(point | (measured := measure(base, environ, size))), flush=True)
        yield point | measured
        have = size


def measure(base: Path, environ: dict[str, str], size: int) -> dict[str, Any]:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "axiommind", "index"], env=environ, check=True, capture_output=True)
    shown: dict[str, Any] = {"index_seconds": round(time.perf_counter() - started, 2)}
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    home = sum(path.stat().st_size for path in (base / "axm").rglob("*") if path.is_file())
    shown |= {"index_peak_bytes": peak, "home_bytes": home}
    memory = Memory(Config.load(environ), environ=environ, user=base)
    with counted() as work:
        memory.index()
    shown["nothing_new"] = work.shown()
    shown["increment"] = increments(base, memory, size)
    shown["search"] = searches(memory, size)
    shown["hook"] = hooks(environ, size)
    return shown


def increments(base: Path, memory: Memory, size: int, times: int = 10) -> dict[str, Any]:
    """One session goes on by a turn, some times; the cost of finding that out is that of nothing new."""
    with counted() as whole:
        for n in range(times):
            number = (size * 7919 * (n + 1)) % size
            folder = base / "claude" / "projects" / f"-generated-project-{generated.project_of(number)}"
            with (folder / f"{generated.name_of(number)}.jsonl").open("ab") as file:
                file.write(generated.lines(number, 1_500, since=1_000 + size + n))
            memory.index()
    return whole.shown(times)


def prompts(size: int, count: int) -> list[str]:
    """What people ask: a third names something rare, a third are common words, a third sentences."""
    dice = random.Random(size)
    found = []
    for n in range(count):
        words = generated.vocabulary()
        rare = generated.rare_word(dice.randrange(size))
        common = " ".join(dice.choices(words[20:400], k=3))
        found.append((f"{rare} {common}", common, dice.choice(generated.sentences()).rstrip("."))[n % 3])
    return found


def searches(memory: Memory, size: int) -> dict[str, Any]:
    return each([lambda text=text: memory.search(text, Scope(None)) for text in prompts(size, QUERIES)])


def hooks(environ: dict[str, str], size: int) -> dict[str, Any]:
    """Work in this process, where it can be counted; time as processes, as a client has it."""
    from axiommind.surfaces import hooks as ours

    dice = random.Random(size)
    calls = []
    for n, text in enumerate(prompts(size, HOOKS)):
        project = f"/generated/project-{generated.project_of(dice.randrange(size))}"
        calls.append(
            json.dumps({"session_id": f"new-{n}", "cwd": project, "prompt": f"where is {text} used?"}).encode()
        )
    patient = environ | {"AXM_HOOK_SECONDS": "20"}
    shown = each([lambda raw=raw: ours.answer("UserPromptSubmit", raw, patient) for raw in calls])
    times = []
    for raw in calls:
        started = time.perf_counter()
        command = [sys.executable, "-c", "from axiommind.surfaces.hooks import main; main()", "UserPromptSubmit"]
        subprocess.run(command, input=raw, env=environ, capture_output=True, check=True)
        times.append(time.perf_counter() - started)
    return shown | {"p95_seconds": p95(times)}


def each(calls: list[Callable[[], object]]) -> dict[str, Any]:
    works = []
    calls[0]()  # what is loaded the first time
    for call in calls:
        with counted() as work:
            call()
        works.append(work)
    middle = {name: p95([getattr(work, name) for work in works], 0.5) for name in ("statements", "steps", "read")}
    return middle | {"p95_seconds": p95([work.seconds for work in works])}


def p95(values: list[float], share: float = 0.95) -> float:
    return round(sorted(values)[min(int(len(values) * share), len(values) - 1)], 4)


def faster_than_log(points: list[dict[str, Any]]) -> Iterator[str]:
    """Daily work that grew more between the smallest and the largest size than their logarithms did, and what is known
    to grow faster (KNOWN) where it grew faster than that."""
    first, last = points[0], points[-1]
    sizes = f"from {first['sessions']:,} to {last['sessions']:,} sessions"
    by_log = math.log(last["sessions"]) / math.log(first["sessions"])
    bounds = {(what, count): by_log for what, counts in DAILY.items() for count in counts}
    bounds |= {which: (last["sessions"] / first["sessions"]) ** power for which, (power, _why) in KNOWN.items()}
    for (what, count), allowed in bounds.items():
        before, after = max(first[what][count], 1), last[what][count]
        if after > SLACK * allowed * before:
            yield f"{what} {count}: {before:,.0f} → {after:,.0f} {sizes}, {SLACK * allowed:.1f} times is allowed"


if __name__ == "__main__":
    sys.exit(main())
