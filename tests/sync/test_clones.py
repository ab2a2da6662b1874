"""The same home twice: copied to another machine, or brought back from a backup."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.sync.homes import machine, paired, said, session, sync, tables
from tests.transcripts import PERSON, World


def copied(world: World, base: Path, name: str) -> World:
    """The whole home, as somebody copies it to a new laptop; with the transcripts, or they would be missing."""
    copy = machine(base, name)
    shutil.copytree(world.home, copy.home)
    return copy


def test_a_copied_home_becomes_a_machine_of_its_own_and_nothing_is_lost(tmp_path: Path) -> None:
    desk, laptop = paired(tmp_path, str(tmp_path / "remote"), "desk", "laptop")
    session(desk, "s1", "said before the copy")
    sync(desk, laptop)
    copy = copied(desk, tmp_path, "copy")
    session(desk, "s2", "said on the desk")
    session(copy, "s3", "said on the copy")
    sync(desk)
    (report,) = sync(copy)
    assert "publishes as desk" in report.notes[0] and report.machine == "desk-2"
    assert not sync(copy)[0].notes, "said once"
    sync(desk, copy, laptop, desk, copy)
    everything = {"said before the copy", "said on the desk", "said on the copy"}
    assert said(desk) == said(copy) == said(laptop) == everything
    assert tables(desk) == tables(copy) == tables(laptop)
    for world in (desk, copy, laptop):
        assert world.memory().verify() == []


def test_copies_that_both_have_something_waiting(tmp_path: Path) -> None:
    desk, laptop = paired(tmp_path, str(tmp_path / "remote"), "desk", "laptop")
    session(desk, "s1", "waits to be sent")
    copy = copied(desk, tmp_path, "copy")
    session(copy, "s2", "said on the copy")
    sync(copy, desk, laptop, copy, desk)
    assert said(desk) == said(copy) == said(laptop) == {"waits to be sent", "said on the copy"}


def test_an_older_backup_that_is_brought_back(tmp_path: Path) -> None:
    desk, laptop = paired(tmp_path, str(tmp_path / "remote"), "desk", "laptop")
    session(desk, "s1", "in the backup")
    sync(desk, laptop)
    backup = tmp_path / "axm.backup"
    desk.memory().backups.make(backup)
    session(desk, "s2", "after the backup")
    sync(desk, laptop)
    desk.memory().backups.restore(backup)
    (desk.projects / "-home-dev-weather" / "s2.jsonl").unlink()
    session(desk, "s3", "after it was brought back")
    (report,) = sync(desk)
    assert report.notes and report.machine == "desk-2"
    sync(laptop, desk)
    everything = {"in the backup", "after the backup", "after it was brought back"}
    assert said(desk) == said(laptop) == everything
    assert tables(desk) == tables(laptop)


def test_a_backup_brought_back_on_another_machine_is_another_machine(tmp_path: Path) -> None:
    desk, laptop = paired(tmp_path, str(tmp_path / "remote"), "desk", "laptop")
    session(desk, "s1", "in the backup")
    sync(desk, laptop)
    backup = tmp_path / "axm.backup"
    desk.memory().backups.make(backup, with_key=True)
    new = machine(tmp_path, "new")
    new.memory().backups.restore(backup)
    session(new, "s2", "said on the new one")
    session(desk, "s3", "said on the desk")
    sync(new, desk, laptop, new)
    assert said(new) == said(desk) == said(laptop) == {"in the backup", "said on the new one", "said on the desk"}
    assert new.memory().sync.run(caller=PERSON).machine == "desk-2"
