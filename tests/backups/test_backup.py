"""A backup is whole or not there, says when it was damaged, and holds what was acknowledged before it began."""

from __future__ import annotations

import random
import sqlite3
import threading
from pathlib import Path

import pytest

from axiommind.backups.archive import check, read_info
from axiommind.errors import AxmError, BackupDamaged, NotFound, UsageError
from tests.backups.homes import make_home, pads, tables, without
from tests.examples import examples
from tests.shell import axm
from tests.transcripts import World, session

FLIPS = examples(400)
BACKUPS = examples(20)


def test_one_file_gives_the_same_home_again(world: World, tmp_path: Path) -> None:
    make_home(world)
    target = tmp_path / "safe" / "axm.backup"
    said = axm(world, "backup", str(target), "--with-key")
    assert said.returncode == 0 and said.stdout == f"{target}\n" and "with the key" in said.stderr
    assert [p.name for p in target.parent.iterdir()] == ["axm.backup"] and target.stat().st_mode & 0o077 == 0
    before, plans = tables(world.home / "index.db"), pads(world)
    other = World(tmp_path / "other")
    for path in world.projects.rglob("*.jsonl"):
        path.unlink()
    assert axm(other, "restore", str(target)).returncode == 0
    assert tables(other.home / "index.db") == before and pads(other) == plans
    assert (other.home / "redaction.key").read_bytes() == (world.home / "redaction.key").read_bytes()
    assert other.memory().verify() == []


def test_a_key_and_settings_are_in_it_only_if_asked_for(world: World, tmp_path: Path) -> None:
    make_home(world)
    (world.home / "config.toml").write_text("[query]\nrows = 77\n")
    key = (world.home / "redaction.key").read_bytes()
    plain, full = tmp_path / "plain", tmp_path / "full"
    world.memory().backups.make(plain)
    world.memory().backups.make(full, with_key=True, with_config=True)
    assert key not in plain.read_bytes() and b"rows = 77" not in plain.read_bytes()
    assert read_info(full).key == key and b"rows = 77" in read_info(full).config
    other = World(tmp_path / "other")
    report = other.memory().backups.restore(plain)
    assert any("key" in note for note in report.notes) and other.memory().verify() == []
    third = World(tmp_path / "third")
    third.memory().backups.restore(full)
    assert third.memory().config.query_rows == 77
    (other.home / "config.toml").write_text("[query]\nrows = 5\n")
    report = other.memory().backups.restore(full)
    assert other.memory().config.query_rows == 5 and report.kept is not None
    assert (report.kept / "config.toml").read_text() == "[query]\nrows = 77\n"
    assert (report.kept / "redaction.key").exists() and (other.home / "redaction.key").read_bytes() == key


def test_nothing_is_overwritten_unasked(world: World, tmp_path: Path) -> None:
    make_home(world)
    target = tmp_path / "mine.txt"
    target.write_text("a letter")
    said = axm(world, "backup", str(target))
    assert said.returncode == 2 and "--force" in said.stderr and target.read_text() == "a letter"
    with pytest.raises(UsageError):
        world.memory().backups.make(tmp_path)
    assert axm(world, "backup", str(target), "--force").returncode == 0
    assert check(target).events


def test_there_is_something_to_back_up_or_it_says_so(world: World, tmp_path: Path) -> None:
    assert axm(world, "backup", str(tmp_path / "x")).returncode == 1
    assert axm(world, "backup", "list").returncode == 1
    make_home(world)
    without(world, "log.db")
    assert axm(world, "backup", str(tmp_path / "x")).returncode == 3
    assert not (tmp_path / "x").exists()


def test_the_list_shows_where_they_are(world: World, tmp_path: Path) -> None:
    make_home(world)
    target = tmp_path / "one.backup"
    assert axm(world, "backup", str(target), "--json").returncode == 0
    world.memory().backups.daily()
    shown = axm(world, "backup", "list").stdout
    assert "one.backup" in shown and "automatic" in shown
    target.unlink()
    assert "not there any more" in axm(world, "backup", "list", "--json").stdout


def test_what_is_no_backup_is_refused(world: World, tmp_path: Path) -> None:
    make_home(world)
    letter = tmp_path / "letter"
    letter.write_text("dear all, " * 900)
    for file, kind in ((letter, BackupDamaged), (world.home / "index.db", BackupDamaged), (tmp_path / "no", NotFound)):
        with pytest.raises(kind):
            world.memory().backups.restore(file)
    assert world.memory().verify() == []


@pytest.mark.law
def test_a_flipped_byte_is_found(world: World, tmp_path: Path) -> None:
    """Wherever it is: the backup is refused, or nothing that it holds has changed."""
    make_home(world)
    target = tmp_path / "axm.backup"
    world.memory().backups.make(target, with_key=True)
    whole, before = target.read_bytes(), _rows(target)
    dice = random.Random(43)
    found = 0
    for _ in range(FLIPS):
        place = dice.randrange(len(whole))
        target.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << dice.randrange(8)]) + whole[place + 1 :])
        try:
            check(target)
        except AxmError:
            found += 1
            continue
        assert _rows(target) == before
    assert found


def test_half_a_file_is_found(world: World, tmp_path: Path) -> None:
    make_home(world)
    target = tmp_path / "axm.backup"
    world.memory().backups.make(target)
    target.write_bytes(target.read_bytes()[: target.stat().st_size // 2])
    assert axm(world, "restore", str(target), "--dry-run").returncode == 3


def _rows(path: Path) -> list[str]:
    db = sqlite3.connect(path)
    try:
        names = [row[0] for row in db.execute("select name from sqlite_master where type = 'table' order by 1")]
        return [f"{name} {row}" for name in names for row in db.execute(f"select * from {name}")]
    finally:
        db.close()


def test_others_write_meanwhile(world: World, tmp_path: Path) -> None:
    """What was acknowledged before a backup began is in it, and every backup is one moment of the log."""
    flow = make_home(world)
    done: list[str] = []
    stop = threading.Event()

    def write(who: int) -> None:
        memory = world.memory()
        pad = memory.scratchpads.create(flow, f"pad of {who}", "begun").row.id
        count = 0
        while not stop.is_set():
            count += 1
            memory.scratchpads.append(pad, f"\nline {who}.{count}")
            done.append(f"line {who}.{count}")

    writers = [threading.Thread(target=write, args=(who,)) for who in range(3)]
    for writer in writers:
        writer.start()
    try:
        for n in range(BACKUPS):
            world.write(session(f"meanwhile-{n}"))
            world.memory().index()
            before = list(done)
            target = tmp_path / f"{n}.backup"
            world.memory().backups.make(target)
            check(target)
            db = sqlite3.connect(target)
            texts = b"\n".join(row[0] for row in db.execute("select data from blobs where codec = 'raw'")).decode()
            db.close()
            assert [line for line in before if line not in texts] == []
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    other = World(tmp_path / "other")
    other.memory().backups.restore(target)
    assert other.memory().verify() == []
