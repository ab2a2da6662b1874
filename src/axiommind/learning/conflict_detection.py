"""Conflicts between claims: which new ones cannot hold beside those that are known, and which of the two wins.

A conflict is two claims with the same key whose values differ. The newer one supersedes the older one when it is at
least as well evidenced and the older one is not a person's own word; otherwise both are contested until a person
decides. Everything here works out events; the tables are the projections'.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

from axiommind.ids import dedupe_key
from axiommind.learning.new_event import NewEvent
from axiommind.learning.policies import CONFLICTS
from axiommind.projections.entry_rows import STAGES
from axiommind.text.normal_form import fold

__all__ = ["ComparedClaim", "detect_conflicts", "incompatible"]

_CONFLICTING = ("fact", "decision", "insight")
# Long values are prose, and the same thing can be said in other words: at this similarity, of 100, it is the same.
_PROSE_CHARS = 40
_ALIKE = 80


class ComparedClaim(NamedTuple):
    """What decides a conflict. Without a value there is nothing that has to agree, and so no conflict."""

    entry_id: str
    type: str
    canonical_key: str
    value: str
    aligned: bool
    confidence: float
    happened_at: int
    by_person: bool = False


_SAME_KEY = """
    select e.entry_id, e.entry_type, e.canonical_key, json_extract(e.content_json, '$.value'), e.aligned, e.confidence,
           coalesce(e.happened_at, 0),
           coalesce((select instr(:stages, p.to_stage) > instr(:stages, p.from_stage)
                     from promotions p
                     where p.entry_id = e.entry_id and p.actor = 'user'
                     order by p.id desc
                     limit 1), 0)
    from entries e
    where e.canonical_key = :key
      and e.entry_id <> :entry
      and e.status in ('active', 'contested')
      and json_extract(e.content_json, '$.value') is not null
    order by e.happened_at, e.entry_id
"""
_OPEN_CONFLICTS = """
    select conflict_id, older_id, newer_id
    from conflicts
    where resolved_at is null
      and (older_id = :entry or newer_id = :entry)
"""


def detect_conflicts(db: sqlite3.Connection, new: Sequence[ComparedClaim], epoch: str) -> list[NewEvent]:
    """The conflicts of new claims with known ones and with each other."""
    events: list[NewEvent] = []
    seen: list[ComparedClaim] = []
    for claim in new:
        if claim.type not in _CONFLICTING or not claim.value:
            continue
        values = {"key": claim.canonical_key, "entry": claim.entry_id, "stages": " ".join(STAGES)}
        rows = db.execute(_SAME_KEY, values)
        known = [_claim(row) for row in rows]
        known += [other for other in seen if other.canonical_key == claim.canonical_key]
        for other in known:
            if incompatible(claim.value, other.value):
                events += _conflict(claim, other, epoch)
        seen.append(claim)
    return [*events, *_ended_with(db, events, epoch)]


def _ended_with(db: sqlite3.Connection, events: Sequence[NewEvent], epoch: str) -> list[NewEvent]:
    """The other conflicts of an entry that was just superseded are over too."""
    gone = {event.payload["entry_id"] for event in events if event.event_type == "entry_superseded"}
    ended = {event.payload["conflict_id"] for event in events if event.event_type == "conflict_resolved"}
    opened = {
        event.payload["conflict_id"]: (event.payload["older_id"], event.payload["newer_id"])
        for event in events
        if event.event_type == "conflict_detected"
    }
    for entry in gone:
        rows = db.execute(_OPEN_CONFLICTS, {"entry": entry})
        opened |= {conflict: (older, newer) for conflict, older, newer in rows}
    by = f"{CONFLICTS.name}-{CONFLICTS.version}"
    return [
        NewEvent(
            "conflict_resolved",
            {"conflict_id": conflict, "resolution": "one of the two was replaced", "resolved_by": by},
            (conflict, by, epoch, "replaced"),
        )
        for conflict, pair in sorted(opened.items())
        if conflict not in ended and gone & set(pair)
    ]


def _claim(row: Sequence[Any]) -> ComparedClaim:
    entry, kind, key, value, aligned, confidence, at, by_person = row
    return ComparedClaim(entry, kind, key, str(value), bool(aligned), confidence, at, bool(by_person))


def incompatible(one: str, two: str) -> bool:
    """Whether two values of one key say different things. `always: …` and `never: …` do, whatever the rest."""
    a, b = fold(one), fold(two)
    if a == b:
        return False
    if min(len(a), len(b)) < _PROSE_CHARS or (a.partition(":")[0] != b.partition(":")[0] and ":" in a and ":" in b):
        return True
    from rapidfuzz import fuzz

    return fuzz.token_sort_ratio(a, b) < _ALIKE


def _conflict(one: ComparedClaim, two: ComparedClaim, epoch: str) -> list[NewEvent]:
    older, newer = sorted((one, two), key=lambda claim: (claim.happened_at, claim.entry_id))
    conflict = "cfl_" + dedupe_key("conflict", older.entry_id, newer.entry_id)[:16]
    found = NewEvent(
        "conflict_detected",
        {
            "conflict_id": conflict,
            "older_id": older.entry_id,
            "newer_id": newer.entry_id,
            "conflict_type": "value",
            "reason": f"two {newer.type}s with the same key say different things",
        },
        (conflict, epoch),
    )
    if older.by_person or not _as_good(newer, older):
        return [found]
    by = f"{CONFLICTS.name}-{CONFLICTS.version}"
    taken = {
        "entry_id": older.entry_id,
        "other_id": newer.entry_id,
        "reason": "a newer claim, as well evidenced, says otherwise",
    }
    settled = {"conflict_id": conflict, "resolution": "the newer one stands", "resolved_by": by}
    return [
        found,
        NewEvent("entry_superseded", taken, (older.entry_id, newer.entry_id, epoch)),
        NewEvent("conflict_resolved", settled, (conflict, by, epoch)),
    ]


def _as_good(newer: ComparedClaim, older: ComparedClaim) -> bool:
    return newer.aligned and (not older.aligned or newer.confidence >= older.confidence)
