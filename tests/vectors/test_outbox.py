"""The outbox: each job once, done only when its vectors are stored, and nothing lost when the worker is not."""

from __future__ import annotations

import errno
import math
import sqlite3
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind import db as sqlite
from axiommind.errors import EmbedderError, Locked, MissingExtra
from axiommind.projections import outbox as jobs
from axiommind.projections.passages import KINDS as PASSAGE_KINDS
from axiommind.vectors import outbox
from axiommind.vectors.attempts import reason_of
from axiommind.vectors.contract import PASSAGES, SESSIONS, TASK_TITLES, Embedder, Store, Vector, VectorRow
from axiommind.vectors.coverage import RETRIES, Counts, coverage, is_complete, waiting
from axiommind.vectors.outbox import PAUSE_MS, OutboxWork, Worked, reconcile, retry, work
from axiommind.vectors.parts import parts
from axiommind.vectors.sweep import sweep
from tests.examples import examples
from tests.learning.sessions import Session
from tests.rows import rows
from tests.transcripts import Lines, World
from tests.vectors.fakes import Hashed, Kept

ALL = jobs.KINDS[:-1]


@contextmanager
def opened(world: World) -> Iterator[sqlite3.Connection]:
    with world.memory().home.writing([]) as (_log, _key, index):
        yield index.db


def taught(world: World) -> World:
    session = Session()
    session.ask("Where should the cache live?", "SQLite")
    session.prompt("Thank you for that")
    session.task("Build the cache table with its expiry column")
    session.answer("It lives in SQLite now")
    world.write(session)
    world.memory().index()
    world.memory().learning.run()
    return world


def said(world: World, *prompts: str, session: str = "s1", answers: Sequence[str] = ()) -> World:
    lines = Lines(session)
    for text in prompts:
        lines.prompt(text)
    for text in answers:
        lines.answer(text)
    world.write(lines)
    world.memory().index()
    return world


def task(db: sqlite3.Connection, embedder: Embedder | None, store: Store | None, **more: Any) -> OutboxWork:
    version = embedder.version if embedder is not None else jobs.UNCHOSEN
    return OutboxWork(db, embedder, store, version, **more)


def statuses(db: sqlite3.Connection) -> dict[str, int]:
    return dict(db.execute("select status, count(*) from vector_outbox group by status").fetchall())


# --- jobs --------------------------------------------------------------------------------------------------


@rows("R2.26", "R2.69", "R2.70")
def test_every_text_has_a_job_and_takes_it_along(world: World) -> None:
    notes = world.base / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Alpha\n\nabout the cache\n")
    memory = taught(world).memory()
    memory.documents.add([str(notes)])
    memory.scratchpads.create(memory.workflows.create("cache", "what it is for").id, "findings", "it is cold")
    kinds = dict(world.rows("select item_kind, count(*) from vector_outbox group by 1"))
    assert set(kinds) == set(ALL)
    for kind in ("prompt", "response", "doc", "pad"):
        assert kinds[kind] == world.one(f"select count(*) from passages where kind = '{kind}'")
    assert kinds["entry"] == world.one("select count(*) from entries")
    assert kinds["summary"] == world.one("select count(*) from sessions")
    before = world.rows("select item_kind, item_id, created_at from vector_outbox order by 1, 2")
    world.memory().rebuild()
    assert world.rows("select item_kind, item_id, created_at from vector_outbox order by 1, 2") == before
    world.memory().forget(session="s1")
    assert dict(world.rows("select item_kind, count(*) from vector_outbox group by 1")) == {
        kind: kinds[kind] for kind in ("doc", "pad")
    }
    assert world.memory().verify() == []


def test_a_text_that_changes_waits_again(world: World) -> None:
    lines = Lines()
    lines.prompt("first")
    lines.answer("one half", message_id="m", request_id="r")
    world.write(lines)
    world.memory().index()
    store = Kept()
    with opened(world) as db:
        assert work(task(db, Hashed(), store)) == Worked(done=3, texts=3)
    lines.answer("the other half", message_id="m", request_id="r")
    world.write(lines)
    world.memory().index()
    embedder = Hashed()
    with opened(world) as db:
        worked = work(task(db, embedder, store))
        assert (worked.done, worked.kept, worked.waiting) == (1, 1, 0)  # what the session is about is the same
    assert embedder.seen == ["one half\n\nthe other half"]
    assert len(store.rows) == 3
    assert world.memory().verify() == []


def test_the_scope_of_a_project_has_its_jobs(world: World) -> None:
    said(world, "here")
    lines = Lines("other", cwd="/home/dev/elsewhere")
    lines.prompt("there")
    world.write(lines, folder="-home-dev-elsewhere")
    world.memory().index()
    kinds = world.rows("select item_kind from vector_outbox order by 1", "/home/dev/weather")
    assert kinds == [("prompt",), ("summary",)]
    assert world.one("select count(*) from vector_outbox") == 4


# --- doing them --------------------------------------------------------------------------------------------


def test_without_an_embedder_the_jobs_wait(world: World) -> None:
    with opened(taught(world)) as db:
        there = waiting(db)
        assert work(task(db, None, None)) == reconcile(task(db, None, None)) == Worked(waiting=there)
        assert set(statuses(db)) == {"pending"}


@rows("R2.8", "R2.26", "R2.71", "R2.100")
def test_each_job_is_done_once_under_its_key(world: World) -> None:
    store = Kept()
    with opened(taught(world)) as db:
        worked = work(task(db, Hashed(), store))
        assert (worked.done, worked.failed, worked.waiting) == (waiting_before(db), 0, 0)
        assert work(task(db, Hashed(), store)) == Worked()
        assert store.writes == len(store.rows)
        passages = {str(i): i >> 27 for (i,) in db.execute("select id from passages where kind <> 'tool'")}
        assert {
            key: store.rows[PASSAGES, "hashed-1", key, 0].place for key in store.keys(PASSAGES, "hashed-1")
        } == passages
        entries = [row[0] << 3 | PASSAGE_KINDS["insight"] for row in db.execute("select id from entries")]
        assert {str(i) for i in entries} <= passages.keys()
        assert list(store.keys(SESSIONS, "hashed-1")) == ["s1"]
        assert len(list(store.keys(TASK_TITLES, "hashed-1"))) == 1
    world.memory().learning.run(again=True)
    with opened(world) as db:
        assert waiting(db) == 0
    assert world.memory().verify() == []  # what the worker did is its own, and no difference to a replay


def waiting_before(db: sqlite3.Connection) -> int:
    return int(db.execute("select count(*) from vector_outbox").fetchone()[0])


def test_what_matters_most_comes_first_and_the_newest_of_it(world: World) -> None:
    session = Session()
    session.ask("Where should the cache live?", "SQLite")
    session.prompt("an older prompt")
    session.answer("an answer")
    session.prompt("a newer prompt")
    world.write(session)
    world.memory().index()
    world.memory().learning.run()
    embedder = Hashed()
    with opened(world) as db:
        waits = [work(task(db, embedder, Kept()), limit=1).waiting for _ in range(5)]
    assert waits == [4, 3, 2, 1, 0]
    about = "an older prompt"  # what the session is about
    assert embedder.seen == ["Where should the cache live?\nSQLite", about, "a newer prompt", about, "an answer"]


def test_a_long_text_has_a_vector_for_each_part(world: World) -> None:
    said(world, "A sentence of some words. " * 40)
    store, embedder = Kept(), Hashed()
    with opened(world) as db:
        work(task(db, embedder, store))
        key = str(db.execute("select id from passages").fetchone()[0])
    assert len(store.vectors(PASSAGES, "hashed-1", [key])[key]) == 6


@pytest.mark.parametrize("slow", [(), (0,), (1,), (0, 2)])
def test_every_part_has_one_vector_however_many_are_embedded_at_once(
    world: World, slow: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """How many texts are embedded at once follows how long they took, also in the middle of a batch."""
    for name, value in (("BATCH", 16), ("SLOW_BATCH", 4), ("_SLOW_S", 0.02)):
        monkeypatch.setattr(outbox, name, value)

    class Moody(Hashed):
        calls = 0

        def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
            if self.calls in slow:
                time.sleep(0.1)
            self.calls += 1
            return super().embed(texts)

    said(world, *(f"prompt {n}. " + "many words about it. " * 30 for n in range(12)))
    embedder, store = Moody(), Kept()
    with opened(world) as db:
        work(task(db, embedder, store))
        texts = dict(db.execute("select cast(id as text), text from passage_texts where kind = 'prompt'"))
    assert len(embedder.seen) == len(store.rows)
    for key, text in texts.items():
        wanted = [embedder.vector(part) for part in parts(text, embedder.parts_of)]
        assert len(wanted) > 1 and store.vectors(PASSAGES, embedder.version, [key])[key] == wanted


def test_tool_calls_only_where_they_are_asked_for(world: World) -> None:
    lines = Lines()
    lines.prompt("run it")
    lines.tool("Bash", "t1", command="make all")
    world.write(lines)
    world.memory().index()
    store = Kept()
    with opened(world) as db:
        work(task(db, Hashed(), store))
        assert "tool" not in coverage(db)
        work(task(db, Hashed(), store, kinds=jobs.KINDS))
        assert coverage(db)["tool"] == Counts(1, 0, 0)
    assert world.memory().verify() == []
    world.memory().forget(session="s1")
    with opened(world) as db:
        assert coverage(db) == {}
        assert sweep(db, store) == 3
    assert store.rows == {}


def test_answers_over_the_budget_wait_and_the_oldest_give_way(world: World) -> None:
    said(world, "prompt", answers=["first answer", "second answer", "third answer"])
    store = Kept()
    with opened(world) as db:
        worked = work(task(db, Hashed(), store, budget=2))
        assert (worked.done, worked.waiting, worked.over_budget) == (4, 0, 1)
    said(world, "prompt", answers=["first answer", "second answer", "third answer", "fourth answer"])
    with opened(world) as db:
        worked = work(task(db, Hashed(), store, budget=2))
        assert (worked.done, worked.over_budget) == (1, 2)
        done = db.execute(
            """
            select r.text from vector_outbox o join passages p on p.id = o.item_id join responses r on r.id = p.ref
            where o.status = 'done' and o.item_kind = 'response' order by 1
            """
        ).fetchall()
        assert done == [("fourth answer",), ("third answer",)]
        assert len(list(store.keys(PASSAGES, "hashed-1"))) == 3
        assert work(task(db, Hashed(), store, budget=-1)).done == 2


# --- what goes wrong ---------------------------------------------------------------------------------------


@rows("R2.72")
def test_one_bad_text_fails_alone_and_says_why_and_nothing_of_itself(world: World) -> None:
    store = Kept()
    said(world, *(f"prompt number {n}" for n in range(40)), "the expiry column")
    with opened(world) as db:
        worked = work(task(db, Hashed(refuse="expiry column"), store))
        assert (worked.done, worked.failed, worked.waiting) == (41, 1, 0)
        assert db.execute("select error from vector_outbox where status = 'failed'").fetchall() == [
            ("ValueError: cannot embed …",)
        ]
        assert reconcile(task(db, Hashed(), store, now=lambda: 1 << 50)).done == 1
        assert statuses(db) == {"done": 42}


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("Request too large: 9000 tokens, at most 512", "ValueError: Request too large: 9000 tokens, at most 512"),
        ("bad input 'the EXPIRY column of the cou…' at 7", "ValueError: bad input '…' at 7"),
        ('{"input": "the expiry\\\\ncolumn"}', 'ValueError: {"input": "…"}'),
        ("the expiry column", "ValueError in tests.vectors.test_outbox:"),
        ("", "ValueError in tests.vectors.test_outbox:"),
    ],
)
def test_the_reason_of_a_failure_quotes_nothing(message: str, kept: str) -> None:
    try:
        raise ValueError(message)
    except ValueError as error:
        reason = reason_of(error, "the expiry column of the coupon")
    assert reason == kept or (kept.endswith(":") and reason.removeprefix(kept).isdecimal())


@rows("R2.73", "R2.95")
def test_what_fails_is_tried_again_after_a_while_and_not_for_ever(world: World) -> None:
    said(world, "a bad one")
    clock = [1_000_000]

    def sleep(seconds: float) -> None:
        clock[0] += int(seconds * 1000)

    with opened(world) as db:
        bad = Hashed(refuse="bad")
        run = task(db, bad, Kept(), now=lambda: clock[0], sleep=sleep)
        assert reconcile(run).failed == 2
        assert reconcile(run) == Worked()  # too early
        clock[0] += PAUSE_MS
        assert reconcile(run).failed == 2
        clock[0] += PAUSE_MS
        assert reconcile(run) == Worked()  # it waits twice as long now
        clock[0] += PAUSE_MS
        assert reconcile(run).failed == 2
        clock[0] += 1 << 40
        assert reconcile(run) == Worked()
        assert db.execute("select distinct status, attempts from vector_outbox").fetchall() == [("failed", RETRIES)]
        retry(db)
        assert reconcile(task(db, Hashed(), Kept())).done == 2
        retry(db)
        started = clock[0]
        db.execute("update vector_outbox set status = 'pending', attempts = 0")
        assert reconcile(run, patient=True).failed == 2
        assert clock[0] - started == 3 * PAUSE_MS
        assert not is_complete(db, bad.version, ALL)  # nothing of it could be embedded


def test_a_version_is_complete_when_its_first_kinds_are(world: World) -> None:
    said(world, "good", "good too", "a bad one", answers=["an answer"])
    with opened(world) as db:
        run = task(db, Hashed(refuse="bad"), Kept(), now=lambda: 1, sleep=lambda _s: None)
        work(task(db, Hashed(refuse="bad"), Kept()), limit=2)
        assert not is_complete(db, "hashed-1", ALL)
        work(run)
        assert not is_complete(db, "hashed-1", ALL)  # one will be tried again
        db.execute("update vector_outbox set attempts = ? where status = 'failed'", (RETRIES,))
        db.execute("update vector_outbox set status = 'pending' where item_kind = 'response'")
        assert is_complete(db, "hashed-1", ALL)
        assert not is_complete(db, "hashed-2", ALL)


class Few(Hashed):
    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        return list(super().embed(texts))[1:]


class NotFinite(Hashed):
    def vector(self, text: str) -> Vector:
        return [math.nan, *list(super().vector(text))[1:]]


class Short(Hashed):
    def vector(self, text: str) -> Vector:
        return list(super().vector(text))[1:]


@pytest.mark.parametrize(
    ("embedder", "why"),
    [
        (Few(), "hashed gave 0 vectors for 1 texts"),
        (NotFinite(), "a vector with numbers that are not finite"),
        (Short(), "a vector of 7 numbers, not 8"),
    ],
)
def test_vectors_that_cannot_be_used(world: World, embedder: Embedder, why: str) -> None:
    store = Kept()
    with opened(said(world, "one", "two")) as db:
        assert work(task(db, embedder, store)).failed == 3
        assert {row[0] for row in db.execute("select error from vector_outbox")} == {why}
    assert store.rows == {}


@pytest.mark.parametrize("error", [EmbedderError("nobody answers"), MissingExtra("no model")])
def test_an_embedder_that_does_not_answer_ends_the_run(world: World, error: Exception) -> None:
    with opened(said(world, "one", "two")) as db:
        worked = work(task(db, Hashed(refuse="", error=error), Kept()))
        assert (worked.stopped, worked.failed, worked.waiting) == (error, 0, 3)
        assert statuses(db) == {"pending": 3}


def test_an_embedder_that_refuses_one_text_goes_on_with_the_others(world: World) -> None:
    with opened(said(world, "one", "far too long")) as db:
        refusing = Hashed(refuse="far too long", error=EmbedderError("server.example found the text beyond its limit"))
        worked = work(task(db, refusing, Kept()))
        assert (worked.stopped, worked.done, worked.failed) == (None, 2, 1)
        (error,) = db.execute("select error from vector_outbox where status = 'failed'").fetchone()
        assert error == "EmbedderError: server.example found the text beyond its limit"


class Full(Kept):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def upsert(self, collection: str, version: str, rows: Sequence[VectorRow]) -> None:
        raise self.error


@pytest.mark.parametrize(
    "error", [sqlite3.OperationalError("database or disk is full"), OSError(errno.ENOSPC, "No space left on device")]
)
def test_a_full_disk_leaves_the_jobs_as_they_are(world: World, error: Exception) -> None:
    with opened(said(world, "one")) as db:
        worked = work(task(db, Hashed(), Full(error)))
        assert worked.stopped is not None and "no space left" in worked.stopped.message
        assert statuses(db) == {"pending": 2}
        assert work(task(db, Hashed(), Kept())).done == 2


def test_who_lost_the_lock_writes_nothing(world: World) -> None:
    checks = iter([None, Locked("taken over")])

    def check() -> None:
        if (error := next(checks)) is not None:
            raise error

    store = Kept()
    with opened(said(world, "one")) as db:
        worked = work(task(db, Hashed(), store, check=check))
        assert isinstance(worked.stopped, Locked)
        assert store.rows == {} and statuses(db) == {"pending": 2}


class Meanwhile(Kept):
    """While vectors are stored, somebody else changes the index."""

    def __init__(self, act: Any) -> None:
        super().__init__()
        self.act = act

    def upsert(self, collection: str, version: str, rows: Sequence[VectorRow]) -> None:
        super().upsert(collection, version, rows)
        act, self.act = self.act, None
        if act is not None:
            act()


def test_a_text_that_is_forgotten_while_it_is_embedded_leaves_no_vector(world: World) -> None:
    said(world, "stays", session="s2")
    said(world, "goes")
    store = Meanwhile(lambda: world.memory().forget(session="s1"))
    with opened(world) as db:
        work(task(db, Hashed(), store))
        assert sorted(store.keys(SESSIONS, "hashed-1")) == ["s2"]
        assert len(list(store.keys(PASSAGES, "hashed-1"))) == 1
        assert statuses(db) == {"done": 2}


def test_a_text_that_changes_while_it_is_embedded_is_embedded_again(world: World) -> None:
    said(world, "before")
    store = Meanwhile(lambda: said(world, "after"))
    with opened(world) as db:
        work(task(db, Hashed(), store))
        (key,) = store.keys(PASSAGES, "hashed-1")
        assert store.vectors(PASSAGES, "hashed-1", [key])[key] == [Hashed().vector("after")]
        assert statuses(db) == {"done": 2}


def test_an_index_that_is_made_anew_meanwhile_is_embedded_all_the_same(world: World) -> None:
    said(world, "one", "two")
    store = Meanwhile(lambda: world.memory().rebuild())
    embedder = Hashed()
    with opened(world) as db:
        worked = work(task(db, embedder, store))
        assert statuses(db) == {"done": 3}
    assert embedder.seen == ["one", "one", "two"]  # the session, then the prompts: each once
    assert worked.kept >= 1


# --- whatever happens --------------------------------------------------------------------------------------


class Killed(BaseException):
    """kill -9, as far as a test can go in one process."""


@rows("R2.8", "R2.71", "R2.95")
@settings(max_examples=examples(100))
@given(st.lists(st.sampled_from(["work", "reconcile", "fail", "die", "add", "change", "drop", "switch"]), max_size=10))
def test_whatever_happens_no_job_is_lost_or_done_twice(acts: list[str]) -> None:
    """R2.95: in the end every job is done, or has failed with its error; never two vectors for one item."""

    class Dying(Kept):
        def upsert(self, collection: str, version: str, rows: Sequence[VectorRow]) -> None:
            super().upsert(collection, version, rows)
            raise Killed  # after the vector was written, before the job says so

        def delete(self, collection: str, version: str, keys: Collection[str]) -> None:
            super().delete(collection, version, keys)

    db = tiny()
    store, version, next_id = Kept(), "v1", 3
    for act in acts:
        one: Kept = Dying() if act == "die" else Kept()
        one.rows = store.rows
        ids = [row[0] for row in db.execute("select id from prompts order by id")]
        if act == "add":
            put(db, next_id, f"text {next_id}")
            next_id += 1
        elif act == "change" and ids:
            drop(db, ids[0])
            put(db, ids[0], f"text {ids[0]} changed {next_id}")
            next_id += 1
        elif act == "drop" and ids:
            drop(db, ids[-1])
        elif act == "switch":
            version = {"v1": "v2", "v2": "v1"}[version]
        embedder = Hashed(version, refuse="text 1" if act == "fail" else "\x00")
        run = task(db, embedder, one, now=lambda: 1)
        with suppress(Killed):
            (reconcile if act == "reconcile" else work)(run)
        for at, status in db.execute(
            "select item_id, status from vector_outbox where embedding_version = ?", (version,)
        ):
            assert status != "done" or (PASSAGES, version, str(at), 0) in store.rows
        store.rows = one.rows
    last = Hashed(version)
    retry(db)
    sweep(db, store)
    reconcile(task(db, last, store))
    assert statuses(db) == ({"done": n} if (n := db.execute("select count(*) from prompts").fetchone()[0]) else {})
    texts = {str(row[0]): row[1] for row in db.execute("select id, text from prompts")}
    assert set(store.keys(PASSAGES, version)) == texts.keys()
    for key, text in texts.items():
        assert store.vectors(PASSAGES, version, [key])[key] == [last.vector(text)]
    db.close()


def tiny() -> sqlite3.Connection:
    """An index of prompts alone, with the outbox that belongs to it."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    for statement in (
        "create table meta(key text primary key, value text)",
        "create table passages(id integer primary key, kind text, timestamp integer)",
        "create table prompts(id integer primary key, text text)",
        "create table entries(entry_id text, id integer, title text, text text, created_ts integer)",
        "create table entities(entity_id text, entity_type text, title text, created_at text)",
        "create table sessions(id text, title text, ended_at integer, last_ts integer, file_mtime integer)",
        "create table summaries(session_id text, leaf_uuid text, summary text)",
        "create table records(uuid text, session_id text, timestamp integer, line integer)",
        """
        create view passage_texts as
        select p.id, '' as title, r.text from passages p join prompts r on r.id = p.id
        """,
    ):
        db.execute(statement)
    jobs.create(db)
    for n in range(3):
        put(db, n, f"text {n}")
    return db


def put(db: sqlite3.Connection, name: int, text: str) -> None:
    with sqlite.atomic(db):
        db.execute("insert into prompts values (?, ?)", (name, text))
        db.execute("insert into passages values (?, 'prompt', ?)", (name, name))


def drop(db: sqlite3.Connection, name: int) -> None:
    with sqlite.atomic(db):
        db.execute("delete from passages where id = ?", (name,))
        db.execute("delete from prompts where id = ?", (name,))
