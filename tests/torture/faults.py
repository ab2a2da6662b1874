"""Faults by system call: the shim, compiled where there is a compiler, and the process in which it is loaded."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.transcripts import World

__all__ = ["KILLS", "Command", "Fault", "Outcome", "Victim", "victims"]

_SOURCE = Path(__file__).with_name("faults.c")


class Fault(IntEnum):
    """What happens at the chosen call; the numbers are those of faults.c."""

    COUNT = 0
    KILL_BEFORE = 1
    KILL_TORN = 2
    KILL_AFTER = 3
    FULL_ONCE = 4
    FULL = 5
    BROKEN_ONCE = 6
    BROKEN = 7
    CLOCK_JUMPS = 8


KILLS = (Fault.KILL_BEFORE, Fault.KILL_TORN, Fault.KILL_AFTER)


class Command(NamedTuple):
    """A command of `axm`, and what is on its stdin."""

    args: tuple[str, ...]
    stdin: str | None = None


class Outcome(NamedTuple):
    """How a job ended: what was acknowledged until then, and what the fault hit (None: it ended before)."""

    code: int
    answers: list[dict[str, Any]]
    hit: dict[str, Any] | None
    calls: int
    reads: int

    @property
    def landed(self) -> str:
        """Where a kill landed: before the first commit, inside a transaction, or after one."""
        if self.hit is None:
            return "missed"
        if self.hit["open"]:
            return "inside a transaction"
        if self.hit["file"] in ("log.db", "index.db") and self.hit["commits"]:
            return "in a checkpoint"
        return "after a commit" if self.hit["commits"] else "before the first commit"


class Victim:
    """Does commands of `axm` in children that meet a fault at one of their system calls."""

    def __init__(self, process: subprocess.Popen[str], **environ: str) -> None:
        self._process = process
        self._environ = environ

    def run(
        self,
        world: World,
        commands: Sequence[Command],
        fault: Fault = Fault.COUNT,
        at: int = 0,
        *,
        clock: tuple[int, int] = (0, 0),
        migration: bool = False,
    ) -> Outcome:
        """Do commands; the clock is wrong by seconds, and jumps by seconds at the fault. With a migration, the log has
        one more than this version of the program knows (`tests/torture/migration.py`)."""
        told, report = world.base / "acknowledged", world.base / "fault"
        for path in (told, report):
            path.unlink(missing_ok=True)
        job = {
            "world": str(world.base),
            "commands": [command._asdict() for command in commands],
            "environ": self._environ,
            "mode": int(fault),
            "at": at,
            "report": str(report),
            "acknowledged": str(told),
            "clock": clock,
            "migration": migration,
        }
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        code = int(json.loads(self._process.stdout.readline()))
        answers = [json.loads(line) for line in told.read_text().splitlines()] if told.exists() else []
        ended = answers.pop() if answers and "calls" in answers[-1] else {"calls": 0, "reads": 0}
        hit = json.loads(report.read_text()) if report.exists() else None
        return Outcome(code, answers, hit, ended["calls"], ended["reads"])


@contextmanager
def victims(folder: Path, **environ: str) -> Iterator[Victim]:
    """A victim, or a test that is skipped with a word: this needs Linux, a C compiler and a loader that preloads."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("faults at system calls need Linux and a C compiler (cc, gcc or clang)")
    shim = folder / "faults.so"
    command = [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", str(shim), str(_SOURCE), "-ldl"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"the C compiler could not make the shim: {made.stderr[-300:]}")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.torture.victim"],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"LD_PRELOAD": str(shim), "PYTHONPATH": str(Path(__file__).parents[2])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Victim(process, **environ)
    finally:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        process.wait()
        process.stdout.close()
