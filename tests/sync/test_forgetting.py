"""Forgetting reaches every machine, and each says that it has."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from axiommind.ids import canonical_json
from axiommind.log.syncing import SyncTables
from axiommind.sync.crypto import is_signed
from axiommind.sync.remotes import open_remote
from axiommind.sync.spaces import SharedSpace
from tests.notes import Notes
from tests.shell import axm
from tests.sync.homes import add, machine, paired, said, session, sync, texts
from tests.transcripts import PERSON, World

SECRET_PLAN = "the plan for the lighthouse"


@pytest.fixture
def three(tmp_path: Path) -> list[World]:
    worlds = paired(tmp_path, str(tmp_path / "remote"), "desk", "laptop", "tower")
    session(worlds[0], "s1", SECRET_PLAN)
    session(worlds[0], "s2", "something that stays")
    return worlds


def everything_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def certificate(world: World) -> dict[str, object]:
    done = axm(world, "forget", "--certificate", "--json")
    assert done.returncode in (0, 1), done.stderr
    return dict(json.loads(done.stdout))


def test_what_is_forgotten_on_one_machine_is_gone_on_all(three: list[World]) -> None:
    desk, laptop, tower = three
    sync(desk, laptop, tower)
    assert said(tower) == {SECRET_PLAN, "something that stays"}
    laptop.memory().forget(session="s1", caller=PERSON)
    sync(laptop, desk, tower)
    for world in three:
        assert said(world) == {"something that stays"}
        assert world.memory().verify() == []
        assert not world.memory().forgotten().held
        assert b"lighthouse" not in everything_of(world.home)
    assert texts(desk) == texts(laptop) == texts(tower)


def test_the_key_is_destroyed_and_a_new_machine_never_gets_the_text(three: list[World], tmp_path: Path) -> None:
    desk, laptop, tower = three
    sync(desk, laptop)
    kept = tmp_path / "backup of the remote"
    shutil.copytree(tmp_path / "remote", kept)
    desk.memory().forget(session="s1", caller=PERSON)
    sync(desk)
    with desk.memory().home.read_log() as (log, _key):
        (row,) = SyncTables(log).spaces()
        assert SyncTables(log).session_key(row.space, "s1") is None
        assert SyncTables(log).session_key(row.space, "s2") is not None
        origin = next(one.origin for one in log.origins.all() if one.id == 0)
    space = SharedSpace(row)
    names = [space.groups.name(origin, one) for one in ("s1", "s2")]
    remote, old = open_remote(str(tmp_path / "remote")), open_remote(str(kept))
    assert set(remote.keys(row.space, names)) == {names[1]}
    assert not (tmp_path / "remote" / "packs" / row.space / names[0]).exists()
    assert set(old.keys(row.space, names)) == set(names), "a copy that somebody made of the remote is theirs"
    (report,) = sync(tower)
    assert said(tower) == {"something that stays"} and not report.spaces[0].pulled.stopped
    assert b"lighthouse" not in everything_of(tower.home)


def test_a_machine_that_was_away_and_has_it_still_to_send(three: list[World]) -> None:
    """The desk has s1 from the laptop and forgets it, while the laptop writes more of it, offline."""
    desk, laptop, tower = three
    session(laptop, "shared", "begun on the laptop")
    sync(laptop, desk)
    session(laptop, "shared", "begun on the laptop", "gone on there, offline")
    desk.memory().forget(session="shared", caller=PERSON)
    sync(desk, laptop, tower, desk)
    for world in three:
        assert "gone on there, offline" not in said(world) and "begun on the laptop" not in said(world)
        assert b"gone on there, offline" not in everything_of(world.home)


def test_the_certificate_names_who_has_and_who_has_not(three: list[World]) -> None:
    desk, laptop, tower = three
    sync(desk, laptop, tower, desk)
    desk.memory().forget(session="s1", caller=PERSON)

    def names(world: World) -> tuple[set[str], set[str]]:
        (one,) = certificate(world)["forgettings"]  # type: ignore[misc]
        return {name for name, _ in one["done"]}, {name for name, _ in one["not_yet"]}

    assert names(desk) == (set(), {"desk", "laptop", "tower"})
    sync(desk)
    assert names(desk) == ({"desk"}, {"laptop", "tower"})
    sync(laptop, desk)
    assert names(desk) == names(laptop) == ({"desk", "laptop"}, {"tower"})
    status = axm(desk, "sync", "status").stdout
    assert "Not forgotten everywhere: s1" in status and "tower: not yet" in status
    sync(tower, desk, laptop)
    assert names(desk) == names(laptop) == ({"desk", "laptop", "tower"}, set())
    assert "Not forgotten" not in axm(desk, "sync", "status").stdout
    done = axm(desk, "forget", "--certificate")
    assert done.returncode == 0 and "tower: gone" in done.stdout


def test_a_certificate_is_signed(three: list[World]) -> None:
    desk, _, _ = three
    desk.memory().forget(session="s1", caller=PERSON)
    sync(desk)
    said_of = certificate(desk)
    said_of.pop("schema")
    made = bytes.fromhex(str(said_of.pop("signature")))
    text = b"axiommind certificate " + canonical_json(said_of).encode()
    assert is_signed(bytes.fromhex(str(said_of["public_key"])), text, made)
    assert not is_signed(bytes.fromhex(str(said_of["public_key"])), text.replace(b"s1", b"s2"), made)


def test_one_that_leaves_is_named(three: list[World]) -> None:
    desk, laptop, tower = three
    sync(desk, laptop, tower, desk)
    tower.memory().sync.remove(caller=PERSON)
    desk.memory().forget(session="s1", caller=PERSON)
    sync(desk, laptop, desk)
    (one,) = certificate(desk)["forgettings"]  # type: ignore[misc]
    assert one["left"] == ["tower"] and not one["not_yet"]


def test_a_project_is_forgotten_everywhere_with_what_comes_later(three: list[World]) -> None:
    desk, laptop, tower = three
    sync(desk, laptop)
    desk.memory().forget(project="/home/dev/weather", caller=PERSON)
    sync(desk, laptop)
    session(desk, "s9", "more of the project")
    sync(desk, laptop, tower)
    assert said(desk) == said(laptop) == said(tower) == set()


def test_taken_back_and_read_again(three: list[World]) -> None:
    desk, laptop, tower = three
    sync(desk, laptop)
    desk.memory().forget(session="s1", caller=PERSON)
    sync(desk, laptop)
    desk.memory().undo_forget(session="s1", caller=PERSON)
    sync(desk, laptop, tower)
    assert SECRET_PLAN in said(desk)
    assert SECRET_PLAN in said(laptop) and SECRET_PLAN in said(tower)


def test_forgotten_before_there_was_a_remote(tmp_path: Path) -> None:
    desk, laptop = machine(tmp_path, "desk"), machine(tmp_path, "laptop")
    session(desk, "s1", SECRET_PLAN)
    desk.memory().forget(session="s1", caller=PERSON)
    remote = str(tmp_path / "remote")
    add(laptop, remote, add(desk, remote))
    sync(desk, laptop)
    assert said(laptop) == set()
    assert b"lighthouse" not in everything_of(laptop.home)


def test_without_a_remote_there_is_no_certificate_of_others(world: World) -> None:
    session(world, "s1", SECRET_PLAN)
    world.memory().forget(session="s1", caller=PERSON)
    done = axm(world, "forget", "--certificate")
    assert done.returncode == 0 and "Proven gone" in done.stdout + done.stderr


def test_taken_back_before_anybody_heard_of_it(three: list[World]) -> None:
    desk, laptop, _ = three
    desk.memory().forget(session="s1", caller=PERSON)
    desk.memory().undo_forget(session="s1", caller=PERSON)
    sync(desk, laptop)
    assert SECRET_PLAN in said(laptop)


def test_another_machines_document_and_project_are_forgotten_there(three: list[World]) -> None:
    desk, laptop, tower = three
    notes = Notes(desk)
    notes.write("plan.md", "# Plan\n\nabout the lighthouse keeper\n")
    notes.add()
    sync(desk, laptop, tower)
    (document,) = [row[0] for row in laptop.rows("select id from documents")]
    laptop.memory().forget(document=document, caller=PERSON)
    tower.memory().forget(project="desk:/home/dev/weather", caller=PERSON)
    sync(laptop, tower, desk, laptop, tower)
    session(desk, "s9", "more of the project")
    sync(desk, laptop, tower)
    for world in three:
        assert said(world) == set()
        assert world.rows("select id from documents") == []
        assert b"lighthouse keeper" not in everything_of(world.home)
        assert world.memory().verify() == []


def test_taken_back_after_others_have_it_and_before_they_heard(three: list[World]) -> None:
    """Its text is under another key from then on."""
    desk, laptop, tower = three
    sync(desk)
    desk.memory().forget(session="s1", caller=PERSON)
    desk.memory().undo_forget(session="s1", caller=PERSON)
    sync(desk, laptop, tower)
    assert said(desk) == said(laptop) == said(tower) == {SECRET_PLAN, "something that stays"}
