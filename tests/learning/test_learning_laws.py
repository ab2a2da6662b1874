"""The laws of memory, under histories that nobody would write by hand.

A history is any mixture of: sessions that grow by tasks, answers, commits and statements, or are rewritten; learning
at any moment; a person who rejects, contests, restores, promotes; forgetting, and bringing back.
"""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.errors import BadQuery, NotFound
from axiommind.learning.alignment import quote_hash
from axiommind.memory import Scope
from axiommind.projections import transcript as recorded
from axiommind.text.pointers import text_at
from tests.examples import examples
from tests.learning.sessions import Session
from tests.rows import rows
from tests.transcripts import World

SESSIONS = ("alpha", "beta")
TITLES = ("Build the cache table", "캐시를 명령에 연결", "🎉", "Write the migration for the vault")
QUESTIONS = ("Where should the cache live?", "언어는 무엇을 쓰나요?")
ANSWERS = ("SQLite", "PostgreSQL")
STATUSES = ("pending", "in_progress", "completed", "deleted")
RULINGS = ("contested", "deprecated", "restored", "superseded")

said = st.one_of(
    st.tuples(st.just("task"), st.sampled_from(TITLES), st.none()),
    st.tuples(
        st.just("status"), st.integers(1, 4), st.sampled_from(["pending", "in_progress", "completed", "deleted"])
    ),
    st.tuples(st.just("blocks"), st.integers(1, 4), st.integers(1, 4)),
    st.tuples(st.just("rename"), st.integers(1, 4), st.sampled_from(TITLES)),
    st.tuples(st.just("ask"), st.sampled_from(QUESTIONS), st.sampled_from(ANSWERS)),
    st.tuples(st.just("commit"), st.sampled_from(["fix: expire answers", "feat: 캐시 추가"]), st.none()),
    st.tuples(st.just("prompt"), st.sampled_from(["Always use pnpm here.", "Never use pnpm here.", "hi"]), st.none()),
)
operation = st.one_of(
    st.tuples(st.just("grow"), st.sampled_from(SESSIONS), st.lists(said, min_size=1, max_size=4)),
    st.tuples(st.just("learn"), st.none(), st.none()),
    st.tuples(st.just("rewrite"), st.sampled_from(SESSIONS), st.integers(0, 4)),
    st.tuples(
        st.just("rule"), st.sampled_from(["contested", "deprecated", "restored", "superseded"]), st.integers(0, 9)
    ),
    st.tuples(st.just("promote"), st.sampled_from(["verified", "certified"]), st.integers(0, 9)),
    st.tuples(st.just("policy"), st.sampled_from(["graduation", "half-life"]), st.none()),
    st.tuples(st.just("finish"), st.sampled_from(["done", "in_progress", "blocked", "cancelled"]), st.integers(0, 5)),
    st.tuples(st.just("forget"), st.sampled_from(SESSIONS), st.none()),
    st.tuples(st.just("undo"), st.sampled_from(SESSIONS), st.none()),
)


class History:
    def __init__(self, world: World) -> None:
        self.world = world
        self.sessions = {name: Session(name) for name in SESSIONS}

    def play(self, op: str, one: Any, two: Any) -> None:
        with contextlib.suppress(BadQuery, NotFound):  # a person asked for what cannot be
            getattr(self, op)(one, two)

    def grow(self, name: str, lines: list[tuple[str, Any, Any]]) -> None:
        session = self.sessions[name]
        for kind, one, two in lines:
            if kind == "task":
                session.task(one)
            elif kind == "status":
                session.update(str(one), status=two)
            elif kind == "blocks":
                session.update(str(one), addBlockedBy=[str(two)])
            elif kind == "rename":
                session.update(str(one), subject=two)
            else:
                getattr(session, kind)(*[part for part in (one, two) if part is not None])
        self.world.write(session)

    def rewrite(self, name: str, keep: int) -> None:
        session = self.sessions[name]
        del session.lines[keep:]
        self.world.write(session)

    def learn(self, *_: None) -> None:
        self.world.memory().index()
        report = self.world.memory().learning.run()
        assert report.failed == 0, report.errors

    def _nth(self, n: int) -> str:
        self.world.memory().index()
        found = self.world.rows("select entry_id from entries order by entry_id")
        if not found:
            raise NotFound("nothing yet")
        return str(found[n % len(found)][0])

    def rule(self, act: str, n: int) -> None:
        other = self._nth(n + 1) if act == "superseded" else None
        self.world.memory().entries.rule(self._nth(n), act, "so I say", other)

    def promote(self, to: str, n: int) -> None:
        self.world.memory().entries.promote(self._nth(n), "my word", to)

    def policy(self, name: str, _: None) -> None:
        self.world.memory().entries.run_policy([name])

    def finish(self, status: str, n: int) -> None:
        self.world.memory().index()
        tasks = self.world.memory().tasks.list(Scope(None))
        if tasks:
            self.world.memory().tasks.set(tasks[n % len(tasks)].task_id, status=status)

    def forget(self, name: str, _: None) -> None:
        self.world.memory().forget(session=name)

    def undo(self, name: str, _: None) -> None:
        self.world.memory().undo_forget(session=name)


def lawful(world: World) -> None:
    """Everything that must be true of what was learned, whatever happened."""
    memory = world.memory()
    assert memory.verify() == []
    before = world.one("select max(position) from projection_offsets")
    assert memory.learning.run().sessions == 0
    assert world.one("select max(position) from projection_offsets") == before
    status = "json_extract(t.current_json, '$.status')"
    edges = "select count(*) from edges e where e.src_id = t.entity_id and e.rel_type like"
    for task, now, blockers in world.rows(
        f"select t.entity_id, {status}, ({edges} 'blocked_by%') from entities t where t.entity_type = 'task'"
    ):
        assert now != "blocked" or blockers, f"{task} is blocked by nothing"
        assert now not in ("done", "cancelled") or not blockers, f"{task} is {now} and waits"
    before_done = world.rows(
        """
        select distinct json_extract(body, '$.from') from task_events
        where event_type = 'task_status_changed' and json_extract(body, '$.to') = 'done'
        """
    )
    assert before_done in ([], [("in_progress",)])
    assert world.one("select count(*) - count(distinct edge_id) from edges") == 0
    jobs = world.one("select count(*) from vector_outbox where item_kind in ('entry', 'task_title')")
    assert jobs == world.one("select count(*) from entries") + world.one(
        "select count(*) from entities where entity_type = 'task'"
    )
    rows = world.rows("select position, line, block, span_start, span_end, quote_hash from entry_evidence")
    with memory.home.reading(Scope(None), None) as db, memory.home.read_log() as (log, _key):
        for position, line, block, start, end, digest in rows:
            text = text_at(recorded.line_of(db, log.blob, position, line) or b"", block)
            assert text is not None and quote_hash(text[start:end]) == digest


@rows("R2.3", "R2.5", "R2.20")
@settings(max_examples=examples(60))
@given(st.lists(operation, min_size=3, max_size=14))
def test_whatever_happens_memory_is_lawful(history: list[tuple[str, Any, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        play = History(world)
        for op in history:
            play.play(*op)
        play.learn()
        lawful(world)


# What an entry is to anybody; ids and positions are those of the pieces that it was learned in.
WHAT_IS_SAID = """
    select e.session_id, e.entry_type, e.kind, e.title, e.text, e.content_json, e.canonical_key, e.value_key,
           e.provenance, e.extractor, e.rule, e.confidence, e.happened_at, e.stage, e.status, e.aligned, e.anchors_json,
           (select json_group_array(json_array(v.line, v.block, v.span_start, v.span_end, v.quote_hash))
            from entry_evidence v where v.entry_id = e.entry_id),
           (select o.value_key from entries o where o.entry_id = e.superseded_by)
    from entries e
    where e.status <> 'withdrawn'
    order by 1, 2, 4, 5, 6
"""


@settings(max_examples=examples(40))
@given(st.lists(st.tuples(st.sampled_from(SESSIONS), st.lists(said, min_size=1, max_size=5)), min_size=1, max_size=6))
def test_learning_in_pieces_or_at_once(pieces: list[tuple[str, list[tuple[str, Any, Any]]]]) -> None:
    """How often one learns does not matter for what was learned."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        often, once = History(World(Path(one))), History(World(Path(two)))
        for name, lines in pieces:
            often.grow(name, lines)
            often.learn()
            once.grow(name, lines)
        once.learn()
        assert often.world.rows(WHAT_IS_SAID) == once.world.rows(WHAT_IS_SAID)
