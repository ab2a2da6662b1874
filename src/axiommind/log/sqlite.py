"""The log of one machine: `log.db`, SQLite in WAL mode.

Owns events, their dedupe keys, blobs and heads. Refuses to touch a damaged or newer file.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from axiommind import db as sqlite
from axiommind.errors import Internal, StoreError, TooNew
from axiommind.ids import canonical_json, checksum, dedupe_key, ulid
from axiommind.log import integrity, tombstones
from axiommind.log.blobs import Sealed, is_sealed, unseal
from axiommind.log.contract import Finding, Head
from axiommind.log.identity import LogIdentity, read_identity, stamp
from axiommind.log.migrations import MIGRATIONS, migrate
from axiommind.log.origins import Origins
from axiommind.log.purges import Purges
from axiommind.log.replacements import Replacements
from axiommind.log.rows import (
    ADD_EVENT,
    HEAD,
    NOTE_HEAD,
    PUT_HEAD,
    event_columns,
    event_of,
    events_in,
    head_of,
    head_row,
    type_filter,
)
from axiommind.model import Event
from axiommind.text.redaction import Redactor

__all__ = ["SqliteLog"]

_PAGE = 500


class SqliteLog:
    """An open log. `now` gives milliseconds and is a parameter so that tests own the clock."""

    def __init__(
        self, path: Path, key: bytes, *, now: Callable[[], int] | None = None, read_only: bool = False
    ) -> None:
        self.path = path
        self._key = key
        self._redactor = Redactor(key)
        self._now = now or (lambda: time.time_ns() // 1_000_000)
        try:
            self._db = sqlite.open_read(path) if read_only else sqlite.open_write(path)
            self.purges = Purges(self._db)
            self.replacements = Replacements(self._db)
            if read_only:
                self._check()
            else:
                self._prepare()
            self._columns, found = event_columns(self._db)
            self.origins = Origins(self._db, found=found)
        except sqlite3.Error as error:
            raise self._wrapped(error) from error

    def _check(self) -> None:
        """A log that was never finished being made (killed at its birth) is empty, not damaged."""
        if not self._db.execute("select 1 from sqlite_master where name = 'migrations'").fetchone():
            self._db.close()
            raise StoreError(f"{self.path} holds no log yet", hint="run: axm index")

    def _prepare(self) -> None:
        with sqlite.atomic(self._db):
            found = migrate(self._db)
            if found <= len(MIGRATIONS):
                stamp(self._db, self._key)
        if found > len(MIGRATIONS):
            from axiommind.distribution import upgrade_command

            self._db.close()
            raise TooNew(
                f"{self.path} was written by a newer version (schema {found}, this program knows {len(MIGRATIONS)})",
                hint=f"upgrade: {upgrade_command()}",
            )

    def _wrapped(self, error: sqlite3.Error) -> Exception:
        if sqlite.is_damage(error):
            return integrity.damaged(self.path, error)
        return sqlite.store_error(error, self.path) or Internal(f"{self.path}: {error}")

    @contextmanager
    def atomic(self) -> Iterator[SqliteLog]:
        """Several appends, one commit."""
        try:
            with sqlite.atomic(self._db):
                yield self
        except sqlite3.Error as error:
            raise self._wrapped(error) from error

    # --- append ---------------------------------------------------------------------------------------

    def append_dedup(
        self,
        event_type: str,
        *,
        actor: str,
        payload: dict[str, Any],
        dedupe_key: str,
        session_id: str | None = None,
        project: str | None = None,
        happened_at: int | None = None,
        build_id: str | None = None,
        sensitivity: str = "normal",
        blobs: Sequence[Sealed] = (),
        head: Head | None = None,
        expect_end: int = 0,
    ) -> Event | None:
        with nullcontext() if self._db.in_transaction else self.atomic():
            for blob in blobs:
                if not is_sealed(self._key, blob):
                    raise Internal(f"blob {blob.hash} was not sealed for this home: refused")
            if head is not None and not self._continues(head, expect_end):
                return None
            clean, session_id, project = (self._redactor.value(one) for one in (payload, session_id, project))
            ts = self._next_ts()
            made = Event(
                position=0,
                event_id=ulid(ts),
                ts=ts,
                event_type=event_type,
                actor=actor,
                session_id=session_id,
                project=project,
                payload=clean,
                checksum="",
                happened_at=happened_at,
                build_id=build_id,
                sensitivity=sensitivity if clean is payload else "redacted",
            )
            event = self._insert(made, dedupe_key)
            if event is not None:
                self._store(event.position, blobs)
                if head is not None:
                    self._db.execute(PUT_HEAD, head_row(head, self._redactor))
            return event

    def _insert(self, event: Event, key: str) -> Event | None:
        """The event with its position and checksum; None when its key is there already."""
        first = self._db.execute(
            """
            insert into event_dedup(dedupe_key, event_id, ts, event_type)
            values (?, ?, ?, ?)
            on conflict do nothing
            """,
            (key, event.event_id, event.ts, event.event_type),
        )
        if first.rowcount == 0:
            return None
        if not event.origin:
            event = event._replace(checksum=checksum(event.payload))
        written = canonical_json(event.payload)
        # What was redacted is redacted in both: a secret that the redactor knows is nowhere.
        row = event._asdict() | {
            "payload_json": written,
            "payload_redacted": written if event.sensitivity == "redacted" else None,
        }
        cursor = self._db.execute(ADD_EVENT, row)
        return event._replace(position=cursor.lastrowid or 0)

    def _next_ts(self) -> int:
        (last,) = self._db.execute("select coalesce(max(ts), 0) from events").fetchone()
        return max(self._now(), int(last))

    def _continues(self, head: Head, expect_end: int) -> bool:
        row = self._db.execute("select generation, end_offset from heads where stream = ?", (head.stream,)).fetchone()
        if row is None:
            return head.generation == 0 and expect_end == 0
        if head.generation == row[0]:
            return bool(expect_end == row[1])
        return bool(head.generation == row[0] + 1 and expect_end == 0)

    def _store(self, position: int, blobs: Sequence[Sealed]) -> None:
        self._db.executemany(
            "insert into blobs(hash, codec, size, data) values (?, ?, ?, ?) on conflict do nothing",
            [(b.hash, b.codec, b.size, b.data) for b in blobs],
        )
        self._db.executemany(
            "insert into blob_refs(position, hash) values (?, ?) on conflict do nothing",
            [(position, b.hash) for b in blobs],
        )

    # --- read -----------------------------------------------------------------------------------------

    def fetch_since(
        self,
        after: int | tuple[int, str] = 0,
        event_types: Iterable[str] | None = None,
        limit: int | None = None,
    ) -> list[Event]:
        if isinstance(after, tuple):
            after = self._position_of(after)
        where, args = type_filter(event_types, with_unread=self.origins.found)
        return self._events(
            f"position > ? {where} order by position limit ?", (after, *args, -1 if limit is None else limit)
        )

    def own_since(self, after: int, event_types: Sequence[str], limit: int) -> list[Event]:
        """This home's own events of these types after a position, and none of another home's."""
        where, args = type_filter(event_types)
        return self._events(f"position > ? and origin = 0 {where} order by position limit ?", (after, *args, limit))

    def texts_of(self, position: int) -> tuple[str, ...]:
        """The names of the blobs that an event refers to."""
        return tuple(row[0] for row in self._read("select hash from blob_refs where position = ?", (position,)))

    def _events(self, where: str, args: tuple[Any, ...]) -> list[Event]:
        """Events in words of this home."""
        found = [event_of(row) for row in self._read(f"select {self._columns} from events where {where}", args)]
        return [self.origins.event(event) if event.origin else event for event in found]

    def _position_of(self, pair: tuple[int, str]) -> int:
        """(ts, event_id) names an event; an unknown pair means "after everything of an earlier ts"."""
        rows = self._read("select position from events where event_id = ?", (pair[1],))
        if not rows:
            rows = self._read("select coalesce(max(position), 0) from events where ts < ?", (pair[0],))
        return int(rows[0][0])

    def replay(self, event_types: Iterable[str] | None = None, since: int = 0) -> Iterator[Event]:
        types = None if event_types is None else list(event_types)
        while page := self.fetch_since(since, types, _PAGE):
            yield from page
            since = page[-1].position

    def event_at(self, position: int) -> Event | None:
        return next(iter(self._events("position = ?", (position,))), None)

    def last_of(self, session_id: str, event_type: str) -> Event | None:
        where = "session_id = ? and event_type = ? order by position desc limit 1"
        return next(iter(self._events(where, (session_id, event_type))), None)

    def events_of(self, session_id: str, event_type: str) -> list[Event]:
        return self._events("session_id = ? and event_type = ? order by position", (session_id, event_type))

    def last_position(self) -> int:
        return int(self._read("select coalesce(max(position), 0) from events", ())[0][0])

    def identity(self) -> LogIdentity:
        try:
            return read_identity(self._db)
        except sqlite3.Error as error:
            raise self._wrapped(error) from error

    def harden(self) -> None:
        # A reader holds no lock on the write-ahead log's own file, so closing it here releases none.
        with suppress(OSError):
            file = os.open(f"{self.path}-wal", os.O_RDWR)
            try:
                os.fsync(file)
            finally:
                os.close(file)

    def blob(self, name: str) -> bytes | None:
        stored = self.raw_blob(name)
        return None if stored is None else unseal(*stored)

    def raw_blob(self, name: str) -> tuple[str, bytes] | None:
        """Codec and stored bytes, for a worker that will unseal them elsewhere."""
        rows = self._read("select codec, data from blobs where hash = ?", (name,)) or self.replacements.stored(name)
        return (rows[0][0], rows[0][1]) if rows else None

    def head(self, stream: str) -> Head | None:
        rows = self._read(f"select {HEAD} from heads where stream = ?", (stream,))
        return head_of(rows[0]) if rows else None

    def heads(self) -> dict[str, Head]:
        return {row[0]: head_of(row) for row in self._read(f"select {HEAD} from heads", ())}

    def note(self, heads: Sequence[Head], gone: Sequence[str] = ()) -> None:
        if heads:
            with self.atomic():
                self._db.executemany("delete from heads where stream = ?", [(stream,) for stream in gone])
                self._db.executemany(NOTE_HEAD, [head_row(head, self._redactor) for head in heads])

    def sizes(self) -> dict[str, int]:
        """Figures for `doctor`."""
        (events,) = self._read("select count(*) from events", ())[0]
        blobs, stored, size = self._read(
            "select count(*), coalesce(sum(length(data)), 0), coalesce(sum(size), 0) from blobs", ()
        )[0]
        return {"events": events, "blobs": blobs, "blob_bytes_stored": stored, "blob_bytes": size}

    def _read(self, sql: str, args: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        try:
            return self._db.execute(sql, args).fetchall()
        except sqlite3.Error as error:
            raise self._wrapped(error) from error

    # --- forget ---------------------------------------------------------------------------------------

    def is_forgotten(self, session_id: str | None, project: str | None) -> bool:
        rows = self._read(
            "select 1 from tombstones where (kind = 'session' and key = ?) or (kind = 'project' and key = ?)",
            (session_id, project),
        )
        return bool(rows)

    def tombstones(self) -> set[tuple[str, str]]:
        return {(row[0], row[1]) for row in self._read("select kind, key from tombstones", ())}

    def forget(
        self,
        sessions: Sequence[str],
        project: str | None,
        *,
        actor: str,
        reason: str,
        records: Callable[[], Iterable[bytes]] | None = None,
    ) -> Event:
        wanted = sorted(set(sessions))
        with nullcontext() if self._db.in_transaction else self.atomic():
            event = self.append_dedup(
                "forgotten",
                actor=actor,
                payload={"sessions": wanted, "project": project, "reason": reason},
                dedupe_key=dedupe_key("forgotten", project or "", *wanted, self.last_position()),
                project=project,
            )
            assert event is not None  # the key holds the position
            marks = [("session", s, event.position) for s in wanted]
            if project is not None:
                marks.append(("project", project, event.position))
            self._db.executemany(
                "insert into tombstones(kind, key, position) values (?, ?, ?) on conflict do nothing", marks
            )
            if records is not None:
                self.purges.keep_out(event.position, records())
            tombstones.purge(self._db, self.purges, event.position, wanted, project)
        return event

    def prove(self, positions: Sequence[int], payload: dict[str, Any], *, actor: str) -> Event | None:
        """Append what was proven of these purges, and delete what there was to look for. None when another process
        has done it."""
        with self.atomic():
            open_now = {one.position for one in self.purges.pending()}
            if not open_now.intersection(positions):
                return None
            event = self.append_dedup(
                "purge_proven",
                actor=actor,
                payload={**payload, "events": list(positions)},
                dedupe_key=dedupe_key("purge_proven", *positions, self.last_position()),
            )
            self.purges.remove(positions)
        return event

    def settle(self) -> bool:
        """Empty the write-ahead log, where purged text would linger. False when a reader keeps it from that."""
        return sqlite.checkpoint(self._db)

    def lift(self, session_id: str | None, project: str | None, *, actor: str) -> Event:
        with self.atomic():
            event = self.append_dedup(
                "forget_lifted",
                actor=actor,
                payload={"session": session_id, "project": project},
                dedupe_key=dedupe_key("forget_lifted", session_id or "", project or "", self.last_position()),
                session_id=session_id,
                project=project,
            )
            assert event is not None
            tombstones.lift(self._db, session_id, project)
        return event

    # --- verify ---------------------------------------------------------------------------------------

    def verify(self) -> list[Finding]:
        found: list[Finding] = []
        try:
            self._db.execute("begin")  # one view of it all, whoever appends meanwhile
            found += integrity.check_database(self._db)
            found += integrity.check_events(self._db, events_in(self._db))
            found += integrity.check_blobs(self._db)
            found += integrity.check_purged(self._db, self.replay(["forgotten"]), others=self.origins.found)
            # Streams are compared as payloads have them: redacted.
            heads = {self._redactor.text(stream): head for stream, head in self.heads().items()}
            found += integrity.check_heads((one for one in events_in(self._db) if not one.origin), heads)
        except sqlite3.DatabaseError as error:
            found.append(Finding("log.db", f"cannot be read: {error}"))
        finally:
            if self._db.in_transaction:
                self._db.execute("rollback")
        return found

    def close(self) -> None:
        self._db.close()
