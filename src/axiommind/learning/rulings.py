"""Rulings: a person contests, supersedes, deprecates or restores an entry. When that makes sense, and its events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.errors import BadQuery
from axiommind.home import now

if TYPE_CHECKING:
    from axiommind.learning.event_writer import Writer
    from axiommind.learning.new_event import NewEvent
    from axiommind.projections.entry_rows import EntryRow
    from axiommind.projections.runner import Index

__all__ = ["check_ruling", "conflicts_of", "reopened", "same_claim", "settled", "write_ruling"]


def check_ruling(index: Index, entry: EntryRow, act: str, by: EntryRow | None, undoes: str | None) -> None:
    """Whether a ruling makes sense as things are."""
    name = entry.entry_id
    if by is not None and by.value_key == entry.value_key:
        raise BadQuery("a claim does not supersede itself", hint="--by names the one that takes its place")
    if by is not None and by.superseded_by == name:
        raise BadQuery(
            f"{by.entry_id} is itself superseded by {name}", hint=f"first: axm supersede {by.entry_id} --undo"
        )
    if act == "restored":
        last = index.db.execute(
            "select act from rulings where entry_id = ? order by position desc limit 1", (name,)
        ).fetchone()
        if entry.status == "active" or last is None or last[0] == "restored":
            hint = "axm conflicts settle ends a conflict" if entry.status == "contested" else ""
            raise BadQuery(f"{name} is {entry.status}: there is nothing to undo", hint=hint)
        if undoes is not None and last[0] != undoes:
            raise BadQuery(f"{name} is {entry.status}, not {undoes}", hint=f"axm entry show {name} shows what was said")
    elif (
        entry.status == act
        or (act == "contested" and entry.status != "active")
        or (act == "superseded" and entry.status == "deprecated")
    ):
        raise BadQuery(f"{name} is {entry.status} already", hint=f"axm entry show {name} shows why")


def same_claim(index: Index, entry: EntryRow) -> list[EntryRow]:
    """The entry, and those of other sessions that say the same and stand as it does."""
    from axiommind.projections.entry_rows import one_entry

    rows = index.db.execute(
        "select entry_id from entries where value_key = ? and status = ? order by entry_id = ? desc, entry_id",
        (entry.value_key, entry.status, entry.entry_id),
    )
    return [one for row in rows.fetchall() if (one := one_entry(index.db, row[0])) is not None]


def write_ruling(writer: Writer, emit: NewEvent, entry: EntryRow) -> None:
    writer.append(emit, session=entry.session_id, project=entry.project, actor="user")


def conflicts_of(index: Index, entry: str, *, is_open: bool) -> list[str]:
    """Its open conflicts; or those that ended, with what stands today."""
    rows = index.db.execute(
        """
        select c.conflict_id from conflicts c
        join entries o on o.entry_id = case when c.older_id = :entry then c.newer_id else c.older_id end
        where (c.older_id = :entry or c.newer_id = :entry) and (c.resolved_at is null) = :open
          and (:open or o.status in ('active', 'contested'))
        """,
        {"entry": entry, "open": is_open},
    )
    return [row[0] for row in rows]


def settled(conflict: str, resolution: str) -> NewEvent:
    from axiommind.learning.new_event import NewEvent

    payload = {"conflict_id": conflict, "resolution": resolution, "resolved_by": "user"}
    return NewEvent("conflict_resolved", payload, (conflict, "user", now()))


def reopened(conflict: str) -> NewEvent:
    from axiommind.learning.new_event import NewEvent

    payload = {"conflict_id": conflict, "resolution": None, "resolved_by": None}
    return NewEvent("conflict_reopened", payload, (conflict, now()))
