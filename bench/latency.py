"""How long a search takes over many passages, as JSON.

    python bench/latency.py FOLDER [--passages 200000] [--queries 200]

Makes sessions out of the sentences and commands of the transcripts in FOLDER (`<project>/*.jsonl`), mixed anew so that
hardly two passages are the same, until there are enough passages; indexes them; then asks. Half of the queries are
sentences that people wrote, half are three words of the corpus, common ones among them. Run nothing else meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from axiommind.config import Config
from axiommind.memory import Memory, Scope

SEED = 7


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--passages", type=int, default=200_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--keep", type=Path, help="make the home here, or use the one that is there")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="axm-latency-") as base:
        home = args.keep or Path(base)
        environ = {**os.environ, "AXM_HOME": str(home / "axm"), "CLAUDE_CONFIG_DIR": str(home / "claude")}
        memory = Memory(Config.load(environ), environ=environ, user=home)
        mixed = random.Random(SEED)
        said, answered, commands = pools(args.folder)
        shown: dict[str, Any] = {}
        if not (home / "axm" / "index.db").exists():
            write(home / "claude" / "projects", mixed, said, answered, commands, args.passages)
            started = time.perf_counter()
            memory.index()
            shown["index_s"] = round(time.perf_counter() - started, 1)
        (count,) = memory.sql("select count(*) from passages", Scope(None))[0]
        shown["passages"] = count
        shown["index_mb"] = round((home / "axm" / "index.db").stat().st_size / 1e6, 1)
        asked = list(queries(random.Random(SEED + 1), said, answered, args.queries))
        for group in (False, True):
            for text in asked[:10]:
                memory.search(text, Scope(None), group=group)
            times = sorted(timed(memory, text, group=group) for text in asked)
            shown["by_session" if group else "by_passage"] = percentiles(times)
        shown["from_the_shell"] = percentiles(
            sorted(shell(environ, text) for text in asked[:: max(len(asked) // 20, 1)])
        )
        shown["bare_interpreter"] = percentiles(sorted(bare() for _ in range(20)))
    print(json.dumps(shown, indent=1))
    return 0


def pools(folder: Path) -> tuple[list[str], list[str], list[str]]:
    """Sentences of people, sentences of agents, shell commands."""
    found: tuple[dict[str, None], dict[str, None], dict[str, None]] = ({}, {}, {})
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.open(encoding="utf-8", errors="replace"):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            message = record.get("message") if isinstance(record, dict) else None
            content = message.get("content") if isinstance(message, dict) else None
            mine = found[0] if record.get("type") == "user" else found[1]
            if isinstance(content, str):
                mine.update(dict.fromkeys(sentences(content)))
            for block in content if isinstance(content, list) else ():
                if isinstance(block, dict) and isinstance(block.get("text"), str):
                    mine.update(dict.fromkeys(sentences(block["text"])))
                command = (block.get("input") or {}).get("command") if isinstance(block, dict) else None
                if isinstance(command, str):
                    found[2][command[:400]] = None
    return list(found[0]), list(found[1]), list(found[2])


def sentences(text: str) -> list[str]:
    return [s.strip() for s in re.split(r"(?<=[.!?])\s+|\n+", text) if 20 < len(s) < 400]


def write(
    projects: Path,
    mixed: random.Random,
    said: list[str],
    answered: list[str],
    commands: list[str],
    wanted: int,
    turns: int = 20,
) -> None:
    """Sessions of three passages a turn: a prompt, an answer and a command."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(wanted // (3 * turns)):
        session = str(uuid.UUID(int=mixed.getrandbits(128), version=4))
        folder = projects / f"-bench-p{number % 20}"
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"{session}.jsonl").open("w", encoding="utf-8") as file:
            for turn in range(turns):
                at = start + timedelta(minutes=number * 40 + turn)
                common = {
                    "sessionId": session,
                    "cwd": f"/bench/p{number % 20}",
                    "timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                }
                prompt = " ".join(mixed.choices(said, k=mixed.randint(1, 3)))
                answer = " ".join(mixed.choices(answered, k=mixed.randint(2, 8)))
                use = {"type": "tool_use", "id": f"{session}-{turn}", "name": "Bash"}
                use["input"] = {"command": mixed.choice(commands)}  # type: ignore[assignment]
                for kind, content, extra in (
                    ("user", prompt, {"promptSource": "typed"}),
                    ("assistant", [{"type": "text", "text": answer}, use], {}),
                ):
                    message = {"role": kind, "content": content, "id": f"{session}-{turn}"}
                    record = {"type": kind, "uuid": f"{session}-{turn}-{kind}", "message": message, **common, **extra}
                    file.write(json.dumps(record) + "\n")


def queries(mixed: random.Random, said: list[str], answered: list[str], count: int) -> Iterator[str]:
    words = [word for sentence in answered for word in re.findall(r"[A-Za-z]{4,}", sentence)]
    for number in range(count):
        if number % 2:
            yield " ".join(mixed.choices(words, k=3))
        else:
            yield mixed.choice(said).replace('"', " ")


def timed(memory: Memory, text: str, *, group: bool) -> float:
    started = time.perf_counter()
    memory.search(text, Scope(None), group=group)
    return (time.perf_counter() - started) * 1000


def shell(environ: dict[str, str], text: str) -> float:
    command = [sys.executable, "-m", "axiommind", "search", "--all-projects", "--json", "--", text]
    return ran(command, environ)


def bare() -> float:
    return ran([sys.executable, "-c", "pass"], dict(os.environ))


def ran(command: list[str], environ: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return (time.perf_counter() - started) * 1000


def percentiles(times: list[float]) -> dict[str, float]:
    at = {f"p{p}_ms": round(times[min(len(times) * p // 100, len(times) - 1)], 1) for p in (50, 95)}
    return {**at, "max_ms": round(times[-1], 1)}


if __name__ == "__main__":
    raise SystemExit(main())
