"""From a session to entries and tasks: what is written, what is not, and that nothing is written twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from axiommind.config import Config
from axiommind.errors import BadQuery, NotFound
from axiommind.learning.alignment import quote_hash
from axiommind.memory import Memory, Scope
from axiommind.projections import transcript as recorded
from axiommind.text.pointers import text_at
from tests.learning.sessions import Session
from tests.rows import rows
from tests.transcripts import World

ALL = Scope(None)


def taught(world: World, *sessions: Session) -> World:
    for session in sessions:
        world.write(session)
    world.memory().index()
    report = world.memory().learning.run()
    assert report.failed == 0, report.errors
    return world


@pytest.fixture
def story() -> Session:
    session = Session("story")
    session.prompt("We need a cache that expires. Always run the tests with pytest -x before you commit.")
    session.ask("Where should the cache live?", "SQLite")
    build = session.task("Build the cache table with its expiry column")
    wire = session.task("Wire the cache into the weather command")
    session.update(wire, addBlockedBy=[build])
    session.update(build, status="in_progress")
    session.update(build, status="completed")
    session.commit("feat: cache answers for ten minutes")
    return session


def events(world: World, *types: str) -> list[Any]:
    with world.memory().home.read_log() as (log, _key):
        return list(log.replay(types or None))


@rows("R2.1", "R2.2", "R2.7", "R2.16", "R2.17")
def test_a_session_becomes_entries_and_tasks(world: World, story: Session) -> None:
    taught(world, story)
    kinds = dict(world.rows("select entry_type, count(*) from entries group by 1"))
    assert kinds["task_note"] == 2 and kinds["decision"] == 1 and kinds["fact"] >= 1
    decision = world.rows("select title, text, stage, status from entries where entry_type = 'decision'")
    assert decision == [("Where should the cache live?", "SQLite", "verified", "active")]
    tasks = dict(
        world.rows("select title, json_extract(current_json, '$.status') from entities where entity_type = 'task'")
    )
    assert tasks == {
        "Build the cache table with its expiry column": "done",
        "Wire the cache into the weather command": "blocked",
    }


@rows("R2.27", "R2.31", "R2.43", "R2.81", "R2.82", "R2.83", "R2.84")
def test_the_steps_are_recorded_in_order(world: World, story: Session) -> None:
    taught(world, story)
    types = [e.event_type for e in events(world) if e.build_id is not None]
    assert types[:5] == ["build_started", "session_ingested", "memory_extracted", "evidence_aligned", "idris_checked"]
    assert types[-2:] == ["build_finished", "pipeline_measured"]
    assert len({e.build_id for e in events(world) if e.build_id is not None}) == 1
    assert world.rows("select status, extractor from build_runs") == [("success", "rules")]
    stages = {row[0] for row in world.rows("select stage from pipeline_metrics")}
    assert {"extraction", "align", "project", "index"} <= stages


@rows("R2.6", "R2.39", "R2.89")
def test_every_quote_stands_at_its_span(world: World, story: Session) -> None:
    taught(world, story)
    memory = world.memory()
    rows = world.rows("select entry_id, position, line, block, span_start, span_end, quote_hash from entry_evidence")
    assert rows
    with memory.home.reading(ALL, None) as db, memory.home.read_log() as (log, _key):
        for _entry, position, line, block, start, end, digest in rows:
            text = text_at(recorded.line_of(db, log.blob, position, line) or b"", block)
            assert text is not None and quote_hash(text[start:end]) == digest


def test_text_is_in_blobs_only(world: World, story: Session) -> None:
    taught(world, story)
    for event in events(world):
        if event.event_type not in ("transcript_segment", "transcript_sidecar"):
            said = json.dumps(event.payload, ensure_ascii=False)
            assert "cache" not in said and "pytest" not in said, (event.event_type, said)


@rows("R2.5", "R2.38", "R2.94")
def test_learning_twice_is_learning_once(world: World, story: Session) -> None:
    taught(world, story)
    before = len(events(world))
    assert world.memory().learning.run().sessions == 0
    assert len(events(world)) == before
    again = world.memory().learning.run(again=True)
    assert again.sessions == 1 and again.entries == {} and again.tasks_created == 0 and again.transitions_rejected == 0
    new = [e.event_type for e in events(world)[before:]]
    assert sorted(set(new)) == ["build_finished", "build_started", "memory_extracted", "pipeline_measured"]
    assert world.memory().verify() == []


def test_a_session_that_grew_is_learned_again(world: World, story: Session) -> None:
    taught(world, story)
    wire = "2"
    story.update(wire, status="in_progress")
    story.update(wire, status="completed")
    story.ask("How long does an answer live?", "Ten minutes")
    report = taught(world, story).memory().learning.run()
    assert report.sessions == 0
    assert world.one("select count(*) from entries where entry_type = 'decision'") == 2
    status = "select json_extract(current_json, '$.status') from entities where title like 'Wire%'"
    assert world.one(status) == "done"
    assert world.memory().verify() == []


@rows("R2.3", "R2.32")
def test_a_rebuild_gives_the_same(world: World, story: Session) -> None:
    taught(world, story)
    tables = ("entries", "promotions", "entities", "edges", "entity_aliases", "task_events", "build_runs", "learned")
    jobs = "(select item_kind, item_id, status, created_at from vector_outbox)"  # the numbers of jobs are their own
    before = {t: world.rows(f"select * from {t} order by 1, 2") for t in (*tables, "pipeline_metrics", jobs)}
    (world.home / "index.db").unlink()
    world.memory().index()
    assert {t: world.rows(f"select * from {t} order by 1, 2") for t in before} == before


def test_entries_are_found_by_search(world: World, story: Session) -> None:
    taught(world, story)
    page = world.memory().search("where cache live SQLite", ALL, kind=("insight",))
    assert page.hits and page.hits[0].kind == "insight"
    hit = page.hits[0]
    assert hit.citation is not None
    opened = world.memory().passages.open(hit.citation)
    assert "SQLite" in opened.lines[0]
    assert world.memory().entries.show(hit.id).entry.title == "Where should the cache live?"


def test_forgetting_a_session_forgets_what_was_learned_of_it(world: World, story: Session) -> None:
    other = Session("other")
    other.ask("Which test runner do we use?", "pytest")
    taught(world, story, other)
    world.memory().forget(session="story")
    assert world.rows("select distinct session_id from entries") == [("other",)]
    assert world.one("select count(*) from entities where entity_type = 'task'") == 0
    assert world.one("select count(*) from vector_outbox where item_kind in ('entry', 'task_title')") == 1
    for name in ("log.db", "index.db"):
        assert b"Wire the cache" not in (world.home / name).read_bytes()
    assert world.memory().verify() == []
    world.memory().undo_forget(session="story")
    assert world.memory().learning.run().sessions == 1
    assert world.one("select count(*) from entities where entity_type = 'task'") == 2
    assert world.memory().verify() == []


# --- conflicts, rulings, decisions -------------------------------------------------------------------------


def two_answers(world: World) -> tuple[str, str]:
    for n, answer in enumerate(("SQLite", "PostgreSQL")):
        session = Session(f"s{n}")
        for _ in range(60 * n):
            session.answer("thinking")
        session.ask("Where should the log live?", answer)
        world.write(session)
    world.memory().index()
    world.memory().learning.run()
    old, new = world.rows("select entry_id from entries order by happened_at")
    return old[0], new[0]


@rows("R2.19", "R2.20", "R2.30", "R2.106")
def test_a_newer_answer_takes_the_place_of_the_older(world: World) -> None:
    old, new = two_answers(world)
    assert world.rows("select entry_id, status, superseded_by from entries order by happened_at") == [
        (old, "superseded", new),
        (new, "active", None),
    ]
    (conflict,) = world.memory().conflicts.list(ALL, every=True)
    assert (conflict["older_id"], conflict["newer_id"], conflict["resolved_by"]) == (old, new, "conflicts-2")
    assert world.memory().conflicts.list(ALL) == []
    assert world.memory().verify() == []


def test_what_a_person_vouched_for_is_not_replaced_by_itself(world: World) -> None:
    first = Session("first")
    first.ask("Where should the log live?", "SQLite")
    taught(world, first)
    (entry,) = world.rows("select entry_id from entries")[0]
    assert world.memory().entries.promote(entry, "we run it", to="certified").stage == "certified"
    second = Session("second")
    second.answer("later")
    second.ask("Where should the log live?", "PostgreSQL")
    taught(world, second)
    statuses = {row[0] for row in world.rows("select status from entries")}
    assert statuses == {"contested"}
    (conflict,) = world.memory().conflicts.list(ALL)
    with pytest.raises(BadQuery, match="contested"):
        world.memory().entries.promote(conflict["newer_id"], "no")
    kept = world.memory().conflicts.settle(conflict["conflict_id"], entry, "we stay")
    assert kept.status == "active"
    assert world.memory().entries.show(conflict["newer_id"]).entry.status == "superseded"
    assert world.memory().conflicts.list(ALL) == []
    assert world.memory().verify() == []


@rows("R2.19", "R2.106", "R2.108")
def test_contested_entries_come_later_in_a_search(world: World) -> None:
    session = Session("s")
    session.ask("Which colour has the cache button?", "Blue")
    session.ask("Which colour has the cache label?", "Green")
    taught(world, session)
    ask = lambda: [h.snippet.text for h in world.memory().search("colour cache", ALL, kind=("insight",)).hits]  # noqa: E731
    first = world.memory().search("colour cache", ALL, kind=("insight",)).hits[0]
    assert len(ask()) == 2
    world.memory().entries.rule(first.id, "contested", "is it?")
    after = world.memory().search("colour cache", ALL, kind=("insight",)).hits
    assert after[0].id != first.id and after[1].id == first.id and after[1].score < first.score


def test_what_was_rejected_does_not_come_back(world: World, story: Session) -> None:
    taught(world, story)
    decision = world.one("select entry_id from entries where entry_type = 'decision'")
    world.memory().entries.rule(decision, "deprecated", "that was a joke")
    twin = Session("twin")
    twin.ask("Where should the cache live?", "SQLite")
    taught(world, twin)
    assert world.memory().learning.run(again=True).rejected_before == 2
    assert world.one("select count(*) from entries where entry_type = 'decision'") == 1
    world.memory().entries.rule(decision, "restored", "")
    world.memory().learning.run(again=True)
    assert world.one("select count(*) from entries where entry_type = 'decision' and status = 'active'") == 2
    assert world.memory().verify() == []


@rows("R2.20")
def test_rulings_can_be_undone(world: World, story: Session) -> None:
    taught(world, story)
    one, two = (row[0] for row in world.rows("select entry_id from entries order by entry_id limit 2"))
    assert world.memory().entries.rule(one, "superseded", "better", two).superseded_by == two
    with pytest.raises(BadQuery, match="itself superseded"):
        world.memory().entries.rule(two, "superseded", "worse", one)
    with pytest.raises(BadQuery, match="cannot supersede itself"):
        world.memory().entries.rule(two, "superseded", "worse", two)
    assert world.memory().entries.rule(one, "restored", "").status == "active"
    with pytest.raises(BadQuery, match="nothing to undo"):
        world.memory().entries.rule(one, "restored", "")


@rows("R2.28", "R2.29", "R2.107")
def test_a_decision_rests_on_what_is_verified_and_earlier(world: World, story: Session) -> None:
    taught(world, story)
    decision = world.one("select entry_id from entries where entry_type = 'decision'")
    made = world.memory().decisions.decide("We keep SQLite", [decision], ALL, reason="it holds")
    assert world.rows("select evidence_id, evidence_stage from decision_evidence") == [(decision, "verified")]
    assert world.memory().decisions.list(ALL)[0]["id"] == made
    with pytest.raises(BadQuery, match="later than the decision"):
        world.memory().decisions.decide("We kept it", [decision], ALL, at=1_000)
    with pytest.raises(NotFound):
        world.memory().decisions.decide("We keep it", ["ent_ffff"], ALL)
    world.memory().entries.rule(decision, "contested", "is it so?")
    with pytest.raises(BadQuery, match="contested"):
        world.memory().decisions.decide("We keep it", [decision], ALL)
    assert world.memory().verify() == []


# --- policies ----------------------------------------------------------------------------------------------


@rows("R2.18")
def test_three_sessions_over_a_month_certify(world: World) -> None:
    day = 24 * 60
    for n, at in enumerate((0, 20 * day, 31 * day)):
        session = Session(f"s{n}")
        session._clock = iter(range(at, at + 100))  # type: ignore[assignment]
        session.prompt("Always keep the cache in SQLite, never in memory.")
        session.ask("Where should the cache live?", "SQLite")
        world.write(session)
    world.memory().index()
    assert world.memory().learning.run().certified == 3
    # A label that the agent wrote and the person picked is verified, and certified by a person only.
    assert set(world.rows("select provenance, stage from entries")) == {("person", "certified"), ("picked", "verified")}
    assert world.memory().entries.run_policy() == []
    assert world.memory().verify() == []


def test_a_look_certifies_nothing(world: World) -> None:
    """Said in seven sessions of one day; a person looks at it now, long after."""
    for n in range(7):
        session = Session(f"s{n}")
        session.prompt("Always keep the cache in SQLite, never in memory.")
        world.write(session)
    world.memory().index()
    assert world.memory().learning.run().certified == 0
    (entry, *_) = (row[0] for row in world.rows("select entry_id from entries"))
    world.memory().entries.note_use([entry], "shown")  # in no session
    assert world.memory().entries.run_policy() == []
    assert world.rows("select distinct stage from entries") == [("verified",)]
    environ = world.environ | {"CLAUDE_CODE_SESSION_ID": "s9"}
    agent = Memory(Config.load(environ), environ=environ, user=world.base)
    agent.entries.note_use([entry], "shown")  # in a session, more than a month after it was said
    assert {change.target for _, change in world.memory().entries.run_policy()} == {"certified"}


@rows("R2.110")
def test_what_nobody_uses_sinks_while_its_project_lives_on(world: World) -> None:
    """An answer of the first day; then work on 200 days in which nobody comes back to it."""
    first = Session("s0")
    first.ask("Where should the cache live?", "SQLite")
    taught(world, first)
    assert world.rows("select stage from entries") == [("verified",)]
    for n in range(1, 201):
        session = Session(f"s{n}")
        session._clock = iter(range(n * 24 * 60, n * 24 * 60 + 10))  # type: ignore[assignment]
        session.prompt("go on")
        world.write(session)
    memory, day = world.memory(), 86_400_000
    memory.index()
    began = world.one("select happened_at from entries")
    assert memory.entries.run_policy(at=began + 100 * day) == []  # 0.46 of the vitality of a verified entry is left
    planned = memory.entries.run_policy(["half-life"], dry_run=True, at=began + 170 * day)
    assert {change.target for _, change in planned} == {"candidate"}
    assert world.rows("select stage from entries") == [("verified",)]
    memory.learning.run()  # by itself, at the end of a run
    assert world.rows("select stage from entries") == [("candidate",)]
    assert memory.entries.run_policy() == []  # it rests there: neither up again by itself, nor further down at once
    (entry,) = world.rows("select entry_id from entries")[0]
    memory.entries.note_use([entry], "shown")
    assert [c.entry_id for _, c in memory.entries.run_policy()] == [entry]  # what is used again rises again
    with pytest.raises(BadQuery, match="no policy"):
        memory.entries.run_policy(["nonsense"])
    assert memory.verify() == []


def test_a_ruling_holds_for_every_session_that_says_the_same(world: World) -> None:
    for n in range(3):
        session = Session(f"s{n}")
        session.ask("Where should the cache live?", "SQLite")
        world.write(session)
    world.memory().index()
    world.memory().learning.run()
    (one, *_) = (row[0] for row in world.rows("select entry_id from entries"))
    world.memory().entries.rule(one, "deprecated", "no")
    assert world.rows("select distinct status from entries") == [("deprecated",)]
    with pytest.raises(BadQuery, match="already"):
        world.memory().entries.rule(one, "contested", "hm")
    with pytest.raises(BadQuery, match="not contested"):
        world.memory().entries.rule(one, "restored", "", undoes="contested")
    world.memory().entries.rule(one, "restored", "", undoes="deprecated")
    assert world.rows("select distinct status from entries") == [("active",)]


def test_a_fork_goes_on_with_its_parents_tasks(world: World) -> None:
    parent = Session("parent")
    parent.task("Build the cache table with its expiry column")
    fork = Session("fork")
    fork.lines = [{**line, "sessionId": "fork"} for line in parent.lines]
    fork.tasks, fork._clock = parent.tasks, iter(range(50, 100))  # type: ignore[assignment]
    fork.update("1", status="completed")
    taught(world, parent, fork)
    status = "json_extract(current_json, '$.status')"
    assert world.rows(f"select {status} from entities where entity_type = 'task'") == [("done",)]
    assert world.memory().verify() == []


def test_a_task_survives_the_session_that_opened_it(world: World) -> None:
    opened, went_on = Session("opened"), Session("went-on")
    opened.task("Build the cache table with its expiry column")
    went_on._clock = iter(range(50, 100))  # type: ignore[assignment]
    went_on.task("Build the cache table with its expiry column")
    went_on.update("1", status="in_progress")
    taught(world, opened, went_on)
    world.memory().forget(session="opened")
    assert world.memory().learning.run().sessions == 1
    status = "json_extract(current_json, '$.status')"
    assert world.rows(f"select {status} from entities where entity_type = 'task'") == [("in_progress",)]
    assert world.memory().verify() == []


def test_words_that_were_rewritten_are_not_cited_in_the_file(world: World) -> None:
    session = Session("s")
    session.ask("Where should the cache live?", "SQLite")
    session.ask("Which port do we use?", "8080")
    taught(world, session)
    del session.lines[:2]
    taught(world, session)
    shown = {e.title: world.memory().entries.show(e.entry_id).quotes for e, *_ in world.memory().entries.list(ALL)}
    assert all(quote.citation is None for quote in shown["Where should the cache live?"])
    assert all(quote.quote for quote in shown["Where should the cache live?"])
    for quote in shown["Which port do we use?"]:
        assert quote.citation is not None
        assert json.dumps(quote.quote)[1:-1] in world.memory().passages.open(quote.citation).lines[0]
    assert world.memory().verify() == []


# --- bad input ---------------------------------------------------------------------------------------------


def test_a_session_without_messages(world: World) -> None:
    world.write(b'{"type":"mode","mode":"x","sessionId":"s1"}\n', "s1")
    world.memory().index()
    report = world.memory().learning.run()
    assert (report.sessions, report.failed, report.entries) == (1, 0, {})
    assert world.memory().learning.run().sessions == 0


def test_nothing_to_learn_in_an_empty_home(world: World) -> None:
    world.memory().index()
    assert world.memory().learning.run().sessions == 0


def test_a_dry_run_writes_nothing(world: World, story: Session) -> None:
    world.write(story)
    world.memory().index()
    before = len(events(world))
    report = world.memory().learning.run(dry_run=True)
    assert report.planned and report.entries["task_note"] == 2
    assert len(events(world)) == before


def test_the_words_open_in_the_lines_of_the_file(world: World, story: Session, tmp_path: Path) -> None:
    """`axm open` of a quote's citation shows the line that holds it."""
    taught(world, story)
    for (entry,) in world.rows("select entry_id from entries where stage = 'verified'"):
        for quote in world.memory().entries.show(entry).quotes:
            assert quote.reason is None and quote.citation is not None
            (line,) = world.memory().passages.open(quote.citation).lines
            assert json.dumps(quote.quote, ensure_ascii=False)[1:-1] in line
