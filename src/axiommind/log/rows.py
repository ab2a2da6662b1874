"""Rows of `log.db` as events and heads."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from axiommind.db import has_table
from axiommind.ids import canonical_json
from axiommind.log.contract import Head
from axiommind.log.origins import TRAVELS, UNREAD, VOCABULARY
from axiommind.model import Event
from axiommind.text.redaction import Redactor

__all__ = [
    "ADD_EVENT",
    "HEAD",
    "NOTE_HEAD",
    "PUT_HEAD",
    "event_columns",
    "event_of",
    "events_in",
    "head_of",
    "head_row",
    "type_filter",
]

# The columns, in the order that the readers below expect.
_EVENT = """position, event_id, ts, event_type, actor, session_id, project, payload_json, checksum,
           happened_at, build_id, sensitivity, """
HEAD = "stream, generation, end_offset, size, mtime_ns, inode, state"
ADD_EVENT = """
    insert into events(event_id, ts, event_type, actor, session_id, project, payload_json, payload_redacted, checksum,
                       build_id, happened_at, sensitivity, origin, seq, origin_ts, schema)
    values (:event_id, :ts, :event_type, :actor, :session_id, :project, :payload_json, :payload_redacted, :checksum,
            :build_id, :happened_at, :sensitivity, :origin, :seq, :origin_ts, :schema)
"""
PUT_HEAD = f"""
    insert into heads({HEAD})
    values (?, ?, ?, ?, ?, ?, ?)
    on conflict(stream) do update set
        generation = excluded.generation, end_offset = excluded.end_offset, size = excluded.size,
        mtime_ns = excluded.mtime_ns, inode = excluded.inode, state = excluded.state
"""
# Newer states of files that had no new line. What others have said of them meanwhile stays; only the encoding is added
# to heads from before it was kept.
NOTE_HEAD = f"""
    insert into heads({HEAD})
    values (?, ?, ?, ?, ?, ?, ?)
    on conflict(stream) do update set
        size = excluded.size, mtime_ns = excluded.mtime_ns, inode = excluded.inode,
        state = case
            when json_type(excluded.state, '$.encoding') is null then state
            else json_insert(state, '$.encoding', json_extract(excluded.state, '$.encoding'))
        end
    where generation = excluded.generation and end_offset = excluded.end_offset
"""


def event_columns(db: sqlite3.Connection) -> tuple[str, bool]:
    """The columns of an event in this log, and whether it knows other homes. One that an older version wrote, and that
    is only read, knows none."""
    try:
        (found,) = db.execute("select exists (select 1 from origins)").fetchone()
    except sqlite3.OperationalError:
        if has_table(db, "origins"):
            raise
        return _EVENT + "0, null, null, null", False
    return _EVENT + "origin, seq, origin_ts, schema", bool(found)


def type_filter(event_types: Iterable[str] | None, *, with_unread: bool = False) -> tuple[str, tuple[str, ...]]:
    """A condition on events. With those that were kept before this version knew their types, where it does now."""
    if event_types is None:
        return "", ()
    types = tuple(event_types)
    wanted = f"event_type in ({','.join('?' * len(types))})"
    unread = tuple(f"{UNREAD}{one}" for one in types if one in TRAVELS) if with_unread else ()
    if unread:
        wanted = f"({wanted} or (event_type in ({','.join('?' * len(unread))}) and schema <= {VOCABULARY}))"
    return f"and {wanted}", types + unread


def head_of(row: tuple[Any, ...]) -> Head:
    stream, generation, end, size, mtime_ns, inode, state = row
    return Head(stream, generation, end, size, mtime_ns, inode, json.loads(state))


def head_row(h: Head, redactor: Redactor) -> tuple[Any, ...]:
    """What is stored of a head: its state is redacted as payloads are. The stream is what opens the file; whoever makes
    a head knows it by a name that may be stored."""
    state = canonical_json(h.state)
    if redactor.suspects(state.encode("utf-8", "replace")):
        state = canonical_json(redactor.value(h.state))
    return (h.stream, h.generation, h.end, h.size, h.mtime_ns, h.inode, state)


def event_of(row: tuple[Any, ...]) -> Event:
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
        origin=row[12],
        seq=row[13],
        origin_ts=row[14],
        schema=row[15],
    )


def events_in(db: sqlite3.Connection) -> Iterator[Event]:
    """Every event of a file that is a log, in order."""
    for row in db.execute(f"select {event_columns(db)[0]} from events order by position"):
        yield event_of(row)
