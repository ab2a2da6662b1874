"""A team: what one person shares the others read, and nothing else; what is taken back is gone everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from axiommind.callers import AGENT
from axiommind.config import Config
from axiommind.errors import NotFound, PersonOnly, UsageError
from axiommind.home import Scope
from axiommind.log.syncing import SyncTables
from axiommind.memory import Memory
from axiommind.sync.machine import read_machine
from axiommind.sync.remotes import open_remote
from axiommind.sync.spaces import SharedSpace, members_of
from tests.repositories import repository
from tests.shell import axm
from tests.sync.homes import add, machine, said, session, sync, texts
from tests.transcripts import PERSON, Lines, World


def team_of(base: Path, *names: str) -> list[World]:
    """People of one team, each with a machine of their own; the first one made it."""
    url = str(base / "team")
    people = [machine(base, name) for name in names]
    first, *others = people
    first.memory().teams.create("radar", url, who=first.base.name, machine=f"{first.base.name}s-desk", caller=PERSON)
    for other in others:
        come_in(first, other)
    return people


def come_in(founder: World, other: World, who: str | None = None) -> None:
    name = who or other.base.name
    invited = founder.memory().teams.invite("radar", name, caller=PERSON)
    other.memory().teams.join(invited.remote, invited.phrase, machine=f"{other.base.name}s-desk", caller=PERSON)


@pytest.fixture
def two(tmp_path: Path) -> tuple[World, World]:
    ana, kim = team_of(tmp_path, "ana", "kim")
    return ana, kim


def share(world: World, **what: str) -> None:
    world.memory().teams.share(**what, caller=PERSON)  # type: ignore[arg-type]


def test_nothing_is_shared_by_being_in_a_team(two: tuple[World, World], tmp_path: Path) -> None:
    ana, kim = two
    session(ana, "s1", "the salary of kim is zanzibarquux")
    sync(ana, kim)
    assert said(kim) == set()
    remote = b"".join(path.read_bytes() for path in (tmp_path / "team").rglob("*") if path.is_file())
    assert b"zanzibarquux" not in remote and not list((tmp_path / "team").rglob("packs/*/*/*"))


def test_a_session_that_is_shared_is_read_by_the_others_and_no_other(two: tuple[World, World]) -> None:
    ana, kim = two
    session(ana, "s1", "make the radar show rain")
    session(ana, "s2", "a private matter")
    sync(ana)
    share(ana, session="s1")
    sync(ana, kim)
    assert said(kim) == {"make the radar show rain"}
    session(ana, "s1", "make the radar show rain", "and snow")
    session(ana, "s2", "a private matter", "and another")
    sync(ana, kim)
    assert said(kim) == {"make the radar show rain", "and snow"}
    assert kim.memory().verify() == []


def test_a_project_that_is_shared_takes_what_comes_along(two: tuple[World, World]) -> None:
    ana, kim = two
    session(ana, "s1", "one")
    write_elsewhere(ana, "other", "elsewhere")
    share(ana, project="/home/dev/weather")
    sync(ana, kim)
    session(ana, "s2", "two")
    sync(ana, kim)
    assert said(kim) == {"one", "two"}


def write_elsewhere(world: World, name: str, prompt: str) -> None:
    lines = Lines(name, cwd="/home/dev/elsewhere")
    lines.prompt(prompt)
    lines.answer("Done.")
    world.write(lines, folder="-home-dev-elsewhere")
    world.memory().index()


def test_whose_it_is_is_said_everywhere(two: tuple[World, World]) -> None:
    ana, kim = two
    session(ana, "s1", "make the radar show rain")
    share(ana, session="s1")
    sync(ana, kim)
    found = axm(kim, "search", "radar", "--all-projects").stdout
    assert "ana@anas-desk:/home/dev/weather" in found
    assert kim.rows("select id from sessions") == [("s1@ana",)]


def test_what_is_taken_back_is_gone_there_and_stays_here(two: tuple[World, World], tmp_path: Path) -> None:
    ana, kim = two
    session(ana, "s1", "make the radar show rain")
    session(ana, "s2", "and the barometer")
    share(ana, session="s1")
    share(ana, session="s2")
    sync(ana, kim)
    assert len(said(kim)) == 2 and texts(kim)
    ana.memory().teams.unshare(session="s1", caller=PERSON)
    sync(ana, kim)
    assert said(kim) == {"and the barometer"}
    assert said(ana) == {"make the radar show rain", "and the barometer"}
    assert len(list((tmp_path / "team").rglob("keys/*/*"))) == 1, "the key of the other session is there still"
    assert kim.memory().verify() == ana.memory().verify() == []
    session(ana, "s1", "make the radar show rain", "and more")
    sync(ana, kim)
    assert said(kim) == {"and the barometer"}


def test_a_project_that_was_taken_back_and_shared_again_goes_on(two: tuple[World, World]) -> None:
    ana, kim = two
    session(ana, "s1", "one")
    share(ana, project="/home/dev/weather")
    sync(ana, kim)
    ana.memory().teams.unshare(project="/home/dev/weather", caller=PERSON)
    sync(ana, kim)
    session(ana, "s2", "two")
    sync(ana, kim)
    assert said(kim) == set()
    share(ana, project="/home/dev/weather")
    session(ana, "s3", "three")
    sync(ana, kim)
    assert said(kim) == {"two", "three"}


def test_what_is_forgotten_is_forgotten_by_the_team(two: tuple[World, World]) -> None:
    ana, kim = two
    session(ana, "s1", "make the radar show rain")
    write_elsewhere(ana, "p1", "never shared")
    share(ana, session="s1")
    sync(ana, kim)
    ana.memory().forget(session="p1", caller=PERSON)
    ana.memory().forget(session="s1", caller=PERSON)
    sync(ana, kim, ana)
    assert said(kim) == set()
    with kim.memory().home.read_log() as (log, _key):
        told = [event.payload["sessions"] for event in log.replay(["forgotten"])]
    assert told == [["s1@ana"]], "of what nobody shared nothing is told, not even that it is forgotten"


def test_what_is_forgotten_with_what_nobody_shared_is_gone_too(two: tuple[World, World]) -> None:
    ana, kim = two
    session(ana, "s1", "make the radar show rain")
    session(ana, "s2", "private")
    share(ana, session="s1")
    sync(ana, kim)
    ana.memory().forget(project="/home/dev/weather", caller=PERSON)
    sync(ana, kim)
    assert said(kim) == set()
    with kim.memory().home.read_log() as (log, _key):
        assert "s2" not in json.dumps([event.payload for event in log.replay()])


def test_the_certificate_names_whom_it_was_told(two: tuple[World, World], tmp_path: Path) -> None:
    ana, kim = two
    session(ana, "s1", "make the radar show rain")
    session(ana, "s2", "private")
    share(ana, session="s1")
    sync(ana, kim)
    ana.memory().forget(session="s2", caller=PERSON)
    ana.memory().teams.unshare(session="s1", caller=PERSON)
    sync(ana)
    private, shared = ana.memory().sync.certificate()["forgettings"]
    assert private["sessions"] == ["s2"] and not private["not_yet"], "kim never had it"
    assert shared["sessions"] == ["s1"] and [name for name, _ in shared["not_yet"]] == ["kim@kims-desk"]
    sync(kim, ana)
    shared = ana.memory().sync.certificate()["forgettings"][1]
    assert not shared["not_yet"] and [name for name, _ in shared["done"]] == ["kim@kims-desk"]


def test_a_mate_can_forget_nothing_of_mine(two: tuple[World, World]) -> None:
    ana, kim = two
    session(ana, "s1", "make the radar show rain")
    share(ana, session="s1")
    sync(ana, kim)
    with pytest.raises(NotFound):
        kim.memory().teams.unshare(session="s1", caller=PERSON)
    kim.memory().forget(session="s1@ana", caller=PERSON)
    sync(kim, ana)
    assert said(ana) == {"make the radar show rain"} and said(kim) == set()


def test_what_a_person_said_of_entries_stays_at_home(two: tuple[World, World]) -> None:
    ana, kim = two
    lines = Lines("s1")
    lines.prompt("From now on, never push to main without asking me.")
    lines.answer("Understood.")
    ana.write(lines)
    ana.memory().index()
    ana.memory().learning.run()
    (name,) = [row[0] for row in ana.rows("select entry_id from entries")][:1]
    ana.memory().entries.promote(name, "the team agreed", "certified", caller=PERSON)
    share(ana, session="s1")
    sync(ana, kim)
    with kim.memory().home.read_log() as (log, _key):
        assert not list(log.replay(["promoted"]))
    stages = kim.rows("select stage from entries")
    assert stages and not {stage for (stage,) in stages} & {"verified", "certified"}


def test_only_the_founder_lets_people_in(two: tuple[World, World]) -> None:
    _ana, kim = two
    with pytest.raises(UsageError, match="only ana lets people"):
        kim.memory().teams.invite("radar", "bob", caller=PERSON)
    assert kim.memory().teams.invite("radar", "kim", caller=PERSON).phrase


def test_a_name_that_nobody_gave_counts_for_nothing(two: tuple[World, World], tmp_path: Path) -> None:
    """Kim has the team's key, and writes a card that says that this machine is bob's, then that it is ana's."""
    ana, kim = two
    session(kim, "k1", "I am ana")
    share(kim, session="k1")
    sync(kim)
    with kim.memory().home.open_log() as (log, _key):
        space = SharedSpace(SyncTables(log).spaces()[0])
        me = read_machine(kim.memory().home.config.home, log)
        assert me is not None
        remote = open_remote(space.row.remote)
        for name in ("bob", "ana"):
            space.put_member(remote, me._replace(who=name))
            members, wrong = members_of(remote, space)
            assert [one.who for one in members] == ["ana"] and f"as {name}" in wrong[0]
    (report,) = sync(ana)
    assert any("nobody let in" in one for one in report.spaces[0].problems) and said(ana) == set()


def test_who_is_removed_gets_nothing_new(tmp_path: Path) -> None:
    ana, kim, bob = team_of(tmp_path, "ana", "kim", "bob")
    session(ana, "s1", "one")
    share(ana, project="/home/dev/weather")
    sync(ana, kim, bob)
    ana.memory().teams.remove("radar", "bob", caller=PERSON)
    session(ana, "s2", "two")
    sync(ana, kim)
    assert said(kim) == {"one", "two"}
    bob.memory().sync.run(caller=PERSON)
    assert said(bob) == {"one"}
    session(kim, "k1", "of kim")
    share(kim, session="k1")
    sync(kim, ana)
    assert "of kim" in said(ana)


def test_two_machines_of_mine_beside_the_team(two: tuple[World, World], tmp_path: Path) -> None:
    """What goes through one's own space and the team's is there once, and taking it back takes nothing from oneself."""
    ana, kim = two
    phrase = add(ana, str(tmp_path / "own"))
    laptop = machine(tmp_path, "laptop")
    add(laptop, str(tmp_path / "own"), phrase)
    come_in(ana, laptop, "ana")
    session(ana, "s1", "make the radar show rain")
    share(ana, session="s1")
    sync(ana, laptop, kim)
    assert said(laptop) == said(kim) == {"make the radar show rain"}
    ana.memory().teams.unshare(everything=True, caller=PERSON)
    sync(ana, laptop, kim)
    assert said(laptop) == {"make the radar show rain"} and said(kim) == set()


def test_an_agent_shares_nothing(two: tuple[World, World]) -> None:
    ana, _kim = two
    session(ana, "s1", "make the radar show rain")
    with pytest.raises(PersonOnly):
        ana.memory().teams.share(session="s1", caller=AGENT)
    with pytest.raises(PersonOnly):
        ana.memory().teams.invite("radar", "eve", caller=AGENT)


def test_leaving_asks_for_taking_back_first(two: tuple[World, World]) -> None:
    ana, kim = two
    session(kim, "k1", "of kim")
    share(kim, session="k1")
    with pytest.raises(UsageError, match="share with radar still"):
        kim.memory().teams.leave("radar", caller=PERSON)
    kim.memory().teams.unshare(everything=True, caller=PERSON)
    assert kim.memory().teams.leave("radar", caller=PERSON) == "radar"
    assert kim.memory().teams.all() == []
    assert ana.memory().teams.show("radar").is_founder


def test_by_the_command_line(tmp_path: Path) -> None:
    ana, kim = machine(tmp_path, "ana"), machine(tmp_path, "kim")
    url = str(tmp_path / "team")
    session(ana, "s1", "make the radar show rain")
    session(kim, "k1", "of kim")
    assert axm(ana, "team", "list").returncode == 1
    assert axm(ana, "team", "create", "radar", url, "--as", "ana", "--machine", "desk").returncode == 0
    phrase = axm(ana, "team", "add", "radar", "kim").stdout.strip()
    assert axm(kim, "team", "join", url, phrase, "--machine", "mac").returncode == 0
    assert "this phrase let mac in already" in axm(kim, "team", "join", url, phrase).stderr
    assert "from the next axm sync" in axm(ana, "share", "--session", "s1").stderr
    assert axm(ana, "share", "--session", "s1").stderr.strip().endswith("already.")
    for world in (ana, kim):
        assert axm(world, "sync").returncode == 0
    shown = axm(ana, "team", "show", "radar").stdout
    assert "kim (mac): seen just now" in shown and "the session s1" in shown
    (listed,) = json.loads(axm(kim, "team", "list", "--json").stdout)["teams"]
    assert listed["who"] == "kim" and {one["who"] for one in listed["members"]} == {"ana", "kim"}
    assert axm(ana, "unshare", "--all").returncode == 0 and axm(ana, "unshare", "--all").returncode == 1


REPOSITORY = "git@github.com:team/weather.git"


def work_in(world: World, name: str, folder: Path, *prompts: str) -> None:
    lines = Lines(name, cwd=str(folder))
    for prompt in prompts:
        lines.prompt(prompt)
        lines.answer("Done.")
    world.write(lines)
    world.memory().index()


def test_every_clone_of_a_repository_is_shared(two: tuple[World, World], tmp_path: Path) -> None:
    ana, kim = two
    for name in ("one", "two"):
        work_in(ana, name, repository(tmp_path / "ana" / "src" / name, REPOSITORY), f"in {name}")
    work_in(kim, "k1", repository(tmp_path / "kim" / "weather", REPOSITORY), "of kim")
    share(ana, project="team/weather")
    sync(ana, kim)
    assert said(kim) == {"in one", "in two", "of kim"}
    assert len({row[0] for row in kim.rows("select project from sessions")}) == 1, "it is one project"
    ana.memory().teams.unshare(project="team/weather", caller=PERSON)
    sync(ana, kim)
    assert said(kim) == {"of kim"}


@pytest.mark.parametrize("wanted", ["", "1"])
def test_agents_are_told_of_team_mates_only_where_a_person_wants_it(
    two: tuple[World, World], tmp_path: Path, wanted: str
) -> None:
    ana, kim = two
    ask = "Which parser do we use for the radar frames, and why?"
    wish = "From now on, always use the zanzibar parser for the radar frames, because the old one drops rows."
    work_in(ana, "a1", repository(tmp_path / "ana" / "weather", REPOSITORY), wish)
    ana.memory().learning.run()
    mine = repository(tmp_path / "kim" / "weather", REPOSITORY)
    work_in(kim, "k1", mine, "please paint the sky blue")
    share(ana, project="team/weather")
    sync(ana, kim)
    kim.memory().learning.run()
    assert kim.memory().search("zanzibar parser", Scope(None)).hits, "who searches finds it"
    memory = Memory(Config.load(kim.environ | {"AXM_TEAMMATES": wanted}), environ=kim.environ, user=kim.base)
    told = memory.recall(ask, str(mine))
    assert (told is not None and "zanzibar" in str(told)) == bool(wanted)
