"""The outbox: each job once, done only when its vector is stored, and nothing lost when the worker is not."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.vectors.outbox import RETRIES, Item, Worked, reconcile, waiting, work
from tests.memory.sessions import Session
from tests.transcripts import World


class Embedder:
    """Vectors of two numbers; refuses texts with a word in them."""

    name = "test"

    def __init__(self, refuse: str = "\x00", wrong: bool = False) -> None:
        self.refuse, self.wrong = refuse, wrong

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        for text in texts:
            if self.refuse in text:
                raise ValueError(f"cannot embed {self.refuse}")
        vectors = [[float(len(text)), 1.0] for text in texts]
        return vectors[1:] if self.wrong else vectors


class Store:
    def __init__(self) -> None:
        self.vectors: dict[tuple[str, str], Sequence[float]] = {}
        self.writes = 0

    def upsert(self, items: Sequence[tuple[Item, Sequence[float]]]) -> None:
        for item, vector in items:
            self.writes += 1
            self.vectors[item.kind, item.id] = vector


@contextmanager
def opened(world: World) -> Iterator[sqlite3.Connection]:
    with world.memory()._writing([]) as (_log, _key, index):
        yield index.db


def taught(world: World) -> World:
    session = Session()
    session.ask("Where should the cache live?", "SQLite")
    session.task("Build the cache table with its expiry column")
    world.write(session)
    world.memory().index()
    world.memory().learn()
    return world


def test_without_an_embedder_the_jobs_wait(world: World) -> None:
    with opened(taught(world)) as db:
        assert work(db, None, None) == Worked(waiting=3)
        assert reconcile(db, None, None) == Worked(waiting=3)


def test_each_job_is_done_once(world: World) -> None:
    store = Store()
    with opened(taught(world)) as db:
        assert work(db, Embedder(), store) == Worked(done=3)
        assert work(db, Embedder(), store) == Worked()
        assert store.writes == len(store.vectors) == 3
        assert {kind for kind, _ in store.vectors} == {"entry", "task_title"}
    world.memory().learn(again=True)
    with opened(world) as db:
        assert waiting(db) == 0
    assert world.memory().verify() == []  # what the worker did is its own, and no difference to a replay


def test_one_bad_text_fails_alone_and_is_tried_again(world: World) -> None:
    store = Store()
    with opened(taught(world)) as db:
        assert work(db, Embedder("expiry column"), store) == Worked(done=1, failed=2)
        errors = {row[0] for row in db.execute("select error from vector_outbox where status = 'failed'")}
        assert errors == {"ValueError: cannot embed expiry column"}
        assert reconcile(db, Embedder(), store) == Worked(done=2)
        assert len(store.vectors) == 3


def test_what_fails_too_often_is_left_with_its_error(world: World) -> None:
    with opened(taught(world)) as db:
        for _ in range(RETRIES + 2):
            reconcile(db, Embedder("cache"), Store())
        left = db.execute("select status, attempts, error is not null from vector_outbox").fetchall()
        assert set(left) == {("failed", RETRIES, 1)}


def test_an_embedder_that_gives_too_few_vectors(world: World) -> None:
    store = Store()
    with opened(taught(world)) as db:
        assert work(db, Embedder(wrong=True), store) == Worked(failed=3)
    assert store.vectors == {}


class Killed(BaseException):
    """kill -9, as far as a test can go in one process."""


@settings(max_examples=500)
@given(st.lists(st.sampled_from(["work", "reconcile", "fail", "die"]), max_size=8))
def test_whatever_happens_no_job_is_lost_or_done_twice(acts: list[str]) -> None:
    """R2.95: in the end every job is done, or has failed with its error; never two vectors for one item."""

    class Dying(Store):
        def upsert(self, items: Sequence[tuple[Item, Sequence[float]]]) -> None:
            super().upsert(items)
            raise Killed  # after the vector was written, before the job says so

    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(
        """
        create table entries(entry_id text primary key, title text, text text, created_at text);
        create table entities(entity_id text primary key, entity_type text, title text, created_at text);
        """
    )
    from axiommind.projections import outbox

    outbox.create(db)
    for n in range(3):
        db.execute("insert into entries values (?, 'title', 'bad' || ?, '2026')", (f"ent_{n}", n))
    outbox._add(db, "entry", outbox._ITEMS["entry"], ())
    vectors: dict[tuple[str, str], Sequence[float]] = {}
    for act in acts:
        store = Dying() if act == "die" else Store()
        store.vectors = vectors
        embedder = Embedder("bad1" if act == "fail" else "\x00")
        try:
            (reconcile if act == "reconcile" else work)(db, embedder, store)
        except Killed:
            assert db.execute("select count(*) from vector_outbox where status = 'done'").fetchone()[0] <= len(vectors)
    last = Store()
    last.vectors = vectors
    reconcile(db, Embedder(), last)
    states = db.execute("select item_id, status, error, attempts from vector_outbox").fetchall()
    assert len(states) == 3
    for item, status, error, attempts in states:
        assert status == "done" or (status == "failed" and error and attempts >= RETRIES)
        assert status != "done" or ("entry", item) in vectors
    db.close()
