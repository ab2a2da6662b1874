"""Remembering: a claim of an agent's or a person's own, held to what was said."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from axiommind.config import Config
from axiommind.errors import BadQuery, NeedsPerson, NotFound
from axiommind.learning.confirmation import says_the_same
from axiommind.learning.trust import PRIOR, wilson
from axiommind.memory import Memory, Scope
from axiommind.projections.entry_rows import EntryRow
from tests.learning.sessions import Session
from tests.shell import axm
from tests.transcripts import START, World

ALL = Scope(None)
QUOTE = "the staging database is rebuilt every night"
SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"


@pytest.fixture
def talk(world: World) -> World:
    session = Session("talk")
    session.prompt(f"Careful: {QUOTE}, so put nothing there that has to stay.")
    session.answer("Understood. I keep the fixtures in the repository. Nothing is stored on staging any more.")
    session.use("Bash", "error: relation orders does not exist", error=True, command="psql -c 'select 1 from orders'")
    session.prompt(f"The deploy token is {SECRET} and it is read by the release job.")
    world.write(session)
    other = Session("other")
    other.prompt("Weekly reports are sent on Mondays, please keep it so.")
    world.write(other)
    world.memory().index()
    return world


def inside(world: World, session: str = "talk") -> Memory:
    """The memory as a client of the agent sees it."""
    environ = world.environ | {
        "CLAUDECODE": "1",
        "CLAUDE_CODE_SESSION_ID": session,
        "CLAUDE_PROJECT_DIR": "/home/dev/weather",
    }
    return Memory(Config.load(environ), environ=environ, user=world.base)


def tables(world: World) -> list[Any]:
    names = ("entries", "promotions", "conflicts", "checks", "passages", "rulings")
    return [world.rows(f"select * from {name} order by 1") for name in names]


def found_id(world: World, words: str) -> str:
    return world.memory().recall.index(words, ALL, top_k=1, min_score=0.0)[0].id


def words_of(world: World, entry: EntryRow) -> list[str]:
    return [quote.quote for quote in world.memory().entries.show(entry.entry_id).quotes]


def test_an_agents_claim_rests_on_what_was_said_and_starts_at_working(talk: World) -> None:
    made = inside(talk).entries.remember("Staging loses its data nightly.", quotes=[QUOTE.upper()])
    assert made.is_new and made.entry.session_id == "talk" and made.entry.project == "/home/dev/weather"
    assert (made.entry.stage, made.entry.status, made.entry.rule, made.entry.aligned) == (
        "working",
        "active",
        "agent",
        True,
    )
    assert made.entry.confidence == pytest.approx(wilson(*PRIOR) * 0.95, abs=0.0001)
    assert words_of(talk, made.entry) == [QUOTE]
    assert [row.entry.entry_id for row in talk.memory().entries.list(ALL)] == [made.entry.entry_id]
    events = [event.event_type for event in talk.memory().entries.why(made.entry.entry_id)[1]]
    assert events == ["memory_extracted", "evidence_aligned", "idris_checked", "promoted"]
    assert found_id(talk, "staging loses nightly data") == talk.memory().recall.passage_id(made.entry.entry_id)
    assert talk.memory().verify() == []


def test_the_same_twice_is_once(talk: World) -> None:
    first = inside(talk).entries.remember("Staging loses its data nightly.", quotes=[QUOTE])
    before = talk.memory().entries.why(first.entry.entry_id)[1]
    again = inside(talk).entries.remember("Staging loses its data nightly.", quotes=[QUOTE])
    assert not again.is_new and again.entry == first.entry
    assert talk.memory().entries.why(first.entry.entry_id)[1] == before


def test_of_one_title_another_text_is_another_claim(talk: World) -> None:
    agent = inside(talk)
    first = agent.entries.remember("It is rebuilt nightly", title="staging database", quotes=[QUOTE])
    second = agent.entries.remember("It is rebuilt weekly", title="staging database", quotes=[QUOTE])
    assert second.is_new and second.entry.entry_id != first.entry.entry_id and len(second.conflicts) == 1
    assert talk.one("select count(*) from conflicts") == 1
    assert not agent.entries.remember("It is rebuilt weekly", title="staging database", quotes=[QUOTE]).is_new


def test_words_that_nobody_said_are_named_and_nothing_is_written(talk: World) -> None:
    with talk.memory().home.read_log() as (log, _key):
        last = log.last_position()
    with pytest.raises(NotFound, match="production is backed up hourly"):
        inside(talk).entries.remember("Backups are hourly", quotes=[QUOTE, "production is backed up hourly"])
    with talk.memory().home.read_log() as (log, _key):
        assert log.last_position() == last


def test_asking_for_it_is_not_saying_it(talk: World) -> None:
    """The call stands in the transcript too: what was refused must not be its own evidence the next time."""
    claim = "production is backed up hourly"
    session = Session("own")
    session.prompt("Look at the backups.")
    session.use("mcp__axiommind__remember", "these words were not said", error=True, text=claim, quotes=[claim])
    session.use("Bash", "not said", error=True, command=f'axm remember "Backups" --quote "{claim}"')
    talk.write(session)
    with pytest.raises(NotFound, match=claim):
        inside(talk, "own").entries.remember("Backups are hourly", quotes=[claim])


def test_the_clients_own_session_is_read_up_to_now(talk: World) -> None:
    new = Session("new")
    new.prompt("Just now: releases are cut on Thursdays.")
    talk.write(new)
    made = inside(talk, "new").entries.remember(
        "Releases happen on Thursdays.", quotes=["releases are cut on Thursdays"]
    )
    assert made.entry.session_id == "new"


def test_a_passage_names_its_session_and_is_evidence_itself(talk: World) -> None:
    passage = found_id(talk, "staging database rebuilt night")
    made = inside(talk, "other").entries.remember("Staging is wiped.", ids=[passage])
    assert made.entry.session_id == "talk"
    assert words_of(talk, made.entry) == [f"Careful: {QUOTE}, so put nothing there that has to stay."]
    call = found_id(talk, "kind:tool psql orders")
    failed = inside(talk).entries.remember(
        "There is no table orders.", type="insight", ids=[call], quotes=["relation orders does not exist"]
    )
    assert words_of(talk, failed.entry) == ["relation orders does not exist"]
    onwards = inside(talk).entries.remember("Nothing to keep there.", ids=[made.entry.entry_id])
    assert words_of(talk, onwards.entry) == words_of(talk, made.entry)


def test_evidence_is_of_one_session(talk: World) -> None:
    ids = [found_id(talk, "staging database rebuilt night"), found_id(talk, "weekly reports Mondays")]
    with pytest.raises(BadQuery, match="several sessions"):
        inside(talk).entries.remember("Two things", ids=ids)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"quotes": []}, BadQuery),
        ({"quotes": ["x"]}, BadQuery),
        ({"quotes": [QUOTE] * 9}, BadQuery),
        ({"ids": ["zzzz"]}, NotFound),
        ({"quotes": [QUOTE], "session": "nope"}, NotFound),
        ({"quotes": [QUOTE], "type": "task_note"}, BadQuery),
        ({"text": " ", "quotes": [QUOTE]}, BadQuery),
        ({"text": "x" * 5_000, "quotes": [QUOTE]}, BadQuery),
    ],
)
def test_bad_input_is_told(talk: World, given: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error) as told:
        inside(talk).entries.remember(given.pop("text", "Something"), **given)
    assert told.value.hint  # type: ignore[attr-defined]


def test_a_persons_claim_rises_as_far_as_its_evidence(talk: World) -> None:
    made = talk.memory().entries.remember("Staging loses its data nightly.", quotes=[QUOTE], session="talk")
    assert (made.entry.stage, made.entry.rule, made.entry.verified_by is not None) == ("verified", "person", True)
    assert {row[0] for row in talk.rows("select actor from promotions")} == {"user"}
    bare = talk.memory().entries.remember("We test on staging", type="decision", quotes=[QUOTE], session="talk")
    assert bare.entry.stage == "candidate"  # without a reason the checkers do not pass it


def test_an_agent_does_not_take_the_place_of_a_persons_word(talk: World) -> None:
    person = talk.memory().entries.remember("nightly", title="staging rebuild", quotes=[QUOTE], session="talk")
    agent = inside(talk).entries.remember("never", title="staging rebuild", quotes=[QUOTE])
    assert len(agent.conflicts) == 1
    stands = {row[0]: row[1] for row in talk.rows("select entry_id, status from entries")}
    assert stands == {person.entry.entry_id: "active", agent.entry.entry_id: "contested"}, "it contests itself alone"


def test_what_a_person_rejected_stays_rejected(talk: World) -> None:
    made = inside(talk).entries.remember("Staging loses its data nightly.", quotes=[QUOTE])
    talk.memory().entries.rule(made.entry.entry_id, "deprecated", "not any more")
    fork = Session("later")
    fork.prompt(f"I said {QUOTE}, did I not?")
    talk.write(fork)
    with pytest.raises(BadQuery, match="rejected"):
        inside(talk, "later").entries.remember("Staging loses its data nightly.", quotes=[QUOTE])


def test_repeating_itself_an_agent_certifies_nothing(talk: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(4):
        session = Session(f"again{n}")
        session.prompt(f"Remember that {QUOTE}.")
        talk.write(session)
        monkeypatch.setattr("axiommind.learning.remember.now", lambda days=15 * n: START + days * 86_400_000)
        inside(talk, f"again{n}").entries.remember("Staging loses its data nightly.", quotes=[QUOTE])
    person = talk.memory()
    person.entries.promote(talk.one("select min(entry_id) from entries"), "it is so", "verified")
    person.entries.run_policy(["graduation"], at=START + 46 * 86_400_000)
    assert talk.rows("select stage from entries") == [("verified",)]  # one entry, said four times, and not certified


def test_open_work_is_a_task(talk: World) -> None:
    with pytest.raises(BadQuery, match="open work is a task") as refused:
        inside(talk).entries.remember("The docs are left to do.", kind="open", quotes=[QUOTE])
    assert "axm task list" in (refused.value.hint or "")
    assert talk.rows("select 1 from entries") == []
    done = axm(talk, "remember", "The docs are left to do.", "--kind", "open", "--quote", QUOTE, "--session", "talk")
    assert done.returncode == 2 and "open work is a task" in done.stderr and "axm task list" in done.stderr


SAME = [
    ("Run the tests with pnpm vitest, never with npm.", "Tests are run with pnpm vitest and never npm.", True),
    ("Round half up when adding cart totals.", "When adding cart totals, round half up.", True),
    ("The service listens on port 8080.", "The service listens on port 9000.", False),
    ("Commit each section separately.", "Never commit each section separately.", False),
    ("Use integer cents for prices.", "Staging is rebuilt every night.", False),
    ("항상 커밋 전에 테스트를 실행한다.", "커밋 전에 항상 테스트를 실행한다.", True),
    ("항상 커밋 전에 테스트를 실행한다.", "커밋 전에 테스트를 실행하지 않는다.", False),
    ("Use it.", "Use it.", False),  # too little to be sure
]


@pytest.mark.parametrize(("one", "other", "same"), SAME)
def test_whether_two_claims_say_the_same(one: str, other: str, same: bool) -> None:
    assert says_the_same(one, other) == says_the_same(other, one) == same


def test_what_is_known_already_is_confirmed(talk: World) -> None:
    known = inside(talk).entries.remember("The staging database is rebuilt every night.", quotes=[QUOTE])
    assert known.is_new and known.entry.stage == "working"
    again = inside(talk).entries.remember("Every night the staging database is rebuilt.", quotes=[QUOTE])
    assert not again.is_new and again.entry.entry_id == known.entry.entry_id
    assert talk.one("select count(*) from entries") == 1
    assert talk.one("select count(*) from entry_uses where session_id is not null") == 0  # an agent repeats itself
    person = talk.memory().entries.remember(
        "The staging database is rebuilt each night, every night.", quotes=[QUOTE], session="talk"
    )
    assert not person.is_new and person.entry.stage == "verified"  # a person's word
    before = tables(talk)
    (talk.home / "index.db").unlink()
    talk.memory().index()
    assert tables(talk) == before and talk.memory().verify() == []


def test_a_claim_has_a_kind_and_the_type_that_fits(talk: World) -> None:
    made = inside(talk).entries.remember("Staging loses its rows at night.", quotes=[QUOTE], kind="gotcha")
    assert (made.entry.kind, made.entry.entry_type) == ("gotcha", "insight")
    made = inside(talk).entries.remember("Nobody deploys to staging by hand here.", quotes=[QUOTE], kind="preference")
    assert (made.entry.kind, made.entry.entry_type) == ("preference", "fact")
    with pytest.raises(BadQuery, match="there is no kind 'prophecy'"):
        inside(talk).entries.remember("x", quotes=[QUOTE], kind="prophecy")


def test_a_secret_is_redacted_in_the_claim_and_found_in_the_words(talk: World) -> None:
    made = inside(talk).entries.remember(f"The token is {SECRET}.", quotes=[f"The deploy token is {SECRET}"])
    assert SECRET not in made.entry.text + made.entry.title and made.entry.aligned
    assert SECRET.encode() not in b"".join(p.read_bytes() for p in Path(talk.home).glob("*.db*"))


def test_forgetting_the_session_forgets_it_and_a_rebuild_is_the_same(talk: World) -> None:
    agent = inside(talk)
    agent.entries.remember("It is rebuilt nightly", title="staging database", quotes=[QUOTE])
    agent.entries.remember("It is rebuilt weekly", title="staging database", quotes=[QUOTE])
    talk.memory().entries.remember("Reports go out on Mondays", quotes=["sent on Mondays"], session="other")
    before = tables(talk)
    talk.memory().rebuild()
    assert tables(talk) == before
    talk.memory().forget(session="talk")
    assert talk.rows("select session_id from entries") == [("other",)]
    after = tables(talk)
    talk.memory().rebuild()
    assert tables(talk) == after and talk.memory().verify(deep=True) == []


def test_only_a_person_decides(talk: World) -> None:
    entry = talk.memory().entries.remember("Staging is rebuilt nightly", quotes=[QUOTE], session="talk").entry.entry_id
    agent = inside(talk)
    with pytest.raises(NeedsPerson, match="Nothing is kept on staging"):
        agent.decisions.decide("Nothing is kept on staging", [entry], ALL)
    talk.memory().decisions.decide("Fixtures live in the repository", [entry], ALL)
    assert {row["made_by"] for row in talk.memory().decisions.list(ALL)} == {"user"}


def test_the_command_line_speaks_for_whoever_runs_it(
    talk: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from axiommind.surfaces.cli import main

    for name in ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "AI_AGENT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in talk.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Staging is wiped each night\n")))
    asked = ["remember", "-", "--session", "talk", "--quote", QUOTE]
    assert main(asked) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("ent_") and "Remembered as verified, on 1 quote" in printed.err
    monkeypatch.delenv("AXM_PERSON_TOKEN")  # whoever says nothing of itself, without a terminal
    assert main(["remember", "Never keep data there", "--evidence", found_id(talk, "staging night"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["stage"] == "working"
    assert main(["remember", "x", "--session", "talk", "--quote", "nobody ever said so"]) == 1
    assert "nobody ever said so" in capsys.readouterr().err
