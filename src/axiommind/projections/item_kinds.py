"""What kind of thing an id names: of an entry its kind (decision, gotcha …), of anything else what it was given as."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from axiommind.ids import number_of, short_id
from axiommind.projections.passages import KIND_BITS, KINDS

__all__ = ["item_kinds"]

_INSIGHT = KINDS["insight"]
_BY_NAME = "select entry_id, kind from entries where entry_id in ({marks})"
_BY_ROW = "select id, kind from entries where id in ({marks})"


def item_kinds(db: sqlite3.Connection, given: Mapping[str, str]) -> dict[str, str]:
    """The kinds of things, by their ids; `given` says what each was given as."""
    found = dict(given)
    names = [name for name in given if name.startswith("ent_")]
    if names:
        found.update(db.execute(_BY_NAME.format(marks=_marks(names)), names).fetchall())
    rows = {
        number >> KIND_BITS: name
        for name in given
        if (number := number_of(name)) is not None and number & (1 << KIND_BITS) - 1 == _INSIGHT
    }
    if rows:
        for row, kind in db.execute(_BY_ROW.format(marks=_marks(rows)), list(rows)).fetchall():
            found[short_id(row << KIND_BITS | _INSIGHT)] = kind
    return found


def _marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)
