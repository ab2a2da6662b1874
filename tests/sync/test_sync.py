"""Two machines and a folder: what one records, the other knows."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from axiommind.errors import AxmError, PersonOnly, UsageError
from axiommind.log.syncing import SyncTables
from axiommind.sync.phrases import new_phrase, parse_phrase
from tests.shell import axm
from tests.sync.homes import add, machine, paired, said, session, sync, tables, texts
from tests.transcripts import AS_AGENT, PERSON, World


@pytest.fixture
def two(tmp_path: Path) -> tuple[World, World]:
    desk, laptop = paired(tmp_path, str(tmp_path / "remote"), "desk", "laptop")
    return desk, laptop


def test_what_one_machine_records_the_other_knows(two: tuple[World, World]) -> None:
    desk, laptop = two
    session(desk, "s1", "make the radar show rain")
    session(laptop, "s2", "teach the barometer to fall")
    sync(desk, laptop, desk)
    assert said(desk) == said(laptop) == {"make the radar show rain", "teach the barometer to fall"}
    assert tables(desk) == tables(laptop)
    assert texts(desk) == texts(laptop)


def test_again_with_nothing_new_nothing_moves(two: tuple[World, World]) -> None:
    desk, laptop = two
    session(desk, "s1", "make the radar show rain")
    sync(desk, laptop, desk, laptop)
    assert not any(report.moved for report in sync(desk, laptop, desk))
    assert desk.memory().verify() == laptop.memory().verify() == []


def test_a_session_that_grows_comes_in_pieces(two: tuple[World, World]) -> None:
    desk, laptop = two
    for prompts in (["one"], ["one", "two"], ["one", "two", "three"]):
        session(desk, "s1", *prompts)
        sync(desk, laptop)
        assert said(laptop) == set(prompts)


def test_a_third_machine_gets_everything_there_is(two: tuple[World, World], tmp_path: Path) -> None:
    desk, laptop = two
    session(desk, "s1", "make the radar show rain")
    session(laptop, "s2", "teach the barometer to fall")
    sync(desk, laptop)
    phrase = laptop.memory().sync.phrase(caller=PERSON).phrase
    tower = machine(tmp_path, "tower")
    add(tower, str(tmp_path / "remote"), phrase)
    sync(tower)
    assert said(tower) == {"make the radar show rain", "teach the barometer to fall"}


def test_months_offline_and_caught_up(two: tuple[World, World]) -> None:
    desk, laptop = two
    for day in range(30):
        session(desk, f"day{day}", f"what of day {day}")
        sync(desk)
    session(laptop, "away", "written on a train")
    sync(laptop, desk)
    assert said(laptop) == said(desk) == {"written on a train", *(f"what of day {day}" for day in range(30))}


def test_sessions_of_another_machine_say_so(two: tuple[World, World]) -> None:
    desk, laptop = two
    session(desk, "s1", "make the radar show rain")
    sync(desk, laptop)
    done = axm(laptop, "search", "radar", "--all-projects")
    assert "desk:/home/dev/weather" in done.stdout
    assert "laptop:" not in done.stdout


# --- pairing --------------------------------------------------------------------------------------------------


def test_a_phrase_reads_back_and_notices_a_wrong_word() -> None:
    phrase = new_phrase()
    assert parse_phrase(phrase.words.upper().replace(" ", "-")) == phrase
    words = phrase.words.split()
    with pytest.raises(UsageError, match="12 words"):
        parse_phrase(" ".join(words[:11]))
    with pytest.raises(UsageError, match="word 3"):
        parse_phrase(" ".join([*words[:2], "xylophone", *words[3:]]))
    other = next(one for one in ("abandon", "ability", "able", "about") if one != words[11])
    wrong = 0
    for last in ("abandon", "ability", "able", "about", "above", "absent", "absorb", "abstract"):
        try:
            wrong += parse_phrase(" ".join([*words[:11], last])) != phrase
        except UsageError:
            wrong += 1
    assert wrong >= 7 and other


def test_a_phrase_lets_one_machine_in(two: tuple[World, World], tmp_path: Path) -> None:
    remote = str(tmp_path / "remote")
    phrase = two[0].memory().sync.phrase(caller=PERSON).phrase
    add(machine(tmp_path, "third"), remote, phrase)
    with pytest.raises(UsageError, match="let third in already"):
        add(machine(tmp_path, "fourth"), remote, phrase)


def test_a_phrase_to_keep_lets_any_number_in(two: tuple[World, World], tmp_path: Path) -> None:
    phrase = two[0].memory().sync.phrase(keep=True, caller=PERSON).phrase
    for name in ("third", "fourth"):
        add(machine(tmp_path, name), str(tmp_path / "remote"), phrase)


def test_a_phrase_of_somewhere_else_opens_nothing(tmp_path: Path) -> None:
    add(machine(tmp_path, "desk"), str(tmp_path / "remote"))
    with pytest.raises(UsageError, match="nobody invites"):
        add(machine(tmp_path, "stranger"), str(tmp_path / "remote"), new_phrase().words)


def test_the_second_machine_marks_secrets_as_the_first_does(two: tuple[World, World]) -> None:
    desk, laptop = two
    keys = [(world.home / "redaction.key").read_bytes() for world in two]
    assert keys[0] == keys[1]
    secret = "gh" + "p_" + "A1b2C3d4" * 4 + "E5f6"
    session(desk, "s1", f"use {secret}")
    session(laptop, "s2", f"use {secret}")
    sync(desk, laptop)
    assert len(said(laptop)) == 1, "one mark for one secret"


def test_a_machine_that_has_recorded_keeps_its_own_marks(tmp_path: Path) -> None:
    desk, laptop = machine(tmp_path, "desk"), machine(tmp_path, "laptop")
    session(laptop, "s1", "recorded before")
    before = (laptop.home / "redaction.key").read_bytes()
    phrase = add(desk, str(tmp_path / "remote"))
    added = laptop.memory().sync.add(str(tmp_path / "remote"), join=phrase, name="laptop", caller=PERSON)
    assert "its own redaction marks" in added.notes[0]
    assert (laptop.home / "redaction.key").read_bytes() == before
    sync(laptop, desk)
    assert said(desk) == {"recorded before"}


def test_a_remote_holds_nothing_that_can_be_read(two: tuple[World, World], tmp_path: Path) -> None:
    session(two[0], "s-with-a-name", "make the radar show rain")
    sync(two[0])
    everything = b"".join(
        str(path.relative_to(tmp_path)).encode() + path.read_bytes()
        for path in (tmp_path / "remote").rglob("*")
        if path.is_file()
    )
    for word in (b"radar", b"s-with-a-name", b"weather", b"desk", b"/home", b"transcript_segment"):
        assert word not in everything


# --- the command ----------------------------------------------------------------------------------------------


def test_only_a_person_shares_what_is_recorded(two: tuple[World, World], tmp_path: Path) -> None:
    desk, _ = two
    for words in (["add", str(tmp_path / "mine")], ["phrase"], ["remove"], []):
        done = axm(desk, "sync", *words, **AS_AGENT)
        assert done.returncode == 1 and "taken for an agent" in done.stderr
    assert axm(desk, "sync", "status", **AS_AGENT).returncode == 0
    assert axm(desk, "sync", AXM_SYNC_MINUTES="5", **AS_AGENT).returncode == 0, "told to, by the settings"
    with pytest.raises(PersonOnly):
        desk.memory().sync.run(caller=desk.memory().home.caller._replace(is_person=False))


def test_without_a_remote_there_is_nothing_to_sync(world: World) -> None:
    world.home.mkdir()
    done = axm(world, "sync")
    assert done.returncode == 2 and "axm sync add URL" in done.stderr
    assert axm(world, "sync", "status").returncode == 1


def test_a_remote_that_is_away_is_said_and_waits(two: tuple[World, World], tmp_path: Path) -> None:
    desk, laptop = two
    session(desk, "s1", "make the radar show rain")
    (tmp_path / "remote").rename(tmp_path / "unplugged")
    done = axm(desk, "sync")
    assert done.returncode == 3 and "is the disk mounted" in done.stderr
    assert not (tmp_path / "remote").exists(), "nothing was made in its place"
    (tmp_path / "unplugged").rename(tmp_path / "remote")
    sync(desk, laptop)
    assert said(laptop) == {"make the radar show rain"}


def test_leaving_and_coming_back(two: tuple[World, World], tmp_path: Path) -> None:
    desk, laptop = two
    session(desk, "s1", "make the radar show rain")
    sync(desk, laptop)
    assert axm(laptop, "sync", "remove").returncode == 0
    assert "syncs no more" in axm(desk, "sync", "status").stdout
    assert said(laptop) == {"make the radar show rain"}, "what came stays"
    session(laptop, "s2", "written while away")
    phrase = desk.memory().sync.phrase(caller=PERSON).phrase
    add(laptop, str(tmp_path / "remote"), phrase)
    sync(laptop, desk)
    assert said(desk) == {"make the radar show rain", "written while away"}


def test_two_remotes_of_one_machine_bring_everything_once(two: tuple[World, World], tmp_path: Path) -> None:
    desk, laptop = two
    other = str(tmp_path / "other")
    add(laptop, other, add(desk, other))
    session(desk, "s1", "make the radar show rain")
    sync(desk, laptop)
    with laptop.memory().home.read_log() as (log, _key):
        assert len({one.space for one in SyncTables(log).spaces()}) == 2
        events = [one.event_id for one in log.replay() if one.origin]
    assert len(events) == len(set(events)) and said(laptop) == {"make the radar show rain"}


def test_a_remote_that_was_emptied_gets_everything_again(two: tuple[World, World], tmp_path: Path) -> None:
    desk, laptop = two
    session(desk, "s1", "make the radar show rain")
    sync(desk, laptop)
    shutil.rmtree(tmp_path / "remote" / "seg")
    report = desk.memory().sync.run(caller=PERSON)
    assert "emptied, or restored" in report.spaces[0].error
    add(desk, str(tmp_path / "remote"))
    tower = machine(tmp_path, "tower")
    add(tower, str(tmp_path / "remote"), desk.memory().sync.phrase(caller=PERSON).phrase)
    sync(desk, laptop, tower)
    assert said(tower) == {"make the radar show rain"}
    assert tables(laptop) == tables(desk), "what it knew already is there once"


def test_a_remote_is_added_once(two: tuple[World, World], tmp_path: Path) -> None:
    with pytest.raises(AxmError, match="added already"):
        add(two[0], str(tmp_path / "remote"))


def test_whose_sessions_they_are_is_said_everywhere(two: tuple[World, World]) -> None:
    desk, laptop = two
    session(desk, "s1", "make the radar show rain")
    sync(desk, laptop)
    for words in (
        ["search", "radar", "--all-projects"],
        ["search", "radar", "--all-projects", "--json"],
        ["query", "--perspective", "sessions", "--all-projects"],
        ["sources"],
        ["start"],
    ):
        done = axm(laptop, *words)
        assert "desk" in done.stdout + done.stderr, words
        assert "claude --resume" not in done.stdout, f"it is not on this machine: {words}"
    assert "claude --resume" in axm(desk, "query", "--perspective", "sessions", "--all-projects").stdout
