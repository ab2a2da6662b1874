"""A home that is worked on while faults hit it, and what must be true after each: whatever was acknowledged is there,
nothing is half applied, and the index is what a replay of the log gives."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path

from tests.learning.sessions import Session
from tests.shell import axm
from tests.torture.faults import Command, Fault, Outcome, Victim
from tests.transcripts import World

__all__ = ["OPERATIONS", "Campaign"]

OPERATIONS = ("index", "learn", "pad", "workflow", "forget", "rebuild", "hook", "backup", "restore")
PROJECTS = ("/p/0", "/p/1")


class Campaign:
    """One world, one random order of operations."""

    def __init__(self, base: Path, victim: Victim, dice: random.Random) -> None:
        self.world = World(base)
        self.victim, self.dice = victim, dice
        self.landed: Counter[str] = Counter()
        self.by_operation: Counter[str] = Counter()
        self._calls: dict[str, int] = {}
        self._marks: list[str] = []  # of appends that were acknowledged
        self._flows: list[str] = []
        self._gone: list[str] = []  # sessions whose forgetting was acknowledged
        self._sessions: dict[str, Session] = {}
        self._count = 0
        for n in range(4):
            self._grow(f"session-{n}")
        memory = self.world.memory()
        memory.index()
        memory.learning.run()
        flow = memory.workflows.create("torture", "what is written while it hurts").id
        self._scratchpad = memory.scratchpads.create(flow, "log").row.id

    # --- what is done ------------------------------------------------------------------------------------

    def hit(self, operation: str, fault: Fault, clock: tuple[int, int] = (0, 0)) -> Outcome:
        """Do an operation and let a fault hit it at a random call; where in it is learned from the runs before."""
        if operation not in self._calls:
            self._calls[operation] = self._run(operation, Fault.COUNT, 0, clock).calls
        at = self.dice.randint(1, max(self._calls[operation], 1))
        done = self._run(operation, fault, at, clock)
        if done.hit is None:
            self._calls[operation] = done.calls
        return done

    def kill(self, operation: str, fault: Fault) -> bool:
        """Whether the operation was killed; the home is checked either way."""
        before = self.events()
        done = self.hit(operation, fault)
        self.check(before)
        if done.hit is None:
            assert done.code == 0, done
            return False
        assert done.code == -9, done
        self.landed[done.landed] += 1
        self.by_operation[operation] += 1
        return True

    def _run(self, operation: str, fault: Fault, at: int, clock: tuple[int, int]) -> Outcome:
        self._count += 1
        commands = getattr(self, f"_{operation}")()
        done = self.victim.run(self.world, commands, fault, at, clock=clock)
        for answer in done.answers:
            if answer["args"][:2] == ["pad", "append"] and answer["code"] == 0:
                self._marks.append(answer["args"][-1])
            if answer["args"][:2] == ["workflow", "create"] and answer["code"] == 0:
                self._flows.append(answer["args"][2])
            if answer["args"][0] == "forget" and answer["code"] == 0:
                self._gone.append(answer["args"][2])
        return done

    def _grow(self, name: str) -> None:
        """A session goes on with what is learned from: orders, decisions, tasks."""
        n = self._count = self._count + 1
        session = self._sessions.setdefault(name, Session(name, cwd=PROJECTS[len(self._sessions) % 2]))
        started = len(session.lines)
        session.prompt(f"Always run the tests of part {n % 5} with pytest before a commit. " + "여우 fox " * 20)
        session.ask(f"Where should table {n % 4} live?", ("SQLite", "PostgreSQL", "DuckDB")[n % 3])
        task = session.task(f"Build the cache table number {n % 6}")
        if n % 3:
            session.update(task, status="completed")
        session.commit(f"feat: cache answers of table {n}")
        new = Session(name)
        new.lines = session.lines[started:]
        self.world.append(new.data(), name, f"-p-{PROJECTS.index(session.cwd or '')}")

    def _index(self) -> list[Command]:
        for name in self.dice.sample([f"session-{n}" for n in range(4)], 2):
            self._grow(name)
        return [Command(("index",))]

    def _learn(self) -> list[Command]:
        self._grow(f"session-{self.dice.randrange(4)}")
        return [Command(("learn",))]

    def _mark(self) -> str:
        self._count += 1
        return f"mark-{self._count}-of-the-torture"

    def _pad(self) -> list[Command]:
        return [Command(("pad", "append", self._scratchpad, self._mark())) for _ in range(5)]

    def _hook(self) -> list[Command]:
        given = '{"session_id": "now", "cwd": "/p/0", "prompt": "where should the cache table number 3 live?"}'
        return [Command(("hook", "UserPromptSubmit"), given), Command(("index",))]

    def _rebuild(self) -> list[Command]:
        return [Command(("rebuild",))]

    def _backup(self) -> list[Command]:
        """The automatic one, which is inside the home: as if it were the first of the day."""
        shutil.rmtree(self.world.home / "backups", ignore_errors=True)
        return [Command(("index",))]

    def _restore(self) -> list[Command]:
        """A backup of everything that is there now, brought back over it."""
        file = self.world.base / "whole.backup"
        made = axm(self.world, "backup", str(file), "--force")
        assert made.returncode == 0, made
        return [Command(("restore", str(file), "--yes"))]

    def _workflow(self) -> list[Command]:
        return [Command(("workflow", "create", f"flow-{self._mark()}")) for _ in range(3)]

    def _forget(self) -> list[Command]:
        """A session of its own, with a word of its own, is forgotten; a fresh one each time."""
        self._count += 1
        name, word = f"secret-{self._count}", _word_of(f"secret-{self._count}")
        session = Session(name, cwd=PROJECTS[0])
        session.prompt(f"The {word} must be forgotten. " * 3)
        session.answer(f"Done: {word}.")
        self.world.write(session, folder="-p-0")
        self.world.memory().index()
        return [Command(("forget", "--session", name, "--reason", "torture", "--yes"))]

    # --- what must be true -------------------------------------------------------------------------------

    def events(self) -> list[tuple[str, str]]:
        with self.world.memory().home.read_log() as (log, _key):
            return [(event.event_id, event.event_type) for event in log.replay()]

    def check(self, before: list[tuple[str, str]]) -> None:
        world = self.world
        assert self.events()[: len(before)] == before, "an event that was there is not there any more"
        found = axm(world, "search", "cache table", "--all-projects")
        assert found.returncode in (0, 1) and "Traceback" not in found.stderr, found
        after = axm(world, "index")
        assert after.returncode == 0, after
        assert world.memory().verify(deep=True) == []
        text = world.memory().scratchpads.show(self._scratchpad).text
        assert [mark for mark in self._marks if text.count(mark) != 1] == []
        names = {row[0] for row in world.rows("select name from workflows")}
        assert [name for name in self._flows if name not in names] == []
        self._nothing_of_what_was_forgotten()
        assert not list(world.home.glob("*.corrupt-*")), "nothing may be damaged"

    def _nothing_of_what_was_forgotten(self) -> None:
        """Also where the forgetting was killed, once its tombstone was there: the run after it finishes it."""
        with self.world.memory().home.read_log() as (log, _key):
            begun = {key for kind, key in log.tombstones() if kind == "session"}
        assert set(self._gone) <= begun
        held = b"".join(path.read_bytes() for path in self.world.home.rglob("*") if path.is_file())
        for session in begun:
            assert _word_of(session).encode() not in held, f"{session} was forgotten, and is still on disk"


def _word_of(session: str) -> str:
    """A word that is said in this session alone."""
    return f"xyzzy{session.rpartition('-')[2]}plugh"
