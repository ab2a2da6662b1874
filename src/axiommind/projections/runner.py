"""The runner: brings `index.db` up to the log, in bounded batches, rows and position in one transaction.

Owns `meta` and `projection_offsets`. A rebuild makes a new index beside the live one and then writes it over the
live one in a single transaction, so readers never see half of it and a database in use is never unlinked.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from axiommind import db as sqlite
from axiommind.errors import IndexCorrupt, Internal, StoreError
from axiommind.locks import is_running
from axiommind.log import EventLog, unseal
from axiommind.model import Event
from axiommind.projections import (
    Projection,
    Segment,
    Table,
    _common_terms,
    _forgettings,
    full_text,
    load_all,
    passages,
)
from axiommind.projections._batches import before_redaction, bounded
from axiommind.projections.folding import fold
from axiommind.projections.following import LOG_KEY, folded_in, follows, require_following
from axiommind.projections.scope import META_KEY, SCHEMA_VERSION, require_schema, views_of
from axiommind.sources import decode
from axiommind.sources import load as load_source
from axiommind.sources.records import Decoded

__all__ = ["Index", "Segments", "quarantine", "rebuild", "remove_leftovers", "tables"]

_BATCH_EVENTS = 256
_MANY_ROWS = 50_000
_SET_LOG = """
    insert into meta values (?, ?)
    on conflict do update set value = excluded.value where value <> excluded.value
"""
# The tables of the runner itself: of no projection, and made before all of theirs.
OWN_TABLES = (
    Table(
        "meta",
        "`schema_version`, `project_path` (always `*`), `last_indexed_at`, `embedding_version` (of new jobs), "
        "`scope` (the views that show one project), `log` (the log it was made from).",
        differs=f"key in ('last_indexed_at', 'embedding_version', '{META_KEY}', '{LOG_KEY}')",
    ),
    Table("projection_offsets", "How far each projection has read the log, and its version."),
    _common_terms.TABLE,
    _forgettings.TABLE,
)


def tables() -> list[Table]:
    """Every table and view of the index."""
    return [*(table for projection in load_all() for table in projection.TABLES), *OWN_TABLES]


class Segments:
    """Decoded segments by position: those just read are offered, the others come from the log, each decoded once."""

    def __init__(self, log: EventLog, pool: Executor | None = None) -> None:
        self._log = log
        self._pool = pool
        self._ready: dict[int, Decoded] = {}

    def offer(self, position: int, decoded: Decoded) -> None:
        self._ready[position] = decoded

    def prefetch(self, events: Sequence[Event]) -> None:
        """Decode the segments of a batch in parallel, where there is a pool and enough of them."""
        wanted = [e for e in events if e.event_type == "transcript_segment" and e.position not in self._ready]
        if self._pool is None or len(wanted) < 4:
            return
        jobs = []
        for event in wanted:
            stored = self._log.raw_blob(event.payload["blob"])
            if stored is not None:
                payload = event.payload
                args = (payload["source"], *stored, payload["first_line"], payload.get("context", {}))
                jobs.append((event.position, self._pool.submit(_decode, *args)))
        for position, job in jobs:
            self._ready[position] = job.result()

    def __call__(self, position: int, segment: Segment, skip: frozenset[str] = frozenset()) -> Decoded | None:
        ready = self._ready.pop(position, None)
        if ready is not None and not skip:
            return ready
        stored = self._log.raw_blob(segment.blob)
        if stored is None:
            return None
        context = json.loads(segment.context) if segment.context else {}
        return _decode(segment.source, *stored, segment.first_line, context, skip)


def _decode(
    source: str,
    codec: str,
    data: bytes,
    first_line: int,
    context: Mapping[str, Any],
    skip: frozenset[str] = frozenset(),
) -> Decoded:
    return decode(load_source(source), unseal(codec, data), first_line, skip, context)


@dataclass(slots=True)
class Progress:
    events: int = 0
    rows: int = 0


class Index:
    """An open `index.db` that may be written. Closing it is the caller's business."""

    def __init__(self, path: Path, *, throwaway: bool = False) -> None:
        self.path = path
        self._projections: list[Projection] = load_all()
        self._throwaway = throwaway
        self._forgot = False
        try:
            self.db = sqlite.open_write(path, sync="off" if throwaway else "normal")
        except sqlite3.Error as error:
            raise self._wrapped(error) from error
        try:
            passages.connect(self.db)
            self.stale = not self._prepare()
        except sqlite3.Error as error:
            self.db.close()
            raise self._wrapped(error) from error

    def _wrapped(self, error: sqlite3.Error) -> Exception:
        if sqlite.is_damage(error):
            return IndexCorrupt(f"{self.path} is damaged ({error})", hint="run: axm rebuild")
        return sqlite.store_error(error, self.path) or Internal(f"{self.path}: {error}")

    def _prepare(self) -> bool:
        """Make the tables where there are none. False when a projection has another version: replay it all."""
        with sqlite.atomic(self.db) as db:
            db.execute("create table if not exists meta (key text primary key, value text not null) without rowid")
            db.execute(
                """
                create table if not exists projection_offsets (
                    projector_name text primary key,
                    last_ts integer not null,
                    last_event_id text not null,
                    position integer not null,
                    version integer not null
                ) without rowid
                """
            )
            _common_terms.create(db)
            _forgettings.create(db)
            found = dict(db.execute("select projector_name, version from projection_offsets").fetchall())
            if found and not self._has_our_schema(db):
                return False
            if not found or found == {p.NAME: p.VERSION for p in self._projections}:
                views = views_of([table for projection in self._projections for table in projection.TABLES])
                db.execute(
                    """
                    insert into meta values (?, ?)
                    on conflict do update set value = excluded.value where value <> excluded.value
                    """,
                    (META_KEY, views),
                )
            if not found:
                for projection in self._projections:
                    projection.create(db)
                    db.execute(
                        "insert into projection_offsets values (?, 0, '', 0, ?)",
                        (projection.NAME, projection.VERSION),
                    )
                db.executemany(
                    "insert into meta values (?, ?)",
                    [("schema_version", str(SCHEMA_VERSION)), ("project_path", "*"), ("last_indexed_at", "")],
                )
                return True
            return found == {p.NAME: p.VERSION for p in self._projections}

    def _has_our_schema(self, db: sqlite3.Connection) -> bool:
        """Whether `meta` names the schema that this program writes; a newer one is refused."""
        row = db.execute("select value from meta where key = 'schema_version'").fetchone()
        try:
            require_schema(self.path, None if row is None else str(row[0]))
        except IndexCorrupt:
            return False
        return True

    def position(self) -> int:
        row = self.db.execute("select min(position) from projection_offsets").fetchone()
        return int(row[0] or 0)

    def follows(self, log: EventLog) -> bool:
        """Whether this index was made from this log. After a log was restored from a backup it was not."""
        return follows(folded_in(self.db), log)

    def precedes_redaction(self, log: EventLog) -> bool:
        """Whether texts were redacted again that this index has as they were."""
        later = log.replay(["redacted_again"], since=self.position())
        return any(event.payload["blobs"] for event in later)

    def catch_up(
        self,
        log: EventLog,
        segments: Segments,
        *,
        until: int | None = None,
        tick: Callable[[Event], None] | None = None,
    ) -> Progress:
        """Fold every event that is not folded yet (up to position `until`)."""
        done = Progress()
        try:
            while self._step(log, segments, done, until, tick):
                pass
            if self._forgot and not self._throwaway:
                self.scrub()
        except sqlite3.Error as error:
            raise self._wrapped(error) from error
        return done

    def _step(
        self,
        log: EventLog,
        segments: Segments,
        done: Progress,
        until: int | None,
        tick: Callable[[Event], None] | None,
    ) -> bool:
        start = self.position()
        segments.prefetch(bounded(log.fetch_since(start, limit=_BATCH_EVENTS), until))
        with sqlite.atomic(self.db) as db:
            # Another process may have folded some of these since: the position that counts is read in here. And another
            # may have restored a log meanwhile: its name is read before the events, and whether they go on from what
            # is folded is asked after them.
            log_row = (LOG_KEY, log.identity().name)
            events = bounded(log.fetch_since(self.position(), limit=_BATCH_EVENTS), until)
            if not self._throwaway:
                events = before_redaction(events)
            if not events:
                return False
            require_following(folded_in(db), log, self.path)
            before = db.total_changes
            happened = _forgettings.without_forgotten(db, events)
            fold(db, self._projections, happened, segments, log.blob, log.event_at)
            last = events[-1]
            if not self._throwaway:
                log.harden()  # an index that knows more than its log after a power cut would be one without a log
            db.execute(_SET_LOG, log_row)
            db.execute(
                "update projection_offsets set last_ts = ?, last_event_id = ?, position = ?",
                (last.ts, last.event_id, last.position),
            )
            done.rows += db.total_changes - before
            done.events += len(events)
        self._forgot |= any(e.event_type == "forgotten" for e in events)
        for event in events:
            if tick is not None:
                tick(event)
        return True

    def stamp(self) -> None:
        """Remember when the index was last brought up to date."""
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        try:
            self.db.execute("update meta set value = ? where key = 'last_indexed_at'", (now,))
        except sqlite3.Error as error:
            raise self._wrapped(error) from error

    def refill(self) -> int:
        """Make the full-text index anew from the passages, in one transaction; returns how many there are."""
        try:
            with sqlite.atomic(self.db) as db:
                return passages.refill(db)
        except sqlite3.Error as error:
            raise self._wrapped(error) from error

    def mend(self) -> bool:
        """Make the full-text index anew where it is damaged, in one transaction; True if it was."""
        try:
            if self.stale or (not full_text.marked(self.path) and full_text.is_sound(self.db)):
                return False
            with sqlite.atomic(self.db) as db:
                full_text.mend(db, self.path)
            return True
        except sqlite3.Error as error:
            raise self._wrapped(error) from error

    def tidy(self, rows: int) -> None:
        """After many new rows: merge the full-text index into one piece, which is what searches read fastest. 0.5 s for
        200,000 passages, whose indexing took 40."""
        try:
            if rows >= _MANY_ROWS:
                self.db.execute("insert into passages_fts(passages_fts) values ('optimize')")
            if rows:
                with sqlite.atomic(self.db) as db:
                    _common_terms.refresh(db)
        except sqlite3.Error as error:
            raise self._wrapped(error) from error

    def scrub(self) -> None:
        """After forgetting: rewrite the full-text index without the deleted terms. Whoever folds a tombstone does this;
        what pages and the write-ahead log still hold goes when the purge is finished (`ingest/purging.py`)."""
        self.db.execute("insert into passages_fts(passages_fts) values ('optimize')")
        with sqlite.atomic(self.db) as db:
            _common_terms.clear(db)
        self._forgot = False

    def close(self) -> None:
        self.db.close()


def rebuild(
    log: EventLog, path: Path, pool: Executor | None = None, tick: Callable[[Event], None] | None = None
) -> Progress:
    """A new index from the log alone. Readers of the old one go on until the moment it is switched."""
    remove_leftovers(path)
    beside = path.with_name(f"{path.name}.building-{os.getpid()}")
    try:
        fresh = Index(beside, throwaway=True)
        try:
            done = fresh.catch_up(log, Segments(log, pool), tick=tick)
            fresh.tidy(done.rows)
            log.harden()
            _switch(fresh.db, path)
        finally:
            fresh.close()
    finally:
        _unlink(beside)
    return done


def _switch(fresh: sqlite3.Connection, path: Path) -> None:
    """Write the new index over the live one page by page in one transaction; a damaged one is moved aside."""
    for attempt in (1, 2):
        try:
            live = sqlite.open_write(path)
            try:
                fresh.backup(live)
            finally:
                live.close()
            return
        except sqlite3.Error as error:
            if attempt == 2 or not sqlite.is_damage(error):
                raise sqlite.store_error(error, path) or StoreError(f"{path}: {error}") from error
            quarantine(path)


def quarantine(path: Path) -> Path:
    """Move a damaged index aside, with its WAL, so that it can still be looked at."""
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    target = path.with_name(f"{path.name}.corrupt-{stamp}-{os.getpid()}")
    for suffix in ("-wal", "-shm", ""):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).replace(target.with_name(target.name + suffix))
    return target


def remove_leftovers(path: Path) -> list[Path]:
    """Remove half-built indexes of runs that were killed, and what a killed `verify` left; a running one keeps its own.
    Returns those that are still being built."""
    running = []
    for old in sorted(path.parent.glob(f"{path.name}.building-*")):
        maker = old.name.partition(".building-")[2].partition("-")[0]
        with contextlib.suppress(OSError):
            if is_running(maker):
                running.append(old)
            elif old.is_dir():
                shutil.rmtree(old)
            else:
                old.unlink()
    return running


def _unlink(path: Path) -> None:
    """What cannot be removed now (a broken disk) must not hide why; the next rebuild removes it."""
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(OSError):
            path.with_name(path.name + suffix).unlink()
