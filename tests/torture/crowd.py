"""One of many processes on one home: does what its role does, again and again, until a time; started by
`test_processes.py`. Every answer is a line of JSON in its own file.

    python -m tests.torture.crowd WORLD ROLE NUMBER SECONDS PAD
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.learning.sessions import Session
from tests.shell import axm
from tests.torture.victim import give
from tests.transcripts import World

__all__ = ["ROLES"]

# Sixteen: what a busy machine has at once, and more of it.
ROLES = {"index": 3, "learn": 2, "hook": 3, "pad": 3, "search": 3, "forget": 1, "rebuild": 1}

Asked = tuple[tuple[str, ...], str | None]


class Member:
    """Somebody with a role."""

    def __init__(self, world: World, role: str, number: int, pad: str) -> None:
        self.world, self.name, self.pad = world, f"{role}-{number}", pad
        self.dice = random.Random(number)
        self.asks: Callable[[], Iterator[Asked]] = getattr(self, f"_{role}")

    def work(self, until: float) -> None:
        with (self.world.base / f"{self.name}.acknowledged").open("a", encoding="utf-8") as told:
            for args, stdin in self.asks():
                give(stdin or "")
                done = axm(self.world, *args, stdin=stdin)
                found_nothing = args[0] in ("search", "query") and done.returncode == 1
                wrong = done.stderr if done.returncode and not found_nothing else ""
                told.write(json.dumps({"args": args, "code": done.returncode, "err": wrong}) + "\n")
                told.flush()
                if time.monotonic() > until:
                    return

    def _index(self) -> Iterator[Asked]:
        """Sessions of its own, which grow."""
        for n in range(1_000_000):
            session = Session(f"{self.name}-{n // 20}", cwd=f"/p/{self.name}")
            session._clock = iter(range(n * 10, n * 10 + 10))  # type: ignore[assignment]
            session.prompt(f"Always run the tests of part {n % 5} with pytest before a commit. " + "여우 fox " * 20)
            session.ask(f"Where should table {n % 4} live?", ("SQLite", "PostgreSQL", "DuckDB")[n % 3])
            session.commit(f"feat: cache answers of table {n}")
            self.world.append(session.data(), f"{self.name}-{n // 20}", f"-p-{self.name}")
            yield ("index",), None

    def _learn(self) -> Iterator[Asked]:
        while True:
            yield ("learn",), None

    def _hook(self) -> Iterator[Asked]:
        for n in range(1_000_000):
            event = ("UserPromptSubmit", "SessionStart", "PreToolUse")[n % 3]
            given = {"session_id": f"{self.name}-{n}", "cwd": "/p/index-0", "tool_input": {"file_path": "/p/a.py"}}
            yield ("hook", event), json.dumps({**given, "prompt": f"where should table {n % 4} live now?"})

    def _pad(self) -> Iterator[Asked]:
        for n in range(1_000_000):
            yield ("pad", "append", self.pad, f"<{self.name}:{n}>"), None

    def _search(self) -> Iterator[Asked]:
        while True:
            words = " ".join(self.dice.sample(["table", "cache", "tests", "여우", "SQLite", "commit"], 2))
            yield ("search", words, "--all-projects"), None
            yield ("query", "--perspective", "sessions"), None

    def _forget(self) -> Iterator[Asked]:
        for n in range(1_000_000):
            session = Session(f"secret-{n}", cwd="/p/secret")
            session.prompt(f"The xyzzy{n}plugh must be forgotten. " * 3)
            self.world.write(session, folder="-p-secret")
            yield ("index",), None
            yield ("forget", "--session", f"secret-{n}", "--yes"), None

    def _rebuild(self) -> Iterator[Asked]:
        while True:
            yield ("rebuild",), None
            yield ("verify",), None


if __name__ == "__main__":
    _, base, role, number, seconds, pad = sys.argv
    Member(World(Path(base)), role, int(number), pad).work(time.monotonic() + float(seconds))
