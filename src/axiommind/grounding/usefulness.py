"""How useful each kind of thing was, as a weight: kinds that are never used sink by themselves, and rise again.

A weight is 1 until the figures say otherwise: it falls only where the upper bound of what was used of a kind, less what
looks used by chance, is below what is used at that hook on the whole, and rises a little where the lower bound is
above. Of a few things nothing is said. What was judged in the last three periods counts, so a kind that is not given
any more is tried again. Other projects count as a few dozen things of one's own. Two statements for a hook.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from axiommind.db import has_table
from axiommind.grounding.chance import FEW, bounds, chance

__all__ = ["LEAST", "MOST", "weight", "weights"]

LEAST, MOST = 0.5, 1.1
_PERIODS = 3
_BORROWED = 40  # things of other projects that count, at most
_LEAST_BASE = 0.05
_COUNTS = """
    select kind, project is :project, sum(given), sum(used), sum(controls), sum(by_chance)
    from usefulness
    where hook = :hook
      and period > (select max(period) from usefulness) - :periods
    group by 1, 2
"""
# What people said of things of a kind; an entry has a second name, which is of no kind.
_SAID = """
    select kind, project is :project, count(*), sum(verdict = 'yes')
    from feedback
    where hook = :hook and kind <> '' and said_in = '' and verdict <> 'clear'
    group by 1, 2
"""


class _Counts(NamedTuple):
    given: float = 0
    used: float = 0
    controls: float = 0
    by_chance: float = 0

    def plus(self, other: Iterable[float], scale: float = 1.0) -> _Counts:
        return _Counts(*(one + scale * more for one, more in zip(self, other, strict=True)))


def weight(db: sqlite3.Connection, event: str, kind: str, project: str | None = None) -> float:
    """What a thing of a kind is worth at a hook: 0.5 to 1.1. The kind is that of an entry (decision, gotcha …), or
    prompt, response, tool, doc, task … Without a project, all of them count alike."""
    return weights(db, event, project).get(kind, 1.0)


def weights(db: sqlite3.Connection, event: str, project: str | None = None) -> dict[str, float]:
    """The weights of the kinds that have one other than 1."""
    if not has_table(db, "usefulness"):
        return {}
    counts = _counted(db, event, project)
    total = _Counts()
    for one in counts.values():
        total = total.plus(one)
    if not total.given:
        return {}
    found = {kind: round(_weight(one, total), 3) for kind, one in counts.items()}
    return {kind: worth for kind, worth in found.items() if worth != 1}


def _counted(db: sqlite3.Connection, event: str, project: str | None) -> dict[str, _Counts]:
    asked = {"hook": event, "project": project, "periods": _PERIODS}
    own: dict[str, _Counts] = {}
    others: dict[str, _Counts] = {}
    for kind, is_own, *counts in db.execute(_COUNTS, asked):
        (own if is_own else others)[kind] = _Counts(*counts)
    for kind, is_own, given, used in db.execute(_SAID, asked):
        into = own if is_own else others
        into[kind] = into.get(kind, _Counts()).plus((given, used, 0, 0))
    found = dict(own)
    for kind, counts in others.items():
        scale = 1.0 if project is None else min(1.0, _BORROWED / max(counts.given, 1))
        found[kind] = found.get(kind, _Counts()).plus(counts, scale)
    return found


def _weight(one: _Counts, total: _Counts) -> float:
    if one.given < FEW:
        return 1.0
    base = max(total.used / total.given - chance(total.by_chance, total.controls), _LEAST_BASE)
    low, high = (bound - chance(one.by_chance, one.controls) for bound in bounds(one.used, one.given))
    if high < base:
        return max(high / base, LEAST)
    return min(low / base, MOST) if low > base else 1.0
