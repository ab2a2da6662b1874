"""What stands around a session: what was learned from it and where its words are, what agents were given in it, the
files it changed, and the sessions that changed the same."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from axiommind.model import Span
from axiommind.projections import transcript as recorded
from axiommind.projections.transcript import Blob
from axiommind.text.pointers import text_at

__all__ = ["GivenInSession", "LinkedSession", "MarginEntry", "SessionMargin", "margin_of", "words_at"]

_MOST_FILES = 60
_MOST_LINKED = 12
_ENTRIES = """
    select e.entry_id, e.entry_type, e.kind, e.stage, e.status, e.title, v.position, v.line, v.block, v.span_start,
      v.span_end
    from entries e
    left join entry_evidence v on v.entry_id = e.entry_id
    where e.session_id = ? and e.status <> 'withdrawn'
    order by v.position, v.line, v.span_start, e.id
"""
_FILES = """
    select file_path, count(*) from file_edits where session_id = ? group by file_path order by 2 desc, 1 limit ?
"""
_LINKED = """
    select s.id, coalesce(s.title, ''), coalesce(s.started_at, s.first_ts), l.shared_files
    from (
      select session_b as other, shared_files, overlap_ratio from session_links where session_a = :session
      union all
      select session_a, shared_files, overlap_ratio from session_links where session_b = :session
    ) l
    join sessions s on s.id = l.other
    order by l.overlap_ratio desc, l.shared_files desc, s.id
    limit :most
"""
_GIVEN = """
    select v.id, v.hook, v.at, v.tokens, i.item_id, i.kind, i.score
    from served v
    join served_items i on i.served_id = v.id
    where v.session_id = ?
    order by v.at, v.id, i.score desc
"""


class MarginEntry(NamedTuple):
    """A claim that was learned from a session, and a place of its words; `span` is None where they were not found."""

    entry_id: str
    type: str
    kind: str
    stage: str
    status: str
    title: str
    span: Span | None


class GivenInSession(NamedTuple):
    """What a hook gave an agent at one moment: (id, kind, probability) of each thing."""

    hook: str
    at: int
    tokens: int
    items: tuple[tuple[str, str, float | None], ...]


class LinkedSession(NamedTuple):
    session_id: str
    title: str
    started_at: int | None
    shared_files: int


class SessionMargin(NamedTuple):
    entries: tuple[MarginEntry, ...]
    given: tuple[GivenInSession, ...]
    files: tuple[tuple[str, int], ...]
    linked: tuple[LinkedSession, ...]


def margin_of(db: sqlite3.Connection, session: str) -> SessionMargin:
    entries = []
    for row in db.execute(_ENTRIES, (session,)):
        position, line, block, start, end = row[6:]
        span = None if position is None or start is None else Span(position, line, block or "", start, end)
        entries.append(MarginEntry._make((*row[:6], span)))
    moments: dict[int, GivenInSession] = {}
    for number, hook, at, tokens, item, kind, score in db.execute(_GIVEN, (session,)):
        known = moments.setdefault(number, GivenInSession(hook, at, tokens, ()))
        moments[number] = known._replace(items=(*known.items, (item, kind, score)))
    return SessionMargin(
        tuple(entries),
        tuple(moments.values()),
        tuple(db.execute(_FILES, (session, _MOST_FILES)).fetchall()),
        tuple(LinkedSession(*row) for row in db.execute(_LINKED, {"session": session, "most": _MOST_LINKED})),
    )


def words_at(db: sqlite3.Connection, blob: Blob, span: Span) -> str:
    """The exact words at a span, from the log; empty where they were purged."""
    record = recorded.line_of(db, blob, span.position, span.line)
    text = None if record is None else text_at(record, span.block)
    return "" if text is None else text[span.start : span.end]
