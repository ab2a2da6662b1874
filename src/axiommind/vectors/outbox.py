"""The worker of the vector outbox: rows first, then vectors, then the status of the job.

A job is done only after its vector is stored, and storing the same one twice is the same as once, so a worker that is
killed in between leaves nothing to repair: the job is still pending. Without an embedder the jobs wait.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from axiommind.db import atomic
from axiommind.projections._rows import iso

__all__ = ["Embedder", "Item", "Store", "Worked", "reconcile", "waiting", "work"]

BATCH = 64
RETRIES = 3  # of a failed job, by `reconcile`
_ERROR_CHARS = 200

_TEXTS = {
    "entry": "select title || char(10) || text from entries where entry_id = ?",
    "task_title": "select title from entities where entity_id = ?",
}


class Item(NamedTuple):
    """What a vector is of."""

    kind: str
    id: str
    text: str


class Embedder(Protocol):
    name: str

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...


class Store(Protocol):
    def upsert(self, items: Sequence[tuple[Item, Sequence[float]]]) -> None:
        """Keep one vector for each (kind, id); a second one takes the place of the first."""


class Worked(NamedTuple):
    done: int = 0
    failed: int = 0
    waiting: int = 0


def waiting(db: sqlite3.Connection) -> int:
    """Jobs that nobody has done yet."""
    (count,) = db.execute("select count(*) from vector_outbox where status = 'pending'").fetchone()
    return int(count)


def work(
    db: sqlite3.Connection,
    embedder: Embedder | None,
    store: Store | None,
    *,
    limit: int | None = None,
    now: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
) -> Worked:
    """Do pending jobs, at most `limit`. A batch that fails is tried one by one, so that one bad text fails alone."""
    if embedder is None or store is None:
        return Worked(waiting=waiting(db))
    done = failed = 0
    while limit is None or done + failed < limit:
        jobs = db.execute(
            """
            select job_id, item_kind, item_id from vector_outbox where status = 'pending'
            order by created_at, job_id limit ?
            """,
            (BATCH if limit is None else min(BATCH, limit - done - failed),),
        ).fetchall()
        if not jobs:
            break
        try:
            _put(db, embedder, store, jobs)
            errors: dict[str, str | None] = dict.fromkeys(job for job, _, _ in jobs)
        except Exception:  # noqa: BLE001 - whatever an embedder raises is the error of its jobs
            errors = {job[0]: _alone(db, embedder, store, job) for job in jobs}
        at = iso(now())
        with atomic(db):
            db.executemany(
                """
                update vector_outbox
                set status = ?, error = ?, attempts = attempts + 1, updated_at = ? where job_id = ?
                """,
                [("failed" if why else "done", why, at, job) for job, why in errors.items()],
            )
        failed += sum(why is not None for why in errors.values())
        done += sum(why is None for why in errors.values())
    return Worked(done, failed, waiting(db))


def reconcile(
    db: sqlite3.Connection,
    embedder: Embedder | None,
    store: Store | None,
    *,
    now: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
) -> Worked:
    """Do what is pending, and once more what failed, unless it did so too often."""
    with atomic(db):
        db.execute("update vector_outbox set status = 'pending' where status = 'failed' and attempts < ?", (RETRIES,))
    return work(db, embedder, store, now=now)


def _put(db: sqlite3.Connection, embedder: Embedder, store: Store, jobs: Sequence[tuple[str, str, str]]) -> None:
    items = []
    for _job, kind, name in jobs:
        row = db.execute(_TEXTS[kind], (name,)).fetchone()
        if row is not None:  # else it is gone, and so will be the job
            items.append(Item(kind, name, row[0]))
    vectors = embedder.embed([item.text for item in items])
    if len(vectors) != len(items):
        raise ValueError(f"{embedder.name} gave {len(vectors)} vectors for {len(items)} texts")
    store.upsert(list(zip(items, vectors, strict=True)))


def _alone(db: sqlite3.Connection, embedder: Embedder, store: Store, job: tuple[str, str, str]) -> str | None:
    try:
        _put(db, embedder, store, [job])
    except Exception as error:  # noqa: BLE001 - see above
        return f"{type(error).__name__}: {error}"[:_ERROR_CHARS]
    return None
