"""The lines that a citation names, and some around them.

They are read from the log's blobs, so a citation opens after its file is gone; what was redacted stays redacted.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from typing import NamedTuple

from axiommind.errors import BadQuery, NotFound
from axiommind.ids import document_id
from axiommind.model import Citation, Event
from axiommind.search.citations import SCRATCHPAD, WORKFLOW
from axiommind.text.patterns import lazy

__all__ = ["Opened", "open_lines", "open_removed"]

_FROM_HERE = lazy(r"\A(?:\.{0,2}/)+")  # ./ and ../ lead to the file, and are no part of its path


class Opened(NamedTuple):
    """Lines of a file: those asked for, and some around them."""

    citation: Citation
    first: int  # the number of the first line below
    lines: tuple[str, ...]
    kind: str  # "transcript", "document" or "pad"


def open_lines(
    db: sqlite3.Connection, blob: Callable[[str], bytes | None], citation: Citation, context: int = 0
) -> Opened:
    """The exact lines that a citation names, with `context` lines before and after."""
    first = max(citation.line_start - context, 1)
    last = citation.line_end + context
    path, kind = citation.path, "pad"
    if path.startswith((SCRATCHPAD, WORKFLOW)):
        lines = _pad_lines(db, path)[first - 1 : last]
    elif (found := _path(db, citation.path))[1] == "document":
        path, kind = found
        name, count = db.execute("select blob, lines from documents where path = ?", (path,)).fetchone()
        lines = _document_lines(blob(name), count, first, last)
    else:
        path, kind = found
        lines = _transcript_lines(db, blob, path, first, last)
    if first + len(lines) <= citation.line_start:
        raise NotFound(f"{path} has no line {citation.line_start} in the index", hint="run: axm index")
    return _opened(citation._replace(path=path), first, lines, kind)


def open_removed(
    saved: Callable[[str], Event | None], blob: Callable[[str], bytes | None], citation: Citation, context: int = 0
) -> Opened | None:
    """The lines of a document that is no longer in the index, as the log last had it; None when it never did."""
    if "\x00" in citation.path:
        return None
    path = os.path.realpath(citation.path)
    event = saved(document_id(path))
    if event is None:
        return None
    first = max(citation.line_start - context, 1)
    content = blob(event.payload["blob"])
    lines = _document_lines(content, event.payload["lines"], first, citation.line_end + context)
    if first + len(lines) <= citation.line_start:
        return None
    return _opened(citation._replace(path=path), first, lines, "document")


def _pad_lines(db: sqlite3.Connection, path: str) -> list[str]:
    name = path.rpartition("/")[2]
    if path.startswith(SCRATCHPAD):
        rows = db.execute("select text from pad_chunks where pad_id = ? order by seq", (name,)).fetchall()
    else:
        rows = db.execute("select text from pad_chunks where workflow_id = ? and pad_id is null", (name,)).fetchall()
    if not rows:
        raise NotFound(f"there is no {path}", hint="axm pad list and axm workflow list show what there is")
    lines = [line for (text,) in rows for line in text.split("\n")]
    return lines if lines[-1] or len(lines) == 1 else lines[:-1]  # nothing follows the last line break


def _document_lines(content: bytes | None, count: int, first: int, last: int) -> list[str]:
    """Lines of a document's text; none when that was purged."""
    return content.decode("utf-8", "replace").split("\n")[:count][first - 1 : last] if content is not None else []


def _opened(citation: Citation, first: int, lines: list[str], kind: str) -> Opened:
    end = min(citation.line_end, first + len(lines) - 1)
    return Opened(citation._replace(line_end=end), first, tuple(lines), kind)


def _transcript_lines(
    db: sqlite3.Connection, blob: Callable[[str], bytes | None], path: str, first: int, last: int
) -> list[str]:
    rows = db.execute(
        """
        select first_line, lines, blob from segments
        where path = ? and live and first_line <= ? and first_line + lines > ?
        order by first_line
        """,
        (path, last, first),
    )
    found: list[str] = []
    for start, count, name in rows:
        content = blob(name)
        if content is None:
            continue
        lines = content.decode("utf-8", "replace").split("\n")[:count]
        found += lines[max(first - start, 0) : last - start + 1]
    return found


def _path(db: sqlite3.Connection, wanted: str) -> tuple[str, str]:
    """The indexed file that a path means: that path, the only one that ends with it, or that of the session whose id
    begins so."""
    for table, kind in (("documents", "document"), ("files", "transcript")):
        if db.execute(f"select 1 from {table} where path = ?", (wanted,)).fetchone():
            return wanted, kind
    tail = "/" + _FROM_HERE.sub("", wanted.replace("\\", "/"))
    matches = [
        (path, kind)
        for table, kind in (("documents", "document"), ("files", "transcript"))
        for (path,) in db.execute(f"select path from {table} order by path")
        if path.replace("\\", "/").endswith(tail)
    ]
    if not matches and (of_session := _session_file(db, wanted)) is not None:
        return of_session, "transcript"
    if not matches:
        raise NotFound(
            f"{wanted} is not in the index", hint="axm kb list and axm query --perspective sessions show what is"
        )
    if len(matches) > 1:
        names = ", ".join(path for path, _ in matches[:3])
        raise BadQuery(f"{wanted} fits {len(matches)} files: {names}", hint="give more of the path")
    return matches[0]


def _session_file(db: sqlite3.Connection, beginning: str) -> str | None:
    """The file of the one session whose id begins so. Of a session that was moved the longest, which has all lines."""
    rows = db.execute(
        """
        select path, session_id from files
        where session_id >= :beginning and session_id < :beginning || char(0x10ffff)
        order by session_id = :beginning desc, size desc, path
        """,
        {"beginning": beginning},
    ).fetchall()
    if rows and rows[0][1] != beginning and len({session for _, session in rows}) > 1:
        raise BadQuery(f"the ids of several sessions begin with {beginning!r}", hint="write more of it")
    return rows[0][0] if rows else None
