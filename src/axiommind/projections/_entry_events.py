"""Which events are about which entry, and in which order: an event that comes late from another machine is folded where
it belongs, by folding what it is about again from its first event."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from axiommind.model import Event, least_trusted
from axiommind.projections import Batch, _forgettings
from axiommind.projections.entry_rows import BY_AGENT, BY_PERSON, BY_TEAMMATE
from axiommind.projections.teammates import in_their_name

__all__ = [
    "ACTS",
    "about_entries",
    "await_words",
    "awaiting",
    "exists",
    "in_our_words",
    "is_late",
    "note",
    "noted",
    "reason_in",
    "vouches_elsewhere",
]

ACTS = {
    "entry_contested": "contested",
    "entry_superseded": "superseded",
    "entry_deprecated": "deprecated",
    "entry_restored": "restored",
    "entry_withdrawn": "withdrawn",
    "entry_returned": "returned",
}
# Where the payload of an event lists the entries that it is about.
_LISTED = {
    "evidence_aligned": "entries",
    "idris_checked": "results",
    "support_checked": "entries",
    "promoted": "changes",
}


def about_entries(event: Event, batch: Batch) -> set[str]:
    """The entries, or the conflict, that an event is about; none where its text was purged."""
    given = event.payload
    if event.event_type == "memory_extracted":
        content = batch.blob(given["blob"]) if given.get("blob") else None
        said = [] if content is None else json.loads(content)["entries"]
        return {in_our_words(event, one)["entry_id"] if event.is_teammates else one["entry_id"] for one in said}
    if event.event_type == "conflict_detected":
        return {given["older_id"], given["newer_id"]}
    if event.event_type in ("conflict_resolved", "conflict_reopened"):
        return {given["conflict_id"]}
    if event.event_type == "entry_used":
        return set(given["entries"])
    if event.event_type in ACTS:
        return {given["entry_id"]}
    return {one["entry_id"] for one in given[_LISTED[event.event_type]]}


def is_late(db: sqlite3.Connection, entry: str, event: Event) -> bool:
    """Whether something about it is folded that comes after this event in the order of all machines."""
    find = "select 1 from entry_events where entry_id = ? and ord > ? limit 1"
    return db.execute(find, (entry, event.order)).fetchone() is not None


def note(db: sqlite3.Connection, event: Event, about: set[str]) -> None:
    db.executemany(
        "insert into entry_events(entry_id, ord, position) values (?, ?, ?) on conflict do nothing",
        [(entry, event.order, event.position) for entry in sorted(about)],
    )


def noted(db: sqlite3.Connection, entry: str, batch: Batch) -> list[Event]:
    """Every event about an entry or conflict in the order of all machines, less those of what was forgotten since."""
    rows = db.execute("select position from entry_events where entry_id = ? order by ord", (entry,)).fetchall()
    events = [event for (position,) in rows if (event := batch.event_at(position)) is not None]
    return _forgettings.without_forgotten(db, events)


def await_words(db: sqlite3.Connection, entries: Sequence[dict[str, Any]]) -> None:
    """Remember evidence whose words are in an event that has not come: its place is not known yet."""
    spans = [(span, one["entry_id"]) for one in entries for span in one["evidence"] if isinstance(span, dict)]
    db.executemany(
        "insert into entry_awaits(event_id, entry_id) values (?, ?) on conflict do nothing",
        [(span["event_id"], entry) for span, entry in spans if span.get("event_id") and span.get("position") == 0],
    )


def awaiting(db: sqlite3.Connection, event: Event) -> list[str]:
    """The entries whose evidence is in this event, and came before it."""
    if not event.origin:
        return []
    rows = db.execute("select entry_id from entry_awaits where event_id = ?", (event.event_id,)).fetchall()
    db.execute("delete from entry_awaits where event_id = ?", (event.event_id,))
    return [row[0] for row in rows]


def exists(db: sqlite3.Connection, entry: Any) -> bool:
    return db.execute("select 1 from entries where entry_id = ?", (entry,)).fetchone() is not None


def reason_in(given: dict[str, Any], batch: Batch) -> str:
    """The reason that a person gave, which is text and in a blob."""
    name = given.get("blob")
    content = batch.blob(name) if name else None
    return str(json.loads(content)["reason"]) if content is not None else ""


def vouches_elsewhere(event: Event) -> bool:
    """What makes a claim surer says nothing here if it is a team mate's: it is checked and raised anew, or not."""
    return event.is_teammates and event.event_type in ("idris_checked", "support_checked", "promoted")


def in_our_words(event: Event, given: dict[str, Any]) -> dict[str, Any]:
    """A team mate's claim: about nothing of ours, by nobody's word here, and worth no more than words of theirs."""
    given = in_their_name(event, given)
    rule = BY_TEAMMATE if given["rule"] in (BY_PERSON, BY_AGENT) else given["rule"]
    return {**given, "rule": rule, "provenance": least_trusted((given.get("provenance", "elsewhere"), "teammate"))}
