"""Ledgers: conflicts between claims, decisions that rest on them, and what a person says about one.

Everything here works out events; the tables are the projections'. A conflict is two claims with the same key whose
content cannot both hold. The newer one takes the place of the older one when it is at least as well evidenced and the
older one is nobody's own word; else both are contested until somebody decides.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

from axiommind.errors import BadQuery
from axiommind.ids import canonical_json, dedupe_key
from axiommind.learning.new_event import NewEvent
from axiommind.learning.policies import CONFLICTS
from axiommind.projections.entry_rows import STAGES, EntryRow
from axiommind.text.normal_form import fold

__all__ = ["Claim", "check_causality", "conflicts_of", "incompatible", "rule_on"]

_CONFLICTING = ("fact", "decision", "insight")
# Long values are prose, and the same thing can be said in other words: at least so alike, of 100, is the same.
_PROSE_CHARS = 40
_ALIKE = 80


class Claim(NamedTuple):
    """What a conflict is decided by. Without a value, nobody says what has to agree, and nothing conflicts."""

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
           coalesce((select instr(:stages, p.to_stage) > instr(:stages, p.from_stage) from promotions p
                     where p.entry_id = e.entry_id and p.actor = 'user' order by p.id desc limit 1), 0)
    from entries e
    where e.canonical_key = :key and e.entry_id <> :entry and e.status in ('active', 'contested')
      and json_extract(e.content_json, '$.value') is not null
    order by e.happened_at, e.entry_id
"""


def conflicts_of(db: sqlite3.Connection, new: Sequence[Claim], epoch: str) -> list[NewEvent]:
    """The conflicts that new claims bring, with those that were known and with each other."""
    emits: list[NewEvent] = []
    seen: list[Claim] = []
    for claim in new:
        if claim.type not in _CONFLICTING or not claim.value:
            continue
        values = {"key": claim.canonical_key, "entry": claim.entry_id, "stages": " ".join(STAGES)}
        rows = db.execute(_SAME_KEY, values)
        known = [_claim(row) for row in rows]
        known += [other for other in seen if other.canonical_key == claim.canonical_key]
        for other in known:
            if incompatible(claim.value, other.value):
                emits += _conflict(claim, other, epoch)
        seen.append(claim)
    return [*emits, *_ended_with(db, emits, epoch)]


def _ended_with(db: sqlite3.Connection, emits: Sequence[NewEvent], epoch: str) -> list[NewEvent]:
    """What else an entry that was just replaced was in conflict with has no opponent any more."""
    gone = {emit.payload["entry_id"] for emit in emits if emit.event_type == "entry_superseded"}
    ended = {emit.payload["conflict_id"] for emit in emits if emit.event_type == "conflict_resolved"}
    opened = {
        emit.payload["conflict_id"]: (emit.payload["older_id"], emit.payload["newer_id"])
        for emit in emits
        if emit.event_type == "conflict_detected"
    }
    for entry in gone:
        rows = db.execute(
            """
            select conflict_id, older_id, newer_id from conflicts
            where resolved_at is null and (older_id = ?1 or newer_id = ?1)
            """,
            (entry,),
        )
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


def _claim(row: Sequence[Any]) -> Claim:
    entry, kind, key, value, aligned, confidence, at, by_person = row
    return Claim(entry, kind, key, str(value), bool(aligned), confidence, at, bool(by_person))


def incompatible(one: str, two: str) -> bool:
    """Whether two values of one key say different things. `always: …` and `never: …` do, however alike the rest is."""
    a, b = fold(one), fold(two)
    if a == b:
        return False
    if min(len(a), len(b)) < _PROSE_CHARS or (a.partition(":")[0] != b.partition(":")[0] and ":" in a and ":" in b):
        return True
    from rapidfuzz import fuzz

    return fuzz.token_sort_ratio(a, b) < _ALIKE


def _conflict(one: Claim, two: Claim, epoch: str) -> list[NewEvent]:
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


def _as_good(newer: Claim, older: Claim) -> bool:
    return newer.aligned and (not older.aligned or newer.confidence >= older.confidence)


def check_causality(evidence: Sequence[EntryRow], at: int) -> None:
    """A decision rests on what is verified, stands, and was said before it."""
    for entry in evidence:
        name = entry.entry_id
        if entry.stage not in ("verified", "certified"):
            raise BadQuery(
                f"{name} is only {entry.stage}: a decision rests on verified entries",
                hint=f"axm why {name} shows what it lacks; axm promote {name} --reason … vouches for it",
            )
        if entry.status != "active":
            raise BadQuery(
                f"{name} is {entry.status}: a decision rests on entries that stand",
                hint=f"axm entry show {name} shows why",
            )
        if (entry.happened_at or entry.created_ts) > at:
            raise BadQuery(f"{name} is later than the decision", hint="what a decision rests on comes before it")


def rule_on(entry: EntryRow, act: str, reason: str, at: int, other: EntryRow | None = None) -> NewEvent:
    """What a person says about an entry: contested, superseded, deprecated or restored."""
    payload: dict[str, Any] = {"entry_id": entry.entry_id}
    if other is not None:
        payload["other_id"] = other.entry_id
    if act == "deprecated":
        payload["value_key"] = entry.value_key
    return NewEvent(f"entry_{act}", payload, (entry.entry_id, act, at), text=canonical_json({"reason": reason}))
