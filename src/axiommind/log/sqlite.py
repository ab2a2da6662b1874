"""The log of one machine: `log.db`, SQLite in WAL mode.

Owns events, their dedupe keys, blobs and heads. Refuses to touch a damaged or newer file.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from axiommind import db as sqlite
from axiommind.errors import BadQuery, Internal, LogCorrupt, StoreError, TooNew
from axiommind.ids import canonical_json, checksum, content_hash, dedupe_key, ulid
from axiommind.log.blobs import Sealed, is_sealed, unseal
from axiommind.log.contract import Finding, Head
from axiommind.log.migrations import MIGRATIONS, migrate
from axiommind.model import Event
from axiommind.text.redaction import Redactor

__all__ = ["SqliteLog", "damaged"]

_COLUMNS = """position, event_id, ts, event_type, actor, session_id, project, payload_json, checksum,
              happened_at, build_id, sensitivity"""
_PAGE = 500


def damaged(path: Path, error: Exception) -> LogCorrupt:
    """What to tell when `log.db` cannot be read. Nothing is overwritten and nothing destructive is suggested."""
    return LogCorrupt(
        f"{path} is damaged ({error}); it was left exactly as it is",
        hint="restore it from a backup, or copy it and try: sqlite3 COPY .recover; "
        "a new home (AXM_HOME=…) reads again what is still on disk",
    )


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
            if read_only:
                self._check()
            else:
                self._prepare()
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
        if found > len(MIGRATIONS):
            from axiommind.distribution import upgrade_command

            self._db.close()
            raise TooNew(
                f"{self.path} was written by a newer version (schema {found}, this program knows {len(MIGRATIONS)})",
                hint=f"upgrade: {upgrade_command()}",
            )

    def _wrapped(self, error: sqlite3.Error) -> Exception:
        if sqlite.is_damage(error):
            return damaged(self.path, error)
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
            clean: dict[str, Any] = self._redactor.value(payload)
            if clean is not payload:
                sensitivity = "redacted"
            ts = self._next_ts()
            event_id = ulid(ts)
            first = self._db.execute(
                """
                insert into event_dedup(dedupe_key, event_id, ts, event_type)
                values (?, ?, ?, ?)
                on conflict do nothing
                """,
                (dedupe_key, event_id, ts, event_type),
            )
            if first.rowcount == 0:
                return None
            digest = checksum(clean)
            cursor = self._db.execute(
                """
                insert into events(event_id, ts, event_type, actor, session_id, project, payload_json, checksum,
                                   build_id, happened_at, sensitivity)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                (
                    event_id,
                    ts,
                    event_type,
                    actor,
                    session_id,
                    project,
                    canonical_json(clean),
                    digest,
                    build_id,
                    happened_at,
                    sensitivity,
                ),
            )
            position = cursor.lastrowid or 0
            self._store(position, blobs)
            if head is not None:
                self._put_heads([head])
            return Event(
                position=position,
                event_id=event_id,
                ts=ts,
                event_type=event_type,
                actor=actor,
                session_id=session_id,
                project=project,
                payload=clean,
                checksum=digest,
                happened_at=happened_at,
                build_id=build_id,
                sensitivity=sensitivity,
            )

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

    def _put_heads(self, heads: Sequence[Head]) -> None:
        self._db.executemany(
            """
            insert into heads(stream, generation, end_offset, size, mtime_ns, inode, state)
            values (?, ?, ?, ?, ?, ?, ?)
            on conflict(stream) do update set
                generation = excluded.generation, end_offset = excluded.end_offset, size = excluded.size,
                mtime_ns = excluded.mtime_ns, inode = excluded.inode, state = excluded.state
            """,
            [(h.stream, h.generation, h.end, h.size, h.mtime_ns, h.inode, canonical_json(h.state)) for h in heads],
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
        where, args = _type_filter(event_types)
        rows = self._read(
            f"select {_COLUMNS} from events where position > ? {where} order by position limit ?",
            (after, *args, -1 if limit is None else limit),
        )
        return [_event(row) for row in rows]

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
        rows = self._read(f"select {_COLUMNS} from events where position = ?", (position,))
        return _event(rows[0]) if rows else None

    def last_of(self, session_id: str, event_type: str) -> Event | None:
        """The latest event of this type about a session or a document."""
        rows = self._read(
            f"select {_COLUMNS} from events where session_id = ? and event_type = ? order by position desc limit 1",
            (session_id, event_type),
        )
        return _event(rows[0]) if rows else None

    def events_of(self, session_id: str, event_type: str) -> list[Event]:
        rows = self._read(
            f"select {_COLUMNS} from events where session_id = ? and event_type = ? order by position",
            (session_id, event_type),
        )
        return [_event(row) for row in rows]

    def last_position(self) -> int:
        return int(self._read("select coalesce(max(position), 0) from events", ())[0][0])

    def blob(self, name: str) -> bytes | None:
        rows = self._read("select codec, data from blobs where hash = ?", (name,))
        return unseal(*rows[0]) if rows else None

    def raw_blob(self, name: str) -> tuple[str, bytes] | None:
        """Codec and stored bytes, for a worker that will unseal them elsewhere."""
        rows = self._read("select codec, data from blobs where hash = ?", (name,))
        return (rows[0][0], rows[0][1]) if rows else None

    def head(self, stream: str) -> Head | None:
        rows = self._read(
            "select generation, end_offset, size, mtime_ns, inode, state from heads where stream = ?", (stream,)
        )
        for generation, end, size, mtime, inode, state in rows:
            return Head(stream, generation, end, size, mtime, inode, json.loads(state))
        return None

    def heads(self) -> dict[str, Head]:
        rows = self._read("select stream, generation, end_offset, size, mtime_ns, inode, state from heads", ())
        return {
            stream: Head(stream, generation, end, size, mtime, inode, json.loads(state))
            for stream, generation, end, size, mtime, inode, state in rows
        }

    def note(self, heads: Sequence[Head]) -> None:
        if not heads:
            return
        with self.atomic():
            self._db.executemany(
                """
                insert into heads(stream, generation, end_offset, size, mtime_ns, inode, state)
                values (?, ?, ?, ?, ?, ?, ?)
                on conflict(stream) do update set
                    size = excluded.size, mtime_ns = excluded.mtime_ns, inode = excluded.inode
                where generation = excluded.generation and end_offset = excluded.end_offset
                """,
                [(h.stream, h.generation, h.end, h.size, h.mtime_ns, h.inode, canonical_json(h.state)) for h in heads],
            )

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

    def forget(self, sessions: Sequence[str], project: str | None, *, actor: str, reason: str) -> Event:
        wanted = sorted(set(sessions))
        with self.atomic():
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
            self._purge(wanted, project)
        return event

    def settle(self) -> bool:
        """Empty the write-ahead log, where purged text would linger. False when a reader keeps it from that."""
        return sqlite.checkpoint(self._db)

    def _purge(self, sessions: Sequence[str], project: str | None) -> None:
        """Drop the references of forgotten events, then every blob that no reference names any more."""
        self._db.execute("create temp table if not exists gone(hash text)")
        self._db.execute("create temp table if not exists gone_sessions(id text)")
        self._db.executemany("insert into gone_sessions values (?)", [(s,) for s in sessions])
        forgotten = """
            select position from events
            where session_id in (select id from gone_sessions) or (:project is not null and project = :project)
        """
        self._db.execute(
            f"insert into gone select hash from blob_refs where position in ({forgotten})", {"project": project}
        )
        self._db.execute(f"delete from blob_refs where position in ({forgotten})", {"project": project})
        self._db.execute(
            """
            delete from blobs
            where hash in (select hash from gone) and hash not in (select hash from blob_refs)
            """
        )
        self._db.execute("delete from gone")
        self._db.execute("delete from gone_sessions")

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
            # What one `forget` forgot comes back together: a session with its subagents, a project with its sessions.
            together = self._db.execute(
                """
                select kind, key from tombstones where position in (
                    select position from tombstones
                    where (kind = 'session' and key = ?) or (kind = 'project' and key = ?))
                """,
                (session_id, project),
            ).fetchall()
            projects = [key for kind, key in together if kind == "project"]
            if projects and project is None:  # one session must not bring the whole project back
                raise BadQuery(
                    f"{session_id} was forgotten with its project", hint=f"axm forget --project {projects[0]} --undo"
                )
            self._db.executemany("delete from tombstones where kind = ? and key = ?", together)
            # The text was purged, so what is still on disk has to be read again from its start.
            self._db.executemany(
                """
                update heads set size = -1, state = json_set(state, '$.reread', 1)
                where json_extract(state, case ? when 'session' then '$.session_id' else '$.project' end) = ?
                """,
                together,
            )
        return event

    # --- verify ---------------------------------------------------------------------------------------

    def verify(self) -> list[Finding]:
        found: list[Finding] = []
        try:
            self._db.execute("begin")  # one view of it all, whoever appends meanwhile
            for (line,) in self._db.execute("pragma integrity_check(20)"):
                if line != "ok":
                    found.append(Finding("log.db", line))
            found += self._verify_events()
            found += self._verify_blobs()
            found += self._verify_heads()
        except sqlite3.DatabaseError as error:
            found.append(Finding("log.db", f"cannot be read: {error}"))
        finally:
            if self._db.in_transaction:
                self._db.execute("rollback")
        return found

    def _verify_events(self) -> list[Finding]:
        found = []
        last_ts = 0
        for event in self.replay():
            where = f"event {event.position}"
            if checksum(event.payload) != event.checksum:
                found.append(Finding(where, "its payload does not match its checksum"))
            if event.ts < last_ts:
                found.append(Finding(where, "its ts is before the one of the event before it"))
            last_ts = event.ts
        for (position,) in self._db.execute(
            "select position from events where event_id not in (select event_id from event_dedup)"
        ):
            found.append(Finding(f"event {position}", "it has no dedupe key"))
        return found

    def _verify_blobs(self) -> list[Finding]:
        found = []
        for name, codec, size, data in self._db.execute("select hash, codec, size, data from blobs"):
            try:
                content = unseal(codec, data)
            except Exception as error:  # noqa: BLE001 - whatever a decompressor raises on damaged bytes
                found.append(Finding(f"blob {name}", f"cannot be unpacked: {error}"))
                continue
            if content_hash(content) != name or len(content) != size:
                found.append(Finding(f"blob {name}", "its content does not match its name"))
        missing = self._db.execute("select position, hash from blob_refs where hash not in (select hash from blobs)")
        found += [Finding(f"event {p}", f"its blob {h} is missing") for p, h in missing]
        orphans = self._db.execute("select hash from blobs where hash not in (select hash from blob_refs)")
        found += [Finding(f"blob {h}", "nothing refers to it") for (h,) in orphans]
        found += self._verify_purged()
        kept = self._db.execute(
            """
            select distinct r.position from blob_refs r join events e using (position) join tombstones t
              on (t.kind = 'session' and t.key = e.session_id) or (t.kind = 'project' and t.key = e.project)
            """
        )
        found += [Finding(f"event {p}", "it was forgotten, but its text is still here") for (p,) in kept]
        return found

    def _verify_purged(self) -> list[Finding]:
        """An event without its text is right only if a later event forgot it."""
        without = self._db.execute(
            """
            select position, session_id, project from events
            where json_extract(payload_json, '$.blob') is not null
              and position not in (select position from blob_refs)
            """
        ).fetchall()
        if not without:
            return []
        forgotten = [(e.position, e.payload) for e in self.replay(["forgotten"])]
        return [
            Finding(f"event {position}", "its text is gone, but nothing was forgotten")
            for position, session, project in without
            if not any(
                position < at and (session in what["sessions"] or (project and project == what["project"]))
                for at, what in forgotten
            )
        ]

    def _verify_heads(self) -> list[Finding]:
        """Segments of one generation follow each other without gap or overlap, and the head is where they end."""
        found = []
        ends: dict[str, tuple[int, int]] = {}
        for event in self.replay():
            payload = event.payload
            if "stream" not in payload:
                continue
            stream, generation = payload["stream"], payload["generation"]
            known = ends.get(stream)
            expected = known[1] if known and known[0] == generation else 0
            if payload["start"] != expected:
                found.append(Finding(f"event {event.position}", f"starts at {payload['start']}, not {expected}"))
            ends[stream] = (generation, payload["end"])
        stored = {
            self._redactor.text(stream): (head.generation, head.end)  # as the payload has it
            for stream, head in self.heads().items()
        }
        for stream in sorted(stored.keys() | ends.keys()):
            head, end = stored.get(stream, (0, 0)), ends.get(stream, (0, 0))
            if head != end:
                found.append(Finding(stream, f"head is {head}, its segments end at {end}"))
        return found

    def close(self) -> None:
        self._db.close()


def _type_filter(event_types: Iterable[str] | None) -> tuple[str, tuple[str, ...]]:
    if event_types is None:
        return "", ()
    types = tuple(event_types)
    return f"and event_type in ({','.join('?' * len(types))})", types


def _event(row: tuple[Any, ...]) -> Event:
    return Event(
        position=row[0],
        event_id=row[1],
        ts=row[2],
        event_type=row[3],
        actor=row[4],
        session_id=row[5],
        project=row[6],
        payload=json.loads(row[7]),
        checksum=row[8],
        happened_at=row[9],
        build_id=row[10],
        sensitivity=row[11],
    )
