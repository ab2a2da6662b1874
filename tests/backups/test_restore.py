"""Restoring: over an existing home the old log is kept aside, and what was forgotten stays forgotten."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from axiommind.backups.archive import check
from axiommind.errors import AxmError, LogLost, NotFound
from axiommind.log.sqlite import SqliteLog
from tests.backups.homes import PLAN, bytes_under, make_home, pads, tables, without
from tests.counting import wait_for
from tests.examples import examples
from tests.log.contract import KEY
from tests.shell import axm
from tests.transcripts import Lines, World, session

RESTORES = examples(15)


def test_over_an_existing_home_the_old_log_is_kept(world: World, tmp_path: Path) -> None:
    flow = make_home(world)
    target = tmp_path / "axm.backup"
    world.memory().backups.make(target)
    before = tables(world.home / "index.db")
    world.memory().scratchpads.create(flow, "later", "written after the backup")
    world.write(session("later"))
    world.memory().index()
    said = axm(world, "restore", str(target))
    assert said.returncode == 2 and "--yes" in said.stderr, "it asks first, and here nobody can answer"
    said = axm(world, "restore", str(target), "--yes", "--json")
    assert said.returncode == 0
    (kept,) = (world.home / "kept").glob("*/log.db")
    assert str(kept.parent) in said.stderr
    assert tables(world.home / "index.db") == before
    old = SqliteLog(kept, KEY)
    assert old.verify() == [] and b"written after the backup" in kept.read_bytes()
    old.close()
    assert list((world.home / "kept").glob("*/index.db")) == [], "it can be made again from the log that is kept"
    world.memory().index()
    assert world.one("select count(*) from sessions where id = 'later'") == 1
    assert world.memory().verify(deep=True) == []


@pytest.mark.parametrize("lost", ["log.db", "log.db and redaction.key", "everything"])
def test_a_lost_log_comes_back(world: World, tmp_path: Path, lost: str) -> None:
    make_home(world)
    target = tmp_path / "axm.backup"
    world.memory().backups.make(target, with_key=True)
    before, plans = tables(world.home / "index.db"), pads(world)
    without(
        world, "log.db", *(("redaction.key",) if "key" in lost else ()), *(("index.db",) if "every" in lost else ())
    )
    assert axm(world, "restore", str(target)).returncode == 0
    assert tables(world.home / "index.db") == before and pads(world) == plans
    assert world.memory().index().events == 0
    assert world.memory().verify(deep=True) == []


def test_a_damaged_log_is_replaced_and_kept(world: World, tmp_path: Path) -> None:
    make_home(world)
    target = tmp_path / "axm.backup"
    world.memory().backups.make(target)
    plans = pads(world)
    without(world, "log.db")
    (world.home / "log.db").write_bytes(b"no database any more" * 500)
    assert axm(world, "restore", str(target), "--yes").returncode == 0
    (kept,) = (world.home / "kept").glob("*/log.db")
    assert kept.read_bytes().startswith(b"no database") and pads(world) == plans
    assert world.memory().verify() == []


def test_an_index_that_is_the_last_copy_is_kept_too(world: World, tmp_path: Path) -> None:
    """The log is gone, and the backup is older than the index: that holds what is nowhere else."""
    flow = make_home(world)
    target = tmp_path / "axm.backup"
    world.memory().backups.make(target)
    world.memory().scratchpads.create(flow, "later", "only the index has this one")
    without(world, "log.db")
    assert axm(world, "restore", str(target)).returncode == 0
    (kept,) = (world.home / "kept").glob("*/index.db")
    assert b"only the index has this one" in kept.read_bytes()
    assert world.memory().verify() == []


def test_a_log_put_back_by_hand_after_a_restore_is_refused(world: World, tmp_path: Path) -> None:
    flow = make_home(world)
    old = _whole(world)
    world.memory().scratchpads.create(flow, "later", "text")
    target = tmp_path / "axm.backup"
    world.memory().backups.make(target)
    world.memory().scratchpads.create(flow, "latest", "text")
    world.memory().backups.restore(target)
    world.memory().index()
    without(world, "log.db")
    (world.home / "log.db").write_bytes(old)
    with pytest.raises(LogLost):
        world.memory().index()


def _whole(world: World) -> bytes:
    db = sqlite3.connect(world.home / "log.db")
    db.execute("pragma wal_checkpoint(truncate)")
    db.close()
    return (world.home / "log.db").read_bytes()


def test_what_was_forgotten_since_stays_forgotten(world: World, tmp_path: Path) -> None:
    flow = make_home(world)
    target = tmp_path / "axm.backup"
    world.memory().backups.make(target)
    world.memory().forget(session="secretive")
    world.memory().forget(workflow=flow)
    said = axm(world, "restore", str(target), "--yes")
    assert said.returncode == 0 and "still forgotten: 3" in said.stderr
    assert bytes_under(world.home, "xylophonist") == [] and bytes_under(world.home, PLAN) == []
    world.memory().index()
    assert world.one("select count(*) from sessions where id = 'secretive'") == 0
    assert world.memory().verify() == []


def test_what_was_forgotten_stays_so_when_the_log_is_lost(world: World, tmp_path: Path) -> None:
    """Then the automatic backups know it."""
    make_home(world)
    target = tmp_path / "axm.backup"
    world.memory().backups.make(target)
    world.memory().backups.daily()
    world.memory().forget(session="secretive")
    without(world, "log.db")
    world.memory().backups.restore(target)
    world.memory().index()
    assert world.one("select count(*) from sessions where id = 'secretive'") == 0
    assert bytes_under(world.home, "xylophonist") == []


def test_a_project_that_was_forgotten(world: World, tmp_path: Path) -> None:
    other = Lines("elsewhere", cwd="/p/elsewhere")
    other.prompt("the zeppelin launches at noon")
    world.write(other, folder="-p-elsewhere")
    make_home(world)
    target = tmp_path / "axm.backup"
    world.memory().backups.make(target)
    world.memory().forget(project="/p/elsewhere")
    world.memory().backups.restore(target)
    assert bytes_under(world.home, "zeppelin") == []
    world.memory().index()
    assert world.memory().verify() == []


def test_only_looking_changes_nothing(world: World, tmp_path: Path) -> None:
    make_home(world)
    target = tmp_path / "axm.backup"
    world.memory().backups.make(target)
    other = World(tmp_path / "other")
    said = axm(other, "restore", str(target), "--dry-run", "--json")
    assert said.returncode == 0 and str(check(target).events) in said.stdout
    assert not (other.home / "log.db").exists()


def test_a_backup_of_an_older_schema_is_brought_up_to_date(world: World, tmp_path: Path) -> None:
    """As an older version of the program would have written it."""
    from axiommind.backups.archive import reseal

    make_home(world)
    target = tmp_path / "axm.backup"
    world.memory().backups.make(target)
    db = sqlite3.connect(target)
    db.execute("delete from identity where name = 'key'")
    db.commit()
    db.close()
    reseal(target)
    other = World(tmp_path / "other")
    other.memory().backups.restore(target)
    assert other.memory().verify() == []


def test_what_others_write_meanwhile_is_kept_or_in_the_new_log(world: World, tmp_path: Path) -> None:
    """The old log is copied under the lock of the transaction that replaces it: nothing falls between the two."""
    flow = make_home(world)
    target = tmp_path / "axm.backup"
    world.memory().backups.make(target)
    done: list[str] = []
    refused: list[AxmError] = []
    stop = threading.Event()

    def write(who: int) -> None:
        count = 0
        while not stop.is_set():
            count += 1
            text = f"word {who} of {count} words"
            try:
                made = world.memory().workflows.create(f"flow {who}.{count}")
                world.memory().scratchpads.create(made.id, "pad", text)
            except NotFound:  # replaced between the two
                continue
            except AxmError as error:
                refused.append(error)
                continue
            done.append(text)

    writers = [threading.Thread(target=write, args=(who,)) for who in range(2)]
    for writer in writers:
        writer.start()
    try:
        for _ in range(RESTORES):
            wanted = len(done) + 3
            wait_for(lambda wanted=wanted: len(done) > wanted)
            world.memory().backups.restore(target)
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    assert refused == []
    world.memory().index()
    texts = [path.read_bytes() for path in (world.home / "kept").glob("*/log.db")]
    texts += [_whole(world)]
    assert [text for text in done if not any(text.encode() in one for one in texts)] == []
    assert flow in {row[0] for row in world.rows("select id from workflows")}
    assert world.memory().verify() == []
