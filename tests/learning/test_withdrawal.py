"""A session that is read again: what it no longer says is withdrawn, and returns when it is said again."""

from __future__ import annotations

from typing import Any

import pytest

from axiommind.callers import AGENT
from axiommind.extraction.contract import Extraction
from axiommind.extraction.drafts import Draft
from axiommind.extraction.extractors import rules
from axiommind.memory import Scope
from axiommind.projections.transcript import Transcript
from tests.learning.saying import SAID, Saying, claim, run
from tests.learning.sessions import Session
from tests.transcripts import World

STATUS = "select title, status from entries order by title, id"


class Partial(Saying):
    """Reads only what is new."""

    def extract(self, transcript: Transcript) -> Extraction:
        return super().extract(transcript)._replace(is_whole=False)


@pytest.fixture
def session(world: World) -> Session:
    lines = Session("s")
    lines.prompt(SAID)
    world.write(lines)
    world.memory().index()
    return lines


def grown(world: World, session: Session, extractor: Any) -> None:
    session.answer({"type": "text", "text": "And so it went on."})
    world.write(session)
    world.memory().index()
    assert run(world, extractor).failed == 0


def test_what_is_not_said_again_is_withdrawn_and_returns(world: World, session: Session) -> None:
    one, two = claim("One"), claim("Two", value="x")
    grown(world, session, Saying(one, two))
    grown(world, session, Saying(two))
    assert world.rows(STATUS) == [("One", "withdrawn"), ("Two", "active")]
    grown(world, session, Saying(one, two))
    assert world.rows(STATUS) == [("One", "active"), ("Two", "active")]
    grown(world, session, Saying(two))
    assert world.rows(STATUS) == [("One", "withdrawn"), ("Two", "active")]
    entry = world.one("select entry_id from entries where title = 'One'")
    acts = [event.event_type for event in world.memory().entries.why(entry)[1] if event.event_type.startswith("entry")]
    assert acts == ["entry_withdrawn", "entry_returned", "entry_withdrawn"]
    assert world.memory().verify() == []


def test_in_other_words_it_is_another_entry(world: World, session: Session) -> None:
    grown(world, session, Saying(claim("One", text="It is SQLite.")))
    grown(world, session, Saying(claim("One", text="It is SQLite, in WAL mode.")))
    assert world.rows("select text, status from entries order by id") == [
        ("It is SQLite.", "withdrawn"),
        ("It is SQLite, in WAL mode.", "active"),
    ]
    grown(world, session, Saying(claim("One", text="It is SQLite.")))
    assert world.rows("select text, status from entries order by id") == [
        ("It is SQLite.", "active"),
        ("It is SQLite, in WAL mode.", "withdrawn"),
    ]


@pytest.mark.parametrize("word", ["promote", "contest", "decide"])
def test_what_a_person_ruled_on_stays(world: World, session: Session, word: str) -> None:
    grown(world, session, Saying(claim("One")))
    entries, entry = world.memory().entries, world.one("select entry_id from entries")
    if word == "contest":
        entries.rule(entry, "contested", "I doubt it")
    else:
        entries.promote(entry, "I know it", "certified")
    if word == "decide":
        world.memory().decisions.decide("So be it", [entry], Scope(None))
        entries.undo_promotion(entry, "not so sure")
    grown(world, session, Saying(claim("One", text="Said differently.")))
    grown(world, session, Saying())
    assert world.rows("select text, status from entries") == [
        ("The log is kept in SQLite.", "contested" if word == "contest" else "active")
    ]


def test_other_extractors_and_readers_of_a_part_take_nothing_back(world: World, session: Session) -> None:
    grown(world, session, Saying(claim("One")))
    world.memory().entries.remember("The log is SQLite", session="s", quotes=[SAID], caller=AGENT)
    other = Saying(claim("Other"))
    other.name = "another"
    grown(world, session, other)
    grown(world, session, Partial(claim("Three")))
    assert set(world.rows("select distinct status from entries")) == {("active",)}
    assert world.one("select count(*) from entries") == 4


def test_withdrawn_it_neither_contests_nor_supersedes(world: World, session: Session) -> None:
    sqlite, redis = (claim("Where the log is", value=v, text=v) for v in ("SQLite", "Redis"))
    grown(world, session, Saying(sqlite))
    later = Session("t")
    later.prompt(SAID)
    world.write(later)
    world.memory().index()
    run(world, Saying(redis._replace(timestamp=1_900_000_000_000)))
    assert world.rows("select text, status from entries order by text") == [
        ("Redis", "active"),
        ("SQLite", "superseded"),
    ]
    grown(world, later, Saying())
    assert world.rows("select text, status from entries order by text") == [
        ("Redis", "withdrawn"),
        ("SQLite", "active"),
    ]


def test_better_rules_read_old_sessions_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session("s")
    session.ask("Where should the log live?", "SQLite")
    world.write(session)
    world.memory().index()
    world.memory().learning.run()
    assert world.memory().learning.run().sessions == 0
    assert world.one("select count(*) from entries where status = 'active'") == 1

    def nothing(_self: Any, _transcript: Transcript) -> Extraction:
        drafts: tuple[Draft, ...] = ()
        return Extraction(drafts, "rules", "a better version")

    monkeypatch.setattr(rules, "READS_AGAIN", "a better version")
    monkeypatch.setattr(rules.RulesExtractor, "extract", nothing)
    report = world.memory().learning.run()
    assert (report.sessions, report.withdrawn) == (1, 1)
    assert world.one("select count(*) from entries where status = 'active'") == 0
    assert world.memory().learning.run().sessions == 0
