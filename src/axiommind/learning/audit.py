"""The audit of the store: how many entries are used, repeated, contested, stale or without evidence."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from axiommind.learning.entry_facts import facts_of
from axiommind.learning.policies import demotion

__all__ = ["Audit", "audit"]

_ENTRIES = """
    select entry_id
    from entries
    where status <> 'withdrawn' and (:project is null or project = :project)
"""
_FIGURES = """
    select
        count(*) filter (where exists (select 1 from entry_uses u where u.entry_id = e.entry_id)),
        count(*) filter (where status = 'contested'),
        count(*) filter (where not aligned),
        count(distinct value_key)
    from entries e
    where status <> 'withdrawn' and (:project is null or project = :project)
"""


class Audit(NamedTuple):
    """The store in figures: of all entries, how many are …"""

    entries: int
    never_retrieved: int
    duplicates: int  # say the same as another one of the same project
    contested: int
    stale: int  # would drop a stage by the half-life policy
    without_evidence: int  # a quote was not found, or there is none


def audit(db: sqlite3.Connection, now: int, project: str | None = None) -> Audit:
    scope = {"project": project}
    own = {row[0] for row in db.execute(_ENTRIES, scope)}
    stale = sum(demotion(one) is not None for one in facts_of(db, now) if one.entry_id in own)
    retrieved, contested, without_evidence, different = db.execute(_FIGURES, scope).fetchone()
    total = len(own)
    return Audit(total, total - retrieved, total - different, contested, stale, without_evidence)
