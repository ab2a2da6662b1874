"""Automatic backups: once a day, three kept, small, purged by forgetting, and enough to bring everything back."""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path

from axiommind.backups.archive import check, read_info
from axiommind.backups.automatic import automatic_files, back_up_daily
from axiommind.backups.copies import change_copies
from tests.backups.homes import PLAN, bytes_under, make_home, pads, tables, without
from tests.shell import axm
from tests.transcripts import Lines, World, session

DAY = 86_400


def daily(world: World, now: float, *, is_first: bool = True, limit: int = 64 << 20) -> Path | None:
    with world.memory().home.open_log() as (log, key):
        return back_up_daily(world.home, log, key, limit, is_first=is_first, now=now)


def write_pad(world: World, flow: str, text: str) -> None:
    world.memory().scratchpads.create(flow, text, text)


def test_once_a_day_and_three_are_kept(world: World) -> None:
    flow = make_home(world)
    now = time.time()
    made = daily(world, now)
    assert made is not None and made.stat().st_mode & 0o077 == 0
    write_pad(world, flow, "an hour later")
    assert daily(world, now + 3600) is None
    for day in range(1, 6):
        assert daily(world, now + day * DAY) is not None
        assert daily(world, now + day * DAY + 60) is None
        write_pad(world, flow, f"day {day}")
    assert len(automatic_files(world.home)) == 3
    before = automatic_files(world.home)
    daily(world, now + 9 * DAY)
    assert daily(world, now + 10 * DAY) is None, "nothing happened since"
    assert automatic_files(world.home)[:2] == before[1:]
    write_pad(world, flow, "the clock went back")
    assert daily(world, now - 30 * DAY) is not None


def test_the_background_makes_it_and_a_setting_stops_it(world: World) -> None:
    make_home(world)
    pending = world.home / "hooks" / "pending"
    pending.parent.mkdir(exist_ok=True)
    for setting, expected in (("off", 0), ("on", 1)):
        pending.touch()
        assert axm(world, "index", AXM_HOOK_PENDING=str(pending), AXM_BACKUP=setting).returncode == 0
        assert len(automatic_files(world.home)) == expected
    assert "backups" in axm(world, "doctor").stdout


def test_nobody_waits_for_the_first_one(world: World) -> None:
    world.write(session("a"))
    assert axm(world, "index", AXM_BACKUP="on").returncode == 0
    assert automatic_files(world.home) == []


def test_text_that_is_on_disk_is_left_out_and_read_again(world: World) -> None:
    """Everything comes back, the same to the last row."""
    lines = Lines("grows")
    lines.prompt("the first part, with a line that has no end yet")
    world.write(lines.data().rstrip(b"\n"), "grows")
    make_home(world)
    lines.prompt("the second part, 두 번째")
    world.write(lines.data(), "grows")
    notes = world.base / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# A note\n\nabout aardvarks\n")
    world.memory().documents.add([notes])
    world.memory().index()
    made = daily(world, time.time())
    assert made is not None
    info = check(made)
    assert info.left_out >= 5 and info.key == (world.home / "redaction.key").read_bytes()
    for text in ("aardvarks", "xylophonist", "the second part"):
        assert made not in bytes_under(world.home, text)
    assert made in bytes_under(world.home, PLAN)
    before, plans = tables(world.home / "index.db"), pads(world)
    without(world, "log.db", "index.db", "redaction.key")
    said = axm(world, "restore", str(made), "--json")
    record = json.loads(said.stdout)
    assert said.returncode == 0 and record["lost"] == [] and record["read_again"] == info.left_out
    assert tables(world.home / "index.db") == before and pads(world) == plans
    assert world.memory().index().events == 0
    assert world.memory().verify(deep=True) == []


def test_text_whose_file_is_gone_is_kept_newest_first(world: World) -> None:
    for n in range(4):
        lines = Lines(f"gone-{n}")
        lines.prompt(f"only here {n} " + f"{n}" * 150)
        world.write(lines)
        world.memory().index()
    for n in range(4):
        world.path(f"gone-{n}").unlink()
    make_home(world)
    with sqlite3.connect(world.home / "log.db") as db:
        (size,) = db.execute(
            "select max(length(data)) from blobs join blob_refs using (hash) join events using (position) "
            "where session_id like 'gone-%'"
        ).fetchone()
    made = daily(world, time.time(), limit=2 * size + 10)
    assert made is not None
    db = sqlite3.connect(made)
    (kept,) = db.execute(
        "select group_concat(session_id) from (select session_id from events e join blob_refs using (position) "
        "join blobs using (hash) where session_id like 'gone-%' and event_type = 'transcript_segment' order by 1)"
    ).fetchone()
    db.close()
    assert kept == "gone-2,gone-3"


def test_what_is_neither_in_it_nor_on_disk_is_said(world: World) -> None:
    """And everything else comes back."""
    make_home(world)
    made = daily(world, time.time())
    plans = pads(world)
    world.path("session-0").unlink()
    world.path("session-1").write_bytes(b"")
    without(world, "log.db", "index.db")
    report = world.memory().backups.restore(made)
    assert report.lost == ("session-0", "session-1") and pads(world) == plans
    world.memory().index()
    assert {row[0] for row in world.rows("select id from sessions")} >= {"session-2", "secretive"}
    assert world.memory().verify(deep=True) == []


def test_forgetting_purges_them(world: World, tmp_path: Path) -> None:
    flow = make_home(world)
    world.path("secretive").unlink()
    world.memory().index()
    made = daily(world, time.time())
    assert made is not None
    world.memory().backups.make(tmp_path / "axm.backup")
    world.memory().scratchpads.create(flow, "later", "text")
    world.memory().backups.restore(tmp_path / "axm.backup")  # a log is kept aside
    assert made in bytes_under(world.home, "xylophonist") and made in bytes_under(world.home, PLAN)
    world.memory().forget(session="secretive")
    world.memory().forget(workflow=flow)
    assert bytes_under(world.home, "xylophonist") == [] and bytes_under(world.home, PLAN) == []
    check(made)
    assert world.memory().verify() == []


def test_a_backup_that_somebody_put_elsewhere_is_named(world: World, tmp_path: Path) -> None:
    """It is theirs, and is not touched."""
    make_home(world)
    target = tmp_path / "mine.backup"
    world.memory().backups.make(target)
    whole = target.read_bytes()
    said = axm(world, "forget", "--session", "secretive", "--dry-run")
    assert str(target) in said.stderr and target.read_bytes() == whole
    target.unlink()
    assert str(target) not in axm(world, "forget", "--session", "secretive", "--dry-run").stderr


def test_verify_searches_them_and_the_next_run_goes_on(world: World) -> None:
    """As after a forget that was killed before it came to the backups."""
    make_home(world)
    world.path("secretive").unlink()
    world.memory().index()
    made = daily(world, time.time())
    assert made is not None
    old = made.read_bytes()
    world.memory().forget(session="secretive")
    made.write_bytes(old)
    ((where, what),) = world.memory().verify()
    assert where == str(made) and "forgotten" in what
    world.memory().backups.daily()
    assert world.memory().verify() == [] and bytes_under(world.home, "xylophonist") == []


def test_an_index_that_was_kept_aside_forgets_too(world: World) -> None:
    make_home(world)
    without(world, "log.db")
    assert axm(world, "rebuild", "--anew").returncode == 0
    world.memory().index()
    assert any("kept" in str(path) for path in bytes_under(world.home, "xylophonist"))
    assert world.memory().forget(session="secretive").complete
    assert bytes_under(world.home, "xylophonist") == []
    (kept,) = (world.home / "kept").glob("*/index.db")
    assert PLAN.encode() in kept.read_bytes()


def test_a_damaged_backup_is_said_and_goes_when_something_is_forgotten(world: World) -> None:
    make_home(world)
    made = daily(world, time.time())
    assert made is not None
    made.write_bytes(b"no backup" * 1000)
    assert any(where == str(made) for where, _ in world.memory().verify())
    world.memory().forget(session="secretive")
    assert not made.exists()


def test_those_of_another_log_are_not_crowded_out(world: World) -> None:
    """The log is lost and somebody starts anew: what the backups of the lost one hold is still there."""
    make_home(world)
    now = time.time()
    first = daily(world, now)
    without(world, "log.db")
    world.memory().start_anew()
    world.memory().index()
    for day in range(1, 8):
        world.write(session(f"day-{day}"))
        world.memory().index()
        assert daily(world, now + day * DAY) is not None
    assert len(automatic_files(world.home)) == 4
    assert first is not None and PLAN.encode() in first.read_bytes()


def test_whatever_is_done_to_the_log_can_be_done_to_its_copies(world: World) -> None:
    make_home(world)
    made = daily(world, time.time())
    assert made is not None
    key = (world.home / "redaction.key").read_bytes()
    seen: list[int] = []
    assert change_copies(world.home, key, lambda log: seen.append(log.last_position())) == []
    assert seen == [read_info(made).events]
    check(made)


def test_a_missing_and_a_swapped_key_are_seen(world: World) -> None:
    make_home(world)
    key = (world.home / "redaction.key").read_bytes()
    made = daily(world, time.time())
    without(world, "redaction.key")
    assert any(where == "redaction.key" and "missing" in what for where, what in world.memory().verify(deep=True))
    assert not (world.home / "redaction.key").exists(), "who only reads makes none"
    (world.home / "redaction.key").write_bytes(b"x" * 32)
    ((where, what),) = world.memory().verify(deep=True)
    assert where == "redaction.key" and "not the key" in what
    assert "not the key" in axm(world, "doctor").stdout
    world.memory().backups.restore(made)
    assert (world.home / "redaction.key").read_bytes() == key
    assert world.memory().verify(deep=True) == []
