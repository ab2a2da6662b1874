"""Law 5: `forget` purges every trace, and `verify` proves it: it never says that all is well while a byte of it is
left, whoever reads meanwhile and whenever a run is killed."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from axiommind.log import Finding
from axiommind.projections import replay
from tests.counting import PATIENCE_S
from tests.examples import examples
from tests.ingest.traces import traces
from tests.transcripts import World, session

MARK = "zanzibarquux"
KILLS = examples(40)

# Ends itself as kill -9 would, at the Nth call into SQLite or of a function that removes a file.
_KILLED = """
import os, signal, sys
from axiommind.surfaces.cli import main
at, seen = int(sys.argv[1]), 0
def watch(frame, event, what):
    global seen
    if event != "c_call" or getattr(what, "__name__", "") not in NAMES or frame.f_code.co_name in ONLY_READ:
        return
    seen += 1
    if seen == at:
        os.kill(os.getpid(), signal.SIGKILL)
NAMES = {"execute", "executemany", "fetchone", "unlink", "rmdir", "fsync", "replace"}
ONLY_READ = {"_is_kept"}  # as often as there are records in all generations: the more often it came back, the more
sys.setprofile(watch)
code = main(sys.argv[2:])
sys.setprofile(None)
print("calls", seen, file=sys.stderr)
sys.exit(code)
"""


def told(world: World, name: str = "secret") -> None:
    lines = session(name)
    for n in range(60):
        lines.prompt(f"the {MARK} project number {n} is confidential, and nobody may know of {MARK} {n}")
        lines.tool("Bash", f"{name}-z{n}", command=f"echo {MARK} {n} " + "y" * 300)
        lines.result(f"{name}-z{n}", f"{MARK} said {n} times " * 20)
    world.write(lines)
    world.write(session("other"))


def killed_at(world: World, at: int, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _KILLED, str(at), *args],
        env=world.environ,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers of these tests do not end by being waited for."""
    monkeypatch.setattr("axiommind.db.CHECKPOINT_MS", 20)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Somebody in the middle of a read transaction."""
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as db:
        db.execute("begin")
        db.execute("select count(*) from sqlite_master").fetchone()
        yield
        db.execute("rollback")


def is_gone(world: World) -> None:
    assert traces(world.home, MARK.encode()) == []
    assert traces(world.home, MARK.encode("utf-16-le")) == []


@pytest.mark.law
def test_killed_anywhere_it_is_finished_by_the_next_run(world: World) -> None:
    """Killed before its commit nothing was forgotten, and after it everything is, whoever comes next."""
    dice = random.Random(20261118)
    told(world)
    world.memory().index()
    calls = int(killed_at(world, 0, "forget", "--session", "secret", "--yes").stderr.rpartition("calls ")[2])
    is_gone(world)
    world.memory().undo_forget(session="secret")
    again = int(killed_at(world, 0, "forget", "--session", "secret", "--yes").stderr.rpartition("calls ")[2])
    grows, calls = again - calls, again  # what was forgotten more often takes longer to look through
    half = 0
    for n in range(KILLS):
        world.memory().undo_forget(session="secret")
        assert traces(world.home, MARK.encode())
        # Spread over the second half of it, where the work is.
        calls += grows
        at = calls // 2 + int((n + dice.random()) * (calls - calls // 2) / KILLS)
        ended = killed_at(world, at, "forget", "--session", "secret", "--yes")
        assert ended.returncode == -signal.SIGKILL, ended.stderr
        with world.memory().home.read_log() as (log, _key):
            was_forgotten = log.is_forgotten("secret", None)
        if not was_forgotten:
            assert world.memory().verify() == [] and traces(world.home, MARK.encode())
            world.memory().forget(session="secret")
        else:
            half += bool(traces(world.home, MARK.encode()))
            (world.memory().index, world.memory().verify, lambda: world.memory().forget(session="other"))[n % 2]()
        assert world.memory().verify() == []
        is_gone(world)
        found = world.memory().forgotten()
        assert found.held == () and found.certificates
    assert half, "some kills must have left traces, or this proves nothing"


@pytest.mark.law
@pytest.mark.parametrize("held", [["index.db"], ["log.db"], ["index.db", "log.db"]])
def test_a_reader_keeps_it_pending_and_verify_says_so(world: World, held: list[str]) -> None:
    told(world)
    world.memory().index()
    with ExitStack() as stack:
        for name in held:
            stack.enter_context(reading(world.home / name))
        done = world.memory().forget(session="secret")
        assert {one.place for one in done.pending} == set(held) and done.certificate is None
        assert "log.db" in held or traces(world.home, MARK.encode()), "a reader keeps old pages"
        for _ in range(2):  # however often it is asked
            found = world.memory().verify()
            assert {where for where, _what in found} == {f"forgetting: {name}" for name in held}
            assert all(what.startswith("pending: ") and "reading it" in what for _where, what in found)
        world.memory().index()
        assert world.memory().forgotten().held
    assert world.memory().verify() == []
    is_gone(world)
    (proven,) = world.memory().forgotten().certificates
    assert proven.blobs and proven.bytes and proven.looked_for and proven.files


@pytest.mark.law
def test_waiting_for_a_reader_does_not_fill_the_disk(world: World) -> None:
    told(world)
    world.memory().index()
    with reading(world.home / "index.db"):
        world.memory().forget(session="secret")
        sizes = set()
        for _ in range(4):
            world.memory().index()
            sizes.add((world.home / "index.db-wal").stat().st_size >> 16)
        assert len(sizes) <= 2
    assert world.memory().verify() == []


@pytest.mark.parametrize("is_followed", [True, False])
def test_what_is_forgotten_while_verify_compares_is_no_damage(
    world: World, monkeypatch: pytest.MonkeyPatch, is_followed: bool
) -> None:
    """Its text is out of the log, and the index that was copied before still has its rows: it is compared again, when
    the index has followed. One that never follows is told."""
    told(world)
    world.memory().index()
    compared = replay._differences
    tries = 0

    def meanwhile(fresh: sqlite3.Connection, copy: Path) -> list[Finding]:
        nonlocal tries
        tries += 1
        if tries == 2 and is_followed:
            world.memory().index()
        return compared(fresh, copy)

    monkeypatch.setattr(replay, "_differences", meanwhile)
    with world.memory().home.open_log() as (log, _key), tempfile.TemporaryDirectory() as scratch:
        with log.atomic():
            log.forget(["secret"], None, actor="user", reason="", records=list)
        found = replay.compare(log, world.home / "index.db", Path(scratch))
    assert (found == []) == is_followed and tries == (3 if is_followed else replay._TRIES)
