"""Law 12: an index is never built over one whose log vanished, shrank or is another's. Both stay as they are."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.errors import LogLost
from axiommind.memory import Memory
from tests.laws.histories import History, growing
from tests.log.older import make_older
from tests.shell import axm
from tests.transcripts import World, session

_FILES = ("log.db", "log.db-wal", "log.db-shm")


def without_log(world: World) -> None:
    for name in _FILES:
        (world.home / name).unlink(missing_ok=True)


def whole_log(world: World) -> bytes:
    """The log in one file, with what is in its write-ahead log."""
    target = world.base / "copy.db"
    source, copy = sqlite3.connect(world.home / "log.db"), sqlite3.connect(target)
    source.backup(copy)
    source.close()
    copy.close()
    data = target.read_bytes()
    target.unlink()
    return data


def put_log(world: World, data: bytes) -> None:
    without_log(world)
    (world.home / "log.db").write_bytes(data)


def content(path: Path) -> list[str] | None:
    """Everything in a database, or None where there is none: bytes may move, content may not."""
    if not path.exists():
        return None
    db = sqlite3.connect(path)
    try:
        names = [r[0] for r in db.execute("select name from sqlite_master where type = 'table' order by name")]
        return [
            f"{name} {row}"
            for name in names
            if not name.startswith("passages_fts")
            for row in db.execute(f"select * from {name}")
        ]
    finally:
        db.close()


def make(world: World) -> None:
    world.write(session("a"))
    memory = world.memory()
    memory.index()
    flow = memory.workflows.create("migrate the billing", description="nowhere else")
    memory.scratchpads.create(flow.id, "plan", "the last copy of this plan")


def other_log(world: World) -> bytes:
    other = World(world.base / "other")
    other.write(session("b"))
    other.write(session("c"))
    other.memory().index()
    return whole_log(other)


def vanish(world: World) -> None:
    without_log(world)


def be_emptied(world: World) -> None:
    put_log(world, b"")


def shrink(world: World) -> None:
    older = whole_log(world)
    world.memory().scratchpads.create(_flow(world), "more", "later")
    put_log(world, older)


def diverge(world: World) -> None:
    shrink(world)
    for name in ("index.db", "index.db-wal", "index.db-shm"):
        (world.home / name).rename(world.base / name) if (world.home / name).exists() else None
    world.write(session("later"))
    world.write(session("latest"))
    world.memory().index()
    for name in ("index.db-wal", "index.db-shm"):
        (world.home / name).unlink(missing_ok=True)
    for name in ("index.db", "index.db-wal", "index.db-shm"):
        (world.home / name).unlink(missing_ok=True)
        if (world.base / name).exists():
            (world.base / name).rename(world.home / name)


def be_exchanged(world: World) -> None:
    put_log(world, other_log(world))


def _flow(world: World) -> str:
    return str(world.one("select id from workflows"))


LOSSES = [vanish, be_emptied, shrink, diverge, be_exchanged]
WAYS: dict[str, Callable[[Memory, str], object]] = {
    "index": lambda m, _: m.index(),
    "index --full": lambda m, _: m.index(full=True),
    "watch": lambda m, _: next(m.watch()),
    "rebuild": lambda m, _: m.rebuild(),
    "learn": lambda m, _: m.learning.run(),
    "remember": lambda m, _: m.entries.remember("run the tests", quotes=["add a test for the parser"], session="a"),
    "use": lambda m, _: m.entries.note_use(["e1"], "opened"),
    "undo": lambda m, _: m.undo_forget(session="a"),
    "pad": lambda m, flow: m.scratchpads.create(flow, "another", "text"),
    "workflow": lambda m, _: m.workflows.create("another"),
    "forget": lambda m, _: m.forget(session="a"),
    "kb": lambda m, _: m.documents.index(),
    "embed": lambda m, _: m.embeddings.make(),
}


@pytest.mark.parametrize("lose", LOSSES)
@pytest.mark.parametrize("way", WAYS)
def test_no_way_in_builds_over_it(world: World, lose: Callable[[World], None], way: str) -> None:
    make(world)
    lose(world)
    flow = _flow(world)
    before = [content(world.home / name) for name in ("index.db",)]
    log = (world.home / "log.db").read_bytes() if (world.home / "log.db").exists() else None
    with pytest.raises(LogLost) as caught:
        WAYS[way](world.memory(), flow)
    assert "axm restore" in caught.value.hint and caught.value.exit_code == 3
    assert [content(world.home / name) for name in ("index.db",)] == before
    assert ((world.home / "log.db").read_bytes() if (world.home / "log.db").exists() else None) == log


@pytest.mark.parametrize("lose", LOSSES)
def test_questions_are_answered_and_doctor_and_verify_say_it(world: World, lose: Callable[[World], None]) -> None:
    make(world)
    lose(world)
    said = axm(world, "index", "--no-learn")
    assert said.returncode == 3 and "axm restore" in said.stderr
    assert axm(world, "search", "last copy of this plan").returncode == 0
    for command in ("doctor", "verify"):
        said = axm(world, command)
        assert said.returncode == 3 and "log.db" in said.stdout and "axm restore" in said.stdout


@pytest.mark.parametrize("lose", LOSSES)
def test_a_new_beginning_is_asked_for_and_keeps_the_old_index(world: World, lose: Callable[[World], None]) -> None:
    make(world)
    lose(world)
    before = content(world.home / "index.db")
    said = axm(world, "rebuild", "--anew")
    assert said.returncode == 0
    (kept,) = (world.home / "kept").glob("*/index.db")
    assert str(kept) in said.stderr and content(kept) == before
    assert kept.stat().st_mode & 0o077 == 0
    world.memory().index()
    assert world.memory().verify() == []


def test_a_hook_after_the_log_is_gone_changes_nothing(world: World) -> None:
    """The case that lost the last copy of a scratchpad: the log is deleted, and one hook fires."""
    make(world)
    without_log(world)
    pending = world.home / "hooks" / "pending"
    pending.parent.mkdir(exist_ok=True)
    pending.touch()
    before = content(world.home / "index.db")
    assert axm(world, "index", AXM_HOOK_PENDING=str(pending)).returncode == 3
    assert not (world.home / "log.db").exists() and content(world.home / "index.db") == before
    assert not pending.exists(), "the next hook may try again"


def test_an_index_of_an_older_version_is_guarded_too(world: World) -> None:
    """It does not name its log, and the log has no identity yet."""
    make(world)
    with closing(sqlite3.connect(world.home / "index.db")) as db, db:
        db.execute("delete from meta where key = 'log'")
    make_older(world.home / "log.db", 1)
    old = whole_log(world)
    world.write(session("b"))
    world.memory().index()  # migrates by itself
    with world.memory().home.read_log() as (log, _):
        first = log.event_at(1)
        assert first is not None and log.identity().name == first.event_id
    assert world.one("select value from meta where key = 'log'") == first.event_id
    put_log(world, old)
    with pytest.raises(LogLost, match="missing"):
        world.memory().index()


def test_an_index_that_is_gone_is_made_from_whatever_log_is_there(world: World) -> None:
    make(world)
    data = other_log(world)
    for name in ("index.db", "index.db-wal", "index.db-shm"):
        (world.home / name).unlink(missing_ok=True)
    put_log(world, data)
    world.memory().index()
    assert [where for where, _ in world.memory().verify()] == ["redaction.key"], "it was written with another one"


@given(st.lists(growing, min_size=2, max_size=6), st.integers(0, 5))
def test_an_index_goes_on_with_its_own_log_only(operations: list[tuple[str, str, object]], at: int) -> None:
    """Whatever happened, and at whichever moment a log was copied: put in the place of a later one it is refused if
    and only if the index has folded more than it holds."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        history = History(world)
        world.write(session("first"))
        world.memory().index()
        copies, positions = [], []
        for operation in [*operations, ("index", None, None)]:
            copies.append(whole_log(world))
            positions.append(world.one("select position from projection_offsets limit 1"))
            history.play(*operation)
        kept, whole = copies[at % len(copies)], whole_log(world)
        shutil.rmtree(world.home / "kept", ignore_errors=True)
        put_log(world, kept)
        before = content(world.home / "index.db")
        last = world.one("select position from projection_offsets limit 1")
        if positions[at % len(copies)] < last:
            with pytest.raises(LogLost):
                world.memory().index()
            assert content(world.home / "index.db") == before
            put_log(world, whole)
        world.memory().index()
        assert world.memory().verify() == []
