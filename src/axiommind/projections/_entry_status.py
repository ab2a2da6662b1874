"""The status of an entry: whether its session still says it, the latest ruling on it, or an open conflict."""

from __future__ import annotations

import sqlite3

from axiommind.projections.entry_rows import BY_AGENT

__all__ = ["LINKED", "settle_status"]

# Entries whose status may depend on an entry.
LINKED = """
    select older_id from conflicts where newer_id = :entry
    union
    select newer_id from conflicts where older_id = :entry
    union
    select entry_id from rulings where other_id = :entry
"""
_LAST_RULING = """
    select act, other_id
    from rulings
    where entry_id = :entry
      and (act in ('withdrawn', 'returned')) = :of_session
    order by ord desc
    limit 1
"""
_IS_CONTESTED = """
    select exists (
        select 1
        from conflicts c
        join entries o on o.entry_id = case when c.older_id = :entry then c.newer_id else c.older_id end
        where (c.older_id = :entry or c.newer_id = :entry)
          and c.resolved_at is null
          and o.status <> 'withdrawn'
          -- what an agent asked to be remembered contests itself, and nothing that is known otherwise
          and (o.rule <> :by_agent or (select rule from entries where entry_id = :entry) = :by_agent))
"""
_IS_THERE = "select 1 from entries where entry_id = :entry and status <> 'withdrawn'"
_SET_STATUS = "update entries set status = :status, superseded_by = :by where entry_id = :entry"


def settle_status(db: sqlite3.Connection, *entries: str) -> None:
    """Recompute the status of entries: whether their session still says it, the latest ruling on them, or an open
    conflict."""
    for entry in entries:
        said, _ = db.execute(_LAST_RULING, {"entry": entry, "of_session": True}).fetchone() or ("returned", None)
        ruling = db.execute(_LAST_RULING, {"entry": entry, "of_session": False}).fetchone()
        act, other = ruling or ("restored", None)
        if act == "superseded" and db.execute(_IS_THERE, {"entry": other}).fetchone() is None:
            act = "restored"  # what superseded it was forgotten or withdrawn
        if said == "withdrawn":
            act = said
        if act == "restored":
            (contested,) = db.execute(_IS_CONTESTED, {"entry": entry, "by_agent": BY_AGENT}).fetchone()
            act = "contested" if contested else "active"
        db.execute(_SET_STATUS, {"status": act, "by": other if act == "superseded" else None, "entry": entry})
