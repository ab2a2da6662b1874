"""An entry as a person looks at it: its claim, its stage history, and each quote where it was said."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any, NamedTuple

from axiommind.freshness.state import Freshness, freshness_of
from axiommind.learning.alignment import quote_hash
from axiommind.log import EventLog
from axiommind.model import Citation, Event
from axiommind.projections import PLACE_BITS, entries, tasks
from axiommind.projections import transcript as recorded
from axiommind.projections.entry_rows import EntryRow, EvidenceRow
from axiommind.projections.transcript import Blob
from axiommind.text.pointers import text_at

__all__ = ["EntryChange", "EntryShown", "QuoteShown", "events_of", "quote_at", "show"]

_AROUND = 200  # characters of a quote's message before and after it
_MEMORY_EVENTS = tuple(
    {"session_ingested", "decision_made", "entry_anchored", *entries.EVENT_TYPES, *tasks.EVENT_TYPES} - {"forgotten"}
)

_STAGES = """
    select at, from_stage || ' → ' || to_stage, actor || ' (' || policy || '-' || policy_version || ')', reason, id
    from promotions
    where entry_id = :entry
"""
_RULINGS = f"""
    select at, act || coalesce(' by ' || other_id, ''), actor, reason, position << {PLACE_BITS}
    from rulings
    where entry_id = :entry
"""
_CONFLICTS = """
    select conflict_id, case when older_id = :entry then newer_id else older_id end, resolution
    from conflicts
    where older_id = :entry or newer_id = :entry
    order by detected_at, conflict_id
"""
_TASKS = """
    select dst_id
    from edges
    where src_id = :entry
      and rel_type = 'evidence_of'
    order by dst_id
"""
_SESSIONS = """
    select count(distinct session_id)
    from entries
    where value_key = :value_key
      and (status <> 'withdrawn' or entry_id = :entry)
"""
_USES = "select count(*) from entry_uses where entry_id = :entry"


class QuoteShown(NamedTuple):
    """A quote in its context; `reason` says why not when it was not found or is gone."""

    before: str
    quote: str
    after: str
    citation: Citation | None
    block: str | None
    span: tuple[int, int] | None
    confidence: float | None
    method: str | None
    reason: str | None


class EntryChange(NamedTuple):
    """One line of an entry's history: a change of stage, or a ruling."""

    at: str
    what: str
    who: str
    reason: str


class EntryShown(NamedTuple):
    entry: EntryRow
    quotes: tuple[QuoteShown, ...]
    history: tuple[EntryChange, ...]
    conflicts: tuple[tuple[str, str, str | None], ...]  # (conflict, the other entry, how it was resolved)
    tasks: tuple[str, ...]
    sessions: int  # in which the same was said
    uses: int
    freshness: Freshness = Freshness()


def show(db: sqlite3.Connection, blob: Blob, entry: EntryRow) -> EntryShown:
    name = entry.entry_id
    values = {"entry": name, "value_key": entry.value_key}
    history = sorted((*db.execute(_STAGES, values), *db.execute(_RULINGS, values)), key=lambda row: row[-1])
    conflicts = db.execute(_CONFLICTS, values)
    tasks = db.execute(_TASKS, values).fetchall()
    (sessions,) = db.execute(_SESSIONS, values).fetchone()
    (uses,) = db.execute(_USES, values).fetchone()
    return EntryShown(
        entry,
        tuple(quote_at(db, blob, one) for one in entry.evidence),
        tuple(EntryChange(*row[:4]) for row in history),
        tuple(tuple(row) for row in conflicts),
        tuple(row[0] for row in tasks),
        sessions,
        uses,
        freshness_of(db, [name]).get(name, Freshness()),
    )


def quote_at(db: sqlite3.Connection, blob: Blob, evidence: EvidenceRow) -> QuoteShown:
    """The words at a span, opened from the log."""
    nothing = QuoteShown("", "", "", None, None, None, None, None, evidence.reason or "not found")
    if evidence.position is None or evidence.line is None or evidence.start is None or evidence.end is None:
        return nothing
    record = recorded.line_of(db, blob, evidence.position, evidence.line)
    text = None if record is None else text_at(record, evidence.block or "")
    if text is None:
        return nothing._replace(reason="its text was purged")
    # Where lines were rewritten since, the file has other words at that place now.
    row = db.execute("select path from segments where position = ? and live", (evidence.position,)).fetchone()
    quote = text[evidence.start : evidence.end]
    return QuoteShown(
        text[max(evidence.start - _AROUND, 0) : evidence.start],
        quote,
        text[evidence.end : evidence.end + _AROUND],
        None if row is None else Citation(row[0], evidence.line, evidence.line),
        evidence.block,
        (evidence.start, evidence.end),
        evidence.confidence,
        evidence.method,
        None if quote_hash(quote) == evidence.quote_hash else "other words stand there now",
    )


def events_of(log: EventLog, entry: EntryRow) -> Iterator[Event]:
    """Every event that made the entry what it is, in order."""
    made_at = entry.id >> PLACE_BITS
    conflicts: set[str] = set()
    for event in log.replay(_MEMORY_EVENTS):
        if event.event_type == "session_ingested":
            if event.session_id == entry.session_id and event.build_id == entry.build_id:
                yield event
        elif event.position == made_at or _names(event.payload, entry.entry_id):
            conflicts |= {event.payload["conflict_id"]} if event.event_type == "conflict_detected" else set()
            yield event
        elif event.payload.get("conflict_id") in conflicts:
            yield event


def _names(value: Any, entry: str) -> bool:
    if isinstance(value, dict):
        return any(_names(inner, entry) for inner in value.values())
    if isinstance(value, list):
        return any(_names(inner, entry) for inner in value)
    return bool(value == entry)
