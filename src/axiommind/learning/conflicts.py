"""Conflicts: claims that cannot both hold, and settling one."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

from axiommind.callers import Caller
from axiommind.db import dicts
from axiommind.errors import BadQuery
from axiommind.home import Home, Scope
from axiommind.ids import one_of

if TYPE_CHECKING:
    from axiommind.learning.entries import Entries
    from axiommind.projections.entry_rows import EntryRow

__all__ = ["Conflicts"]

_CONFLICTS = """
    select conflict_id, older_id, newer_id, conflict_type, reason, detected_at, resolved_at, resolution, resolved_by,
           o.title as title, o.text as older, n.text as newer
    from conflicts c
    join entries o on o.entry_id = c.older_id
    join entries n on n.entry_id = c.newer_id
    where (:every or c.resolved_at is null)
      and (:project is null or n.project = :project)
    order by c.resolved_at is not null, c.detected_at desc, c.conflict_id
"""
_OPEN = """
    select conflict_id, older_id, newer_id
    from conflicts
    where resolved_at is null
"""


class Conflicts:
    """Lists and settles conflicts."""

    def __init__(self, home: Home, entries: Entries) -> None:
        self.home = home
        self.entries = entries

    def list(self, scope: Scope, *, every: bool = False) -> builtins.list[dict[str, Any]]:
        """Claims that cannot both hold; with `every`, settled conflicts too."""
        with self.home.reading(Scope(None), None) as db:
            cursor = db.execute(_CONFLICTS, {"every": every, "project": scope.project})
            return dicts(cursor)

    def settle(self, conflict: str, keep: str, reason: str, *, caller: Caller | None = None) -> EntryRow:
        """End a conflict: the entry to keep supersedes the other one."""
        from axiommind.projections.entry_rows import find_entry

        with self.home.reading(Scope(None), None) as db:
            kept = find_entry(db, keep)
            rows = db.execute(_OPEN)
            opened = {name: pair for name, *pair in rows}
        name = one_of(conflict.strip(), set(opened), "open conflict", "axm conflict list shows them")
        pair = opened[name]
        if kept.entry_id not in pair:
            raise BadQuery(f"{kept.entry_id} is not part of {name}", hint=f"it is between {' and '.join(pair)}")
        (other,) = set(pair) - {kept.entry_id}
        self.entries.rule(other, "superseded", reason or "a person decided", kept.entry_id, caller=caller)
        return self.entries.show(kept.entry_id).entry
