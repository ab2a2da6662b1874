"""Sessions in OpenCode's database. Of its tables only three are read: it also holds accounts and credentials."""

from __future__ import annotations

import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from axiommind.model import Problem
from axiommind.sources.contract import SourceFile
from axiommind.sources.databases import columns_in, missing_columns, opened, text_of, whole
from axiommind.sources.opencode.rendering import MessageRow, SessionRow, lines_of
from axiommind.sources.rendered import Rendered, is_name, split_stream, stream_name
from axiommind.text import jsonlines

__all__ = ["read", "sessions"]

_NEEDED = {
    "session": ("id", "parent_id", "directory", "title", "time_created", "time_updated"),
    "message": ("id", "session_id", "time_created", "time_updated", "data"),
    "part": ("id", "message_id", "session_id", "time_updated", "data"),
}
_READ = {**_NEEDED, "session": (*_NEEDED["session"], "version")}

_SESSIONS = """
    select id, parent_id, directory, title, time_created, {version}
    from session
"""
_MESSAGES = """
    select session_id, count(*), max(time_updated), sum(time_updated % 1000000007)
    from message
    group by session_id
"""
_PARTS = """
    select session_id, count(*), max(time_updated), sum(time_updated % 1000000007)
    from part
    group by session_id
"""
_NEWEST = "select max(time_updated) from session"
_MESSAGES_OF = """
    select id, data, time_updated
    from message
    where session_id = :session
    order by time_created, id
"""
_PARTS_OF = """
    select message_id, id, data, time_updated
    from part
    where session_id = :session
    order by id
"""
_ROW_BYTES = 1024  # about; the true size is only known when all is read
_OVER_MS = 3_600_000  # of work in other sessions: nobody finishes what was left open before


class _Rows(NamedTuple):
    """How many rows a session has in a table, when the last was written, and what changes when any is."""

    number: int
    last: int
    times: int | None


def sessions(container: SourceFile) -> tuple[list[SourceFile], list[Problem]]:
    """Each session with what tells whether it changed: how many rows it has, when the last was written, and what is
    said of it."""
    with opened(container.path, _READ) as db:
        why = missing_columns(db, _NEEDED)
        if why is not None:
            return [], [Problem(container.path, 0, why)]
        messages = {name: _Rows(count, whole(when), times) for name, count, when, times in db.execute(_MESSAGES)}
        parts = {name: _Rows(count, whole(when), times) for name, count, when, times in db.execute(_PARTS)}
        newest = _newest(db)
        found, problems = [], []
        for row in _session_rows(db):
            if not is_name(row.id):
                problems.append(Problem(container.path, 0, f"the session {row.id[:40]!r} has no id of OpenCode's"))
            elif row.id in messages:
                both = messages[row.id], parts.get(row.id, _Rows(0, 0, 0))
                found.append(_file(container, row, both, newest))
        return found, problems


def _file(container: SourceFile, row: SessionRow, both: tuple[_Rows, _Rows], newest: int) -> SourceFile:
    last = max(rows.last for rows in both)
    said = jsonlines.encode([*row, *both, last < newest - _OVER_MS])
    return SourceFile(
        stream_name(container.path, row.id),
        "transcript",
        row.id,
        container.root,
        row.directory,
        row.parent,
        sum(rows.number for rows in both) * _ROW_BYTES,
        last * 1_000_000,
        zlib.crc32(said),
    )


def _session_rows(db: sqlite3.Connection, name: str | None = None) -> Iterator[SessionRow]:
    version = "version" if "version" in columns_in(db, "session") else "''"
    sql = _SESSIONS.format(version=version) + ("" if name is None else " where id = :session")
    for own, parent, directory, title, created, client in db.execute(sql, {} if name is None else {"session": name}):
        texts = text_of(directory), text_of(client), text_of(title)
        yield SessionRow(str(own), parent if is_name(parent) else None, *texts, whole(created))


def _newest(db: sqlite3.Connection) -> int:
    return whole(db.execute(_NEWEST).fetchone()[0])


def read(stream: str) -> Rendered:
    """A session as lines."""
    path, name = split_stream(stream)
    with opened(path, _READ) as db:
        why = missing_columns(db, _NEEDED)
        session = None if why else next(_session_rows(db, name), None)
        if session is None:
            raise FileNotFoundError(2, why or "the session is not there any more", path)
        parts: dict[str, list[tuple[str, Any]]] = defaultdict(list)
        last = 0
        for message, part, data, changed in db.execute(_PARTS_OF, {"session": name}):
            parts[message].append((str(part), _value(data)))
            last = max(last, whole(changed))
        messages = []
        for message, data, changed in db.execute(_MESSAGES_OF, {"session": name}):
            messages.append(MessageRow(str(message), _value(data), parts.get(message, [])))
            last = max(last, whole(changed))
        return Rendered(lines_of(session, messages, is_over=last < _newest(db) - _OVER_MS))


def _value(data: Any) -> Any:
    try:
        return jsonlines.parse(data if isinstance(data, bytes) else str(data).encode("utf-8", "replace"))
    except ValueError:
        return None
