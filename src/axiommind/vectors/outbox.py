"""The worker of the vector outbox: rows first, then vectors, then the status of the job.

A job is done only after its vectors are stored, and storing the same vectors twice is the same as once, so a worker
that is killed in between leaves nothing to repair: the job is still pending. A text that already has its vectors is not
embedded again. An error with a text belongs to its job; an error of the embedder, the store or the disk ends the run
and leaves the jobs as they are.
"""

from __future__ import annotations

import errno
import json
import sqlite3
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from axiommind.db import atomic
from axiommind.errors import AxmError, DiskFull, VectorError
from axiommind.projections import outbox as jobs
from axiommind.projections.outbox import KINDS
from axiommind.vectors.attempts import ERROR_CHARS, embed_each, reason_of, telling
from axiommind.vectors.contract import PASSAGES, Embedder, Store, Vector, VectorRow
from axiommind.vectors.coverage import RETRIES, coverage, waiting
from axiommind.vectors.items import LATER, EmbedItem, collection_of, read
from axiommind.vectors.parts import parts

__all__ = ["OutboxWork", "Worked", "reconcile", "retry", "work"]

BATCH = 256
SLOW_BATCH = 32  # of an embedder that takes long for them
PAUSE_MS = 1_000  # after the first failure, then twice as long each time
_SLOW_S = 0.5
_PASSES = 20


@dataclass(slots=True)
class Worked:
    done: int = 0
    failed: int = 0
    kept: int = 0  # that had their vectors already, or that mean nothing
    waiting: int = 0
    over_budget: int = 0  # that wait because there are newer ones
    texts: int = 0  # that were embedded, parts counted each
    stopped: AxmError | None = None

    @property
    def handled(self) -> int:
        return self.done + self.failed + self.kept


@dataclass(frozen=True, slots=True)
class OutboxWork:
    """What a worker works with. Without an embedder or a store the jobs wait."""

    db: sqlite3.Connection
    embedder: Embedder | None
    store: Store | None
    version: str
    kinds: Collection[str] = KINDS[:-1]
    budget: int = -1  # most answers and tool calls with vectors, the newest ones; negative = all
    keep: Collection[str] = ()  # other versions whose jobs stay
    check: Callable[[], None] = lambda: None  # fails when another process has become the writer
    progress: Callable[[int, int], None] = lambda _done, _total: None
    now: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    sleep: Callable[[float], None] = time.sleep


def retry(db: sqlite3.Connection) -> None:
    """Let every failed job be tried again, as often as a new one."""
    with atomic(db):
        db.execute("update vector_outbox set status = 'pending', attempts = 0 where status = 'failed'")


def reconcile(task: OutboxWork, *, limit: int | None = None, patient: bool = False) -> Worked:
    """Do what is pending, and again what failed, unless that was too often or a moment ago; with `patient`, wait for
    that moment."""
    total = Worked()
    while True:
        if task.embedder is not None and task.store is not None:
            _due(task)
        worked = work(task, limit=None if limit is None else limit - total.handled)
        for name in ("done", "failed", "kept", "texts"):
            setattr(total, name, getattr(total, name) + getattr(worked, name))
        total.waiting, total.over_budget, total.stopped = worked.waiting, worked.over_budget, worked.stopped
        due = _next_due(task)
        if not patient or worked.stopped or due is None or (limit is not None and total.handled >= limit):
            break
        pause = due - task.now()
        if pause > PAUSE_MS << RETRIES:  # the clock was set back
            break
        task.sleep(max(pause, 0) / 1000)
    total.failed = min(total.failed, sum(one.failed for one in coverage(task.db, task.version).values()))
    return total


_TRIED = f"updated_at + ({PAUSE_MS} << max(attempts - 1, 0))"


def _due(task: OutboxWork) -> None:
    with atomic(task.db):
        task.db.execute(
            f"""
            update vector_outbox set status = 'pending'
            where status = 'failed' and attempts < ? and {_TRIED} <= ? and embedding_version = ?
            """,
            (RETRIES, task.now(), task.version),
        )


def _next_due(task: OutboxWork) -> int | None:
    (due,) = task.db.execute(
        f"""
        select min({_TRIED}) from vector_outbox
        where status = 'failed' and attempts < ? and embedding_version = ?
          and item_kind in (select value from json_each(?))
        """,
        (RETRIES, task.version, json.dumps(list(task.kinds))),
    ).fetchone()
    return None if due is None or task.embedder is None else int(due)


def work(task: OutboxWork, *, limit: int | None = None) -> Worked:
    """Do pending jobs, at most `limit`: what matters most first, and of each kind the newest."""
    if task.embedder is None or task.store is None:
        return Worked(waiting=waiting(task.db))
    run = _Worker(task, task.embedder, task.store, limit)
    try:
        run.everything()
    except AxmError as error:
        run.worked.stopped = error
    except (sqlite3.OperationalError, OSError) as error:
        if not _is_full(error):
            raise
        run.worked.stopped = DiskFull(
            "no space left while writing vectors", hint="free some space and run axm embed again"
        )
    return run.count()


class _Worker:
    """One run through the pending jobs."""

    def __init__(self, task: OutboxWork, embedder: Embedder, store: Store, limit: int | None) -> None:
        self._task, self._embedder, self._store, self._limit = task, embedder, store, limit
        self._db = task.db
        self._beyond: set[tuple[str, int | str]] = set()  # the budget
        self._size = SLOW_BATCH
        self.worked = Worked()

    def everything(self) -> None:
        for _ in range(_PASSES):  # more came or changed meanwhile
            self._target()
            self._keep_to_budget()
            listed = [(kind, self._pending(kind)) for kind in KINDS if kind in self._task.kinds]
            total = self.worked.handled + sum(len(ids) for _, ids in listed)
            if self._limit is not None:
                total = min(total, self._limit)
            before = self.worked.handled
            for kind, ids in listed:
                while ids and (room := self._room()):
                    some, ids = ids[:room], ids[room:]
                    self._batch(kind, some)
                    self._task.progress(self.worked.handled, total)
            if self.worked.handled == before or not self._room():
                break

    def count(self) -> Worked:
        pending = sum(len(self._pending(kind)) for kind in self._task.kinds)
        self.worked.over_budget = len(self._beyond)
        self.worked.waiting = pending
        return self.worked

    def _room(self) -> int:
        return self._size if self._limit is None else max(min(self._size, self._limit - self.worked.handled), 0)

    def _target(self) -> None:
        """The index may have been rebuilt since: then its jobs have no version."""
        if jobs.wanted(self._db) != self._task.version:
            with atomic(self._db):
                jobs.retarget(self._db, self._task.version, self._task.keep)
        if "tool" in self._task.kinds:
            with atomic(self._db):
                jobs.add_tools(self._db)

    def _pending(self, kind: str) -> list[int | str]:
        rows = self._db.execute(
            """
            select item_id from vector_outbox
            where status = 'pending' and item_kind = ? and embedding_version = ?
            order by created_at desc, item_id desc
            """,
            (kind, self._task.version),
        )
        return [row[0] for row in rows if (kind, row[0]) not in self._beyond]

    def _keep_to_budget(self) -> None:
        """What is too old for the budget has no vectors; if it had some, they go."""
        if self._task.budget < 0:
            return
        rows = self._db.execute(
            """
            select item_kind, item_id, status from vector_outbox
            where item_kind in (select value from json_each(?)) and embedding_version = ?
            order by created_at desc, item_id desc limit -1 offset ?
            """,
            (json.dumps(LATER), self._task.version, self._task.budget),
        ).fetchall()
        self._beyond = {(kind, name) for kind, name, _ in rows}
        stored = [(kind, name) for kind, name, status in rows if status == "done"]
        if not stored:
            return
        self._task.check()
        self._store.delete(PASSAGES, self._task.version, [str(name) for _, name in stored])
        with atomic(self._db):
            self._db.executemany(
                """
                update vector_outbox set status = 'pending', attempts = 0
                where item_kind = ? and item_id = ? and embedding_version = ?
                """,
                [(*one, self._task.version) for one in stored],
            )

    # --- one batch -------------------------------------------------------------------------------------

    def _batch(self, kind: str, ids: Sequence[int | str]) -> None:
        self._task.check()
        seen = self._changes()
        items = read(self._db, kind, ids)
        collection, version = collection_of(kind), self._task.version
        known = self._store.hashes(collection, version, [item.key for item in items])
        new = [item for item in items if known.get(item.key) != item.text_hash]
        made = self._vectors(new)
        self._task.check()
        self._put(collection, new, made)
        without = {key for key, vectors in made.items() if not vectors or isinstance(vectors, str)}
        stale = known.keys() & without
        if stale:
            self._store.delete(collection, version, stale)
        errors = {item.id: why if isinstance(why := made.get(item.key), str) else None for item in items}
        left = self._mark(kind, ids, items, errors, seen)
        if left:  # gone while it was embedded
            self._store.delete(collection, version, left)
        failed = sum(why is not None for why in errors.values())
        done = sum(bool(vectors) for vectors in made.values()) - failed
        self.worked.failed += failed
        self.worked.done += done
        self.worked.kept += len(items) - done - failed

    def _put(self, collection: str, items: Sequence[EmbedItem], made: dict[str, list[Vector] | str]) -> None:
        rows = [
            VectorRow(item.key, part, item.place, item.text_hash, vector)
            for item in items
            if not isinstance(found := made[item.key], str)
            for part, vector in enumerate(found)
        ]
        if not rows:
            return
        try:
            self._store.upsert(collection, self._task.version, rows)
        except VectorError as error:  # of one of them
            if len(items) == 1:
                made[items[0].key] = error.message[:ERROR_CHARS]
                return
            for item in items:
                self._put(collection, [item], made)

    def _changes(self) -> int:
        """A number that changes whenever another connection has written."""
        return int(self._db.execute("pragma data_version").fetchone()[0])

    def _mark(
        self,
        kind: str,
        ids: Sequence[int | str],
        items: Sequence[EmbedItem],
        errors: dict[int | str, str | None],
        seen: int,
    ) -> set[str]:
        """Record the outcome of each job, unless its text has changed since. Returns the keys of items now gone."""
        at, version = self._task.now(), self._task.version
        with atomic(self._db):
            there = {item.id: item for item in items}
            left: set[str] = set()
            if self._changes() != seen:
                now = {item.id: item for item in read(self._db, kind, ids)}
                left = {item.key for item in items if item.id not in now}
                there = {i: item for i, item in there.items() if i in now and now[i].text_hash == item.text_hash}
                ids = [i for i in ids if i in there or i not in now]
            self._db.executemany(
                """
                update vector_outbox
                set status = ?, error = ?, attempts = attempts + 1, updated_at = ?
                where item_kind = ? and item_id = ? and embedding_version = ?
                """,
                [("failed" if errors[i] else "done", errors[i], at, kind, i, version) for i in there],
            )
            self._db.executemany(  # a job without an item
                "delete from vector_outbox where item_kind = ? and item_id = ?",
                [(kind, i) for i in ids if i not in there],
            )
        return left

    def _vectors(self, items: Sequence[EmbedItem]) -> dict[str, list[Vector] | str]:
        """The vectors of each item by its key, or why there are none."""
        cut = [(item, part) for item in items for part in parts(item.text, self._embedder.parts_of, item.title)]
        found: dict[str, list[Vector] | str] = {item.key: [] for item in items}
        at = 0
        while at < len(cut):
            some = cut[at : at + max(self._size, 1)]  # the size of a batch may change on the way
            at += len(some)
            started = time.monotonic()
            vectors = embed_each(self._embedder, [part for _, part in some])
            took = time.monotonic() - started
            self._size = BATCH if took * SLOW_BATCH / len(some) < _SLOW_S else SLOW_BATCH
            self.worked.texts += len(some)
            for (item, part), vector in zip(some, vectors, strict=True):
                so_far = found[item.key]
                if isinstance(vector, Exception):
                    found[item.key] = reason_of(vector, part)
                elif isinstance(so_far, list):
                    so_far.append(vector)
        return {key: telling(vectors) for key, vectors in found.items()}


def _is_full(error: Exception) -> bool:
    full = getattr(error, "errno", None) in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
    return full or "disk is full" in str(error) or "No space left" in str(error)
