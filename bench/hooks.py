"""How long the agent waits for a hook, as JSON: the whole process, over a year of work.

    python bench/hooks.py TRANSCRIPTS [--sessions 10000] [--passages 500000] [--runs 200] [--keep HOME]

Makes sessions out of the sentences and commands of TRANSCRIPTS (`<project>/*.jsonl`), mixed anew (see latency.py), adds
the real ones, indexes them all; then calls `axm-hook` as a client does, with its JSON on stdin. Alone: one at a time,
with the index in memory (warm) and after the system was told to drop it (cold). In a crowd: eight at once, while
`axm index` takes in sessions that grow, at low priority as the hooks start it. A bare interpreter in the same run is
what the figures are to be held against. Then the same where `axm mcp` runs, one for each agent's window, and answers
for the hooks.
A third of the prompts are sentences that are in the store, a third are of another world, a third long ones with a log.
Run nothing else meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import latency
from axiommind.config import Config
from axiommind.memory import Memory, Scope

PROGRAM = Path(sys.executable).parent / "axm-hook"
UNRELATED = Path(__file__).parent / "sets" / "unrelated" / "prompts.jsonl"
LOG = "\n".join(
    f"2026-03-0{n % 9 + 1}T10:00:0{n % 10}Z ERROR worker-{n} request {n * 7919:08x} failed" for n in range(60)
)
CROWD = 8


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--passages", type=int, default=500_000)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--keep", type=Path, help="make the home here, or use the one that is there")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="axm-hooks-") as base:
        home = (args.keep or Path(base)).absolute()
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "AXM_HOME": str(home / "axm"),
            "AXM_LEARN": "off",
            "CLAUDE_CONFIG_DIR": str(home / "claude"),
        }
        memory = Memory(Config.load(environ), environ=environ, user=home)
        said, answered, commands = latency.pools(args.folder)
        mixed = random.Random(latency.SEED)
        shown: dict[str, Any] = {}
        if not (home / "axm" / "index.db").exists():
            projects = home / "claude" / "projects"
            turns = max(args.passages // args.sessions // 3, 1)
            latency.write(projects, mixed, said, answered, commands, args.sessions * turns * 3, turns)
            for real in (p for p in args.folder.iterdir() if p.is_dir()):
                shutil.copytree(real, projects / f"real-{real.name}")
            started = time.perf_counter()
            memory.index()
            shown["index_s"] = round(time.perf_counter() - started, 1)
        shown |= dict(
            zip(
                ("sessions", "passages"),
                memory.sql("select (select count(*) from sessions), (select count(*) from passages)", Scope(None))[0],
                strict=True,
            )
        )
        index = home / "axm" / "index.db"
        shown["index_mb"] = round(index.stat().st_size / 1e6, 1)
        calls = list(prompts(random.Random(latency.SEED + 1), said, args.runs))
        shown["bare_interpreter"] = latency.percentiles(sorted(latency.bare() for _ in range(30)))
        for text in calls[:10]:
            asked(environ, text)
        shown["warm"] = summary([asked(environ, text) for text in calls])
        shown["cold"] = summary([asked(environ, text, drop=index) for text in calls[: max(len(calls) // 4, 1)]])
        for event, fields in EVENTS.items():
            shown[event] = summary([called(environ, event, fields) for _ in range(20)])
        shown["crowd"] = crowd(environ, home, calls, said)
        with residents(environ, 1):
            shown["warm, with axm mcp"] = summary([asked(environ, text) for text in calls])
        with residents(environ, CROWD):
            shown["crowd, with an axm mcp each"] = crowd(environ, home, calls, said)
    print(json.dumps(shown, indent=1))
    return 0


EVENTS: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup"},
    "PreToolUse": {"tool_name": "Edit", "tool_input": {"file_path": "/bench/p1/src/server.ts"}},
    "PostToolUseFailure": {
        "tool_name": "Bash",
        "tool_input": {"command": "npm test"},
        "error": "Exit code 1\nTypeError: Cannot read properties of undefined (reading 'map')",
    },
    "Stop": {"last_assistant_message": "Done."},
}


def prompts(mixed: random.Random, said: list[str], count: int) -> list[str]:
    others = [json.loads(line)["text"] for line in UNRELATED.read_text(encoding="utf-8").splitlines() if line]
    makers = (
        lambda: mixed.choice(said),
        lambda: mixed.choice(others),
        lambda: " ".join(mixed.choices(said, k=6)) + f"\n\n```\n{LOG}\n```\n" + mixed.choice(said),
    )
    return [makers[n % 3]() for n in range(count)]


def asked(environ: dict[str, str], text: str, drop: Path | None = None) -> tuple[float, int]:
    if drop is not None:
        forget_pages(drop)
    return called(environ, "UserPromptSubmit", {"prompt": text})


def called(environ: dict[str, str], event: str, fields: dict[str, Any]) -> tuple[float, int]:
    """Milliseconds of one call, and how many characters it answered."""
    session = str(uuid.uuid4())  # as clients name them: any other name is redacted, which takes longer
    given = {"session_id": session, "transcript_path": "", "cwd": "/bench/p1", "hook_event_name": event, **fields}
    started = time.perf_counter()
    done = subprocess.run([PROGRAM, event], input=json.dumps(given).encode(), env=environ, capture_output=True)
    took = (time.perf_counter() - started) * 1000
    assert done.returncode == 0, done.stderr
    return took, len(done.stdout)


@contextmanager
def residents(environ: dict[str, str], count: int) -> Iterator[None]:
    """So many windows of an agent, each with its MCP server."""
    command = [sys.executable, "-m", "axiommind", "mcp"]
    servers = [
        subprocess.Popen(command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) for _ in range(count)
    ]
    folder = Path(environ["AXM_HOME"]) / "hooks" / "resident"
    while not folder.is_dir() or len(list(folder.iterdir())) < count:
        time.sleep(0.1)
    try:
        yield
    finally:
        for server in servers:
            server.terminate()
            server.wait()


def forget_pages(path: Path) -> None:
    """Tell the system that a file need not stay in memory."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(handle)


def crowd(environ: dict[str, str], home: Path, calls: list[str], said: list[str]) -> dict[str, Any]:
    """Eight hooks at a time, while sessions grow and are indexed without a pause."""
    ended = threading.Event()
    runs = 0

    def index() -> None:
        nonlocal runs
        mixed = random.Random(latency.SEED + 2)
        folder = home / "claude" / "projects" / "-bench-p0"
        grown = sorted(folder.glob("*.jsonl"))[:20]
        while not ended.is_set():
            for path in grown:
                last = json.loads(path.read_bytes().splitlines()[-2])
                last["uuid"], last["message"]["content"] = f"grown-{runs}-{path.stem}", mixed.choice(said)
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(last) + "\n")
            command = ["nice", "-n", "10", sys.executable, "-m", "axiommind", "index"]
            subprocess.run(command, env=environ, stderr=subprocess.DEVNULL, check=False)
            runs += 1

    writer = threading.Thread(target=index)
    writer.start()
    try:
        with ThreadPoolExecutor(CROWD) as pool:
            times = list(pool.map(lambda text: asked(environ, text), calls))
    finally:
        ended.set()
        writer.join()
    return {**summary(times), "at_once": CROWD, "index_runs_meanwhile": runs}


def summary(times: list[tuple[float, int]]) -> dict[str, Any]:
    return {
        **latency.percentiles(sorted(took for took, _ in times)),
        "calls": len(times),
        "answered": sum(size > 0 for _, size in times),
    }


if __name__ == "__main__":
    raise SystemExit(main())
