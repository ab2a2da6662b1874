"""Controls: things like those that were given, which were not. Whatever of them looks used is chance.

They are chosen where chance is likeliest, so that it is not made little of: of a passage others of the same kind in the
same session, of an entry others of its kind and project. Which of them is settled by their ids, and no draw.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from axiommind.ids import number_of, short_id
from axiommind.projections.passages import KIND_BITS, KINDS

__all__ = ["controls_for"]

_EACH = 2  # for one thing that was given
# An order that has nothing to do with when things were said.
_SHUFFLED = "(id * 40503) % 65521, id"
_PASSAGES = f"""
    select id from passages
    where session_id = (select session_id from passages where id = :number)
      and session_id <> :session
      and kind = (select kind from passages where id = :number)
      and timestamp < :at
    order by {_SHUFFLED}
    limit :most
"""
_ENTRIES = f"""
    select e.id, e.entry_id from entries e
    join entries given on given.project = e.project and given.kind = e.kind
    where (given.entry_id = :name or given.id = :row)
      and e.session_id <> :session
      and e.status = 'active'
      and coalesce(e.happened_at, e.created_ts) < :at
    order by {_SHUFFLED.replace("id", "e.id")}
    limit :most
"""


def controls_for(db: sqlite3.Connection, name: str, session: str, at: int, given: Collection[str]) -> list[str]:
    """Ids of things that were known when `name` was given in a session, and were not among what it was given."""
    number = number_of(name)
    is_entry = name.startswith("ent_") or (number is not None and number & (1 << KIND_BITS) - 1 == KINDS["insight"])
    asked = {"session": session, "at": at, "most": _EACH + len(given)}
    if is_entry:
        rows = db.execute(_ENTRIES, {**asked, "name": name, "row": (number or 0) >> KIND_BITS})
        found = [(short_id(row << KIND_BITS | KINDS["insight"]), entry) for row, entry in rows]
    else:
        found = [(short_id(row), "") for (row,) in db.execute(_PASSAGES, {**asked, "number": number or 0})]
    return [one for one, entry in found if one not in given and entry not in given][:_EACH]
