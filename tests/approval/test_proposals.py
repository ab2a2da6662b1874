"""What an agent asks for waits for a person, and is done as the person's when they say yes."""

from __future__ import annotations

import json

import pytest

from axiommind.callers import AGENT
from axiommind.errors import BadQuery, NeedsPerson, PersonOnly
from axiommind.home import Scope
from axiommind.memory import Memory
from tests.learning.sessions import Session
from tests.shell import Done, axm
from tests.transcripts import AS_AGENT, PERSON, World

SECRET = "gh" + "p_" + "A1b2" * 9


@pytest.fixture
def learned(world: World) -> World:
    """A project in which one thing was said."""
    lines = Session("s1")
    lines.prompt("From now on, always use pnpm instead of npm in this project.")
    lines.answer("Understood.")
    world.write(lines)
    world.memory().index()
    world.memory().learning.run(extractor="rules")
    return world


def entry_of(world: World) -> str:
    return str(world.rows("select entry_id from entries order by id")[0][0])


def state(world: World) -> list[tuple[object, ...]]:
    return world.rows("select entry_id, stage, status, confidence from entries order by 1")


def as_agent(world: World, *args: str) -> Done:
    return axm(world, *args, **AS_AGENT)


def proposals(world: World, *args: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(axm(world, "proposal", "list", "--json", *args).stdout)["proposals"]
    return found


def test_an_agents_request_changes_nothing_and_says_so(learned: World) -> None:
    before, entry = state(learned), entry_of(learned)
    done = as_agent(learned, "deprecate", entry, "--reason", "it is wrong", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 3 and told["changed"] is False and told["next"] == "axm review"
    assert "nothing was changed" in done.stderr and "CLAUDECODE is set" in done.stderr and "axm review" in done.stderr
    assert state(learned) == before
    (waiting,) = proposals(learned)
    assert waiting["id"] == told["proposal"] and waiting["what"] == f"deprecate {entry}"
    assert waiting["asked_by"] == "Claude Code"


def test_the_same_request_is_one_proposal_whatever_its_reason(learned: World) -> None:
    entry = entry_of(learned)
    first = as_agent(learned, "deprecate", entry, "--reason", "wrong", "--json")
    again = as_agent(learned, "deprecate", entry[:12], "--reason", "in other words", "--json")
    assert json.loads(first.stdout)["proposal"] == json.loads(again.stdout)["proposal"]
    assert len(proposals(learned)) == 1


def test_confirming_does_what_the_person_would_have_done(learned: World) -> None:
    entry = entry_of(learned)
    as_agent(learned, "deprecate", entry, "--reason", "we moved on")
    (waiting,) = proposals(learned)
    done = axm(learned, "proposal", "confirm", str(waiting["id"]))
    assert done.returncode == 0, done.stderr
    assert learned.rows("select status from entries")[0] == ("deprecated",)
    assert learned.rows("select act, actor, reason from rulings") == [("deprecated", "user", "we moved on")]
    assert axm(learned, "proposal", "list").returncode == 1
    assert axm(learned, "proposal", "confirm", str(waiting["id"])).returncode == 1, "it is done"
    assert not learned.memory().verify()


def test_what_was_undone_later_can_be_asked_for_again(learned: World) -> None:
    entry = entry_of(learned)
    as_agent(learned, "deprecate", entry, "--reason", "one")
    axm(learned, "proposal", "confirm", str(proposals(learned)[0]["id"]))
    axm(learned, "deprecate", entry, "--undo")
    assert as_agent(learned, "deprecate", entry, "--reason", "two").returncode == 3
    assert len(proposals(learned)) == 1 and len(proposals(learned, "--all")) == 2


def test_declining_is_remembered_and_the_same_is_not_asked_again(learned: World) -> None:
    before, entry = state(learned), entry_of(learned)
    as_agent(learned, "deprecate", entry, "--reason", "wrong")
    name = str(proposals(learned)[0]["id"])
    assert axm(learned, "proposal", "decline", name, "--reason", "it holds").returncode == 0
    again = as_agent(learned, "deprecate", entry, "--reason", "please")
    assert again.returncode == 1 and "a person declined this before" in again.stderr
    assert axm(learned, "proposal", "list").returncode == 1 and state(learned) == before
    (shown,) = proposals(learned, "--all")
    assert (shown["status"], shown["decline_reason"]) == ("declined", "it holds")
    assert axm(learned, "proposal", "confirm", name).returncode == 0, "a person may change their mind"


def test_only_a_person_decides_a_proposal(learned: World) -> None:
    as_agent(learned, "deprecate", entry_of(learned), "--reason", "wrong")
    name = str(proposals(learned)[0]["id"])
    before = state(learned)
    for words in (("proposal", "confirm", name, "--yes"), ("proposal", "decline", name), ("review",)):
        done = as_agent(learned, *words)
        assert done.returncode == 1 and "taken for an agent" in done.stderr
    memory = Memory(learned.memory().config, environ=learned.environ)
    with pytest.raises(PersonOnly):
        memory.proposals.confirm(name)
    with pytest.raises(PersonOnly):
        memory.proposals.decline(name, caller=AGENT)
    assert state(learned) == before and len(proposals(learned)) == 1


def test_yes_from_an_agent_is_no_yes_and_a_person_without_a_terminal_needs_it(learned: World) -> None:
    done = as_agent(learned, "forget", "--session", "s1", "--yes")
    assert done.returncode == 3 and learned.one("select count(*) from sessions") == 1
    (waiting,) = proposals(learned)
    assert waiting["cannot_be_undone"] and waiting["what"] == "forget session s1"
    needs = axm(learned, "forget", "--session", "s1")
    assert needs.returncode == 2 and "--yes goes ahead" in needs.stderr
    assert axm(learned, "proposal", "confirm", str(waiting["id"])).returncode == 2
    assert axm(learned, "proposal", "confirm", str(waiting["id"]), "--yes").returncode == 0
    assert learned.one("select count(*) from sessions") == 0
    assert not learned.memory().verify()


def test_a_review_asks_about_proposals_first_one_key_each(learned: World) -> None:
    entry = entry_of(learned)
    as_agent(learned, "deprecate", entry, "--reason", "wrong")
    as_agent(learned, "forget", "--session", "s1")
    done = axm(learned, "review", stdin="ns")
    assert done.returncode == 0 and "0 confirmed, 1 declined" in done.stderr
    assert f"Deprecate {entry}" in done.stdout and "Because: wrong" in done.stdout and "pnpm" in done.stdout
    axm(learned, "review", stdin="yx")
    assert learned.one("select count(*) from sessions") == 1, "what cannot be undone takes a second y"
    assert "1 confirmed" in axm(learned, "review", stdin="yy").stderr
    assert learned.one("select count(*) from sessions") == 0


def test_start_and_doctor_say_that_something_waits(learned: World) -> None:
    as_agent(learned, "forget", "--session", "s1")
    assert "1 proposal of an agent waits for you: axm review" in axm(learned, "start").stdout
    assert "1 proposal of an agent waits for you: axm review" in axm(learned, "doctor").stdout


def test_a_proposal_holds_no_secret_and_goes_with_what_it_is_about(learned: World) -> None:
    as_agent(learned, "deprecate", entry_of(learned), "--reason", f"it uses {SECRET} and xylophones")
    assert SECRET not in json.dumps(proposals(learned)) and "xylophones" in json.dumps(proposals(learned))
    axm(learned, "forget", "--session", "s1", "--yes")
    assert axm(learned, "proposal", "list", "--all").returncode == 1
    for file in (learned.home / "log.db", learned.home / "index.db"):
        assert b"xylophones" not in file.read_bytes()
    before = learned.rows("select * from proposals")
    learned.memory().rebuild()
    assert learned.rows("select * from proposals") == before == []


def test_proposals_are_the_same_after_a_rebuild(learned: World) -> None:
    entry = entry_of(learned)
    as_agent(learned, "deprecate", entry, "--reason", "a")
    as_agent(learned, "contest", entry, "--reason", "b")
    axm(learned, "proposal", "decline", str(proposals(learned)[0]["id"]), "--reason", "no")
    before = learned.rows("select * from proposals order by 1")
    learned.memory().rebuild()
    assert learned.rows("select * from proposals order by 1") == before and len(before) == 2
    assert not learned.memory().verify()


def test_a_request_that_makes_no_sense_is_no_proposal(learned: World) -> None:
    assert as_agent(learned, "deprecate", "ent_nobody", "--reason", "x").returncode == 1
    assert as_agent(learned, "forget", "--session", "nobody", "--yes").returncode == 1
    assert as_agent(learned, "supersede", entry_of(learned), "--by", entry_of(learned), "--reason", "x").returncode == 1
    assert axm(learned, "proposal", "list").returncode == 1


def test_what_makes_no_sense_any_more_stays_open_and_says_why(learned: World) -> None:
    entry = entry_of(learned)
    as_agent(learned, "deprecate", entry, "--reason", "x")
    axm(learned, "deprecate", entry, "--reason", "the person was quicker")
    done = axm(learned, "review", stdin="yn")
    assert "Not done" in done.stderr and "already" in done.stderr and "1 declined" in done.stderr


def test_the_library_takes_everybody_for_an_agent_who_says_nothing(learned: World) -> None:
    memory = Memory(learned.memory().config, environ=learned.environ)
    entry = entry_of(learned)
    with pytest.raises(NeedsPerson) as asked:
        memory.entries.rule(entry, "deprecated", "x")
    assert memory.proposals.count(Scope(None)) == 1
    assert memory.proposals.confirm(asked.value.proposal, caller=PERSON).result.status == "deprecated"
    with pytest.raises(BadQuery):
        memory.proposals.decline(asked.value.proposal, caller=PERSON)


def test_pruning_and_taking_documents_out_are_proposals_too(learned: World) -> None:
    notes = learned.base / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Tea\n\nGreen tea at noon.\n", encoding="utf-8")
    assert as_agent(learned, "kb", "add", str(notes)).returncode == 0
    assert as_agent(learned, "kb", "remove", str(notes)).returncode == 3
    assert learned.one("select count(*) from documents") == 1
    learned.path("s1").unlink()
    assert as_agent(learned, "index", "--prune").returncode == 3
    assert learned.one("select count(*) from sessions") == 1
    assert axm(learned, "review", stdin="yy", cwd=learned.base).returncode == 0
    assert learned.one("select count(*) from documents") == learned.one("select count(*) from sessions") == 0
