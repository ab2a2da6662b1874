"""Rulings: a person contests, supersedes, deprecates or restores a claim. When that makes sense, and its events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from axiommind.errors import BadQuery
from axiommind.home import now
from axiommind.ids import canonical_json
from axiommind.learning.new_event import NewEvent
from axiommind.projections.entry_rows import get_entry

if TYPE_CHECKING:
    import sqlite3

    from axiommind.learning.event_writer import EventWriter
    from axiommind.projections.entry_rows import EntryRow

__all__ = ["check_ruling", "write_rulings"]

_LAST_ACT = """
    select act
    from rulings
    where entry_id = :entry
      and act not in ('withdrawn', 'returned')
    order by ord desc
    limit 1
"""
_SAME_CLAIM = """
    select entry_id
    from entries
    where value_key = :value_key
      and status = :status
    order by entry_id = :entry desc, entry_id
"""
_CONFLICTS = """
    select c.conflict_id
    from conflicts c
    join entries o on o.entry_id = case when c.older_id = :entry then c.newer_id else c.older_id end
    where (c.older_id = :entry or c.newer_id = :entry)
      and (c.resolved_at is null) = :open
      and (:open or o.status in ('active', 'contested'))
"""


def check_ruling(db: sqlite3.Connection, entry: EntryRow, act: str, by: EntryRow | None, undoes: str | None) -> None:
    """Refuse a ruling that makes no sense as things are."""
    name = entry.entry_id
    if by is not None and by.value_key == entry.value_key:
        raise BadQuery("a claim cannot supersede itself", hint="--by names the entry that replaces it")
    if by is not None and by.superseded_by == name:
        raise BadQuery(
            f"{by.entry_id} is itself superseded by {name}", hint=f"first: axm entry supersede {by.entry_id} --undo"
        )
    if act == "restored":
        _check_undo(db, entry, undoes)
    elif (
        entry.status == act
        or (act == "contested" and entry.status != "active")
        or (act == "superseded" and entry.status == "deprecated")
    ):
        raise BadQuery(f"{name} is {entry.status} already", hint=f"axm entry show {name} shows why")


def _check_undo(db: sqlite3.Connection, entry: EntryRow, undoes: str | None) -> None:
    name = entry.entry_id
    last = db.execute(_LAST_ACT, {"entry": name}).fetchone()
    if entry.status == "active" or last is None or last[0] == "restored":
        hint = "axm conflict settle ends a conflict" if entry.status == "contested" else ""
        raise BadQuery(f"{name} is {entry.status}: there is nothing to undo", hint=hint)
    if undoes is not None and last[0] != undoes:
        raise BadQuery(f"{name} is {entry.status}, not {undoes}", hint=f"axm entry show {name} shows its history")


def write_rulings(
    writer: EventWriter, db: sqlite3.Connection, entry: EntryRow, act: str, reason: str, by: EntryRow | None
) -> None:
    """Rule on an entry and on those of other sessions that say the same; their conflicts end or reopen with them."""
    for one in _same_claim(db, entry):
        events = [_ruling(one, act, reason, by)]
        if act in ("superseded", "deprecated"):
            events += [
                _settled(conflict, f"{one.entry_id} was {act}")
                for conflict in _conflicts_of(db, one.entry_id, is_open=True)
            ]
        elif act == "restored":  # the claims that it conflicts with are still there
            events += [_reopened(conflict) for conflict in _conflicts_of(db, one.entry_id, is_open=False)]
        for event in events:
            writer.append(event, session=one.session_id, project=one.project, actor="user")


def _same_claim(db: sqlite3.Connection, entry: EntryRow) -> list[EntryRow]:
    """The entry, and those of other sessions that say the same and have the same status."""
    values = {"value_key": entry.value_key, "status": entry.status, "entry": entry.entry_id}
    rows = db.execute(_SAME_CLAIM, values).fetchall()
    return [one for row in rows if (one := get_entry(db, row[0])) is not None]


def _conflicts_of(db: sqlite3.Connection, entry: str, *, is_open: bool) -> list[str]:
    """Its open conflicts; or those that ended, with claims that still hold."""
    return [row[0] for row in db.execute(_CONFLICTS, {"entry": entry, "open": is_open})]


def _ruling(entry: EntryRow, act: str, reason: str, by: EntryRow | None) -> NewEvent:
    payload: dict[str, Any] = {"entry_id": entry.entry_id}
    if by is not None:
        payload["other_id"] = by.entry_id
    if act == "deprecated":
        payload["value_key"] = entry.value_key
    return NewEvent(f"entry_{act}", payload, (entry.entry_id, act, now()), text=canonical_json({"reason": reason}))


def _settled(conflict: str, resolution: str) -> NewEvent:
    payload = {"conflict_id": conflict, "resolution": resolution, "resolved_by": "user"}
    return NewEvent("conflict_resolved", payload, (conflict, "user", now()))


def _reopened(conflict: str) -> NewEvent:
    payload = {"conflict_id": conflict, "resolution": None, "resolved_by": None}
    return NewEvent("conflict_reopened", payload, (conflict, now()))
