"""How entries stand as a whole: the facts that policies decide by, and the audit of the store."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from axiommind.learning.policies import DAY_MS, GRADUATION, HALF_LIFE, Change, Facts, demotion, promotions, vitality
from axiommind.projections.entry_rows import STAGES

__all__ = ["POLICIES", "Audit", "audit", "facts_of", "graduate", "half_life", "measured"]

# Said or used: in which sessions, first and last. A claim is the same in every session that says the same, and a
# person's word for it counts as a use. What an agent remembers keeps a claim alive, and is no session that says it:
# by repeating itself an agent makes nothing certain.
_FACTS = """
    with said as (
        select value_key, case when rule <> 'agent' then session_id end as session_id,
               coalesce(happened_at, created_ts) as at
        from entries where aligned
        union all
        select e.value_key, u.session_id, u.at from entry_uses u join entries e on e.entry_id = u.entry_id
        union all
        select e.value_key, null, cast(strftime('%s', p.at) as integer) * 1000
        from promotions p join entries e on e.entry_id = p.entry_id
        where p.actor = 'user'
    ),
    known as (
        select value_key, count(distinct session_id) as sessions, min(at) as first, max(at) as last
        from said group by value_key
    )
    select e.entry_id, e.stage, e.status, e.aligned, e.verified_by is not null, e.confidence,
           coalesce(k.sessions, 0), coalesce(k.first, e.created_ts), coalesce(k.last, e.created_ts),
           (select cast((julianday(p.at) - 2440587.5) * 86400000 as integer) from promotions p
            where p.entry_id = e.entry_id order by p.id desc limit 1),
           (select p.policy from promotions p where p.entry_id = e.entry_id order by p.id desc limit 1)
    from entries e left join known k on k.value_key = e.value_key
    order by e.id
"""
# Of the claims of a model that a person has judged, each counted once however many sessions make it: vouched for (the
# person's last word raised it), and rejected.
_JUDGED = """
    select
        count(distinct e.value_key) filter (where e.status <> 'deprecated' and (
            select instr(:stages, p.to_stage) > instr(:stages, p.from_stage) from promotions p
            where p.entry_id = e.entry_id and p.actor = 'user' order by p.id desc limit 1)),
        count(distinct e.value_key) filter (where e.status = 'deprecated')
    from entries e where e.rule = :rule
"""


def facts_of(db: sqlite3.Connection, now: int) -> list[Facts]:
    found = []
    for entry, stage, status, aligned, passed, sure, sessions, first, last, moved, policy in db.execute(_FACTS):
        moved = moved or 0
        found.append(
            Facts(
                entry,
                stage,
                status,
                bool(aligned),
                bool(passed),
                sure,
                sessions,
                (last - first) / DAY_MS,
                (now - max(last, moved)) / DAY_MS,
                policy == HALF_LIFE.name and last <= moved,
            )
        )
    return found


def measured(db: sqlite3.Connection, rule: str) -> float:
    """How often a model was right, by what a person said of its claims: the same formula as for the rules. Of one whose
    claims nobody has judged yet that is one half."""
    right, wrong = db.execute(_JUDGED, {"rule": rule, "stages": " ".join(STAGES)}).fetchone()
    return (int(right) + 1) / (int(right) + int(wrong) + 2)


def graduate(facts: Sequence[Facts]) -> list[Change]:
    """Every rise that the graduation policy gives now."""
    return [change for one in facts for change in promotions(one)]


def half_life(facts: Sequence[Facts]) -> list[Change]:
    """Every entry that sinks a stage now."""
    return [change for one in facts if (change := demotion(one)) is not None]


# By name: version, and what it changes.
POLICIES = {GRADUATION.name: (GRADUATION.version, graduate), HALF_LIFE.name: (HALF_LIFE.version, half_life)}


class Audit(NamedTuple):
    """The store in figures: of all entries, how many are …"""

    entries: int
    never_retrieved: int
    duplicates: int  # say what another one of the same project says
    contested: int
    stale: int  # would sink a stage by the half-life policy
    without_evidence: int  # a quote was not found, or there is none


def audit(db: sqlite3.Connection, now: int, project: str | None = None) -> Audit:
    mine = {row[0] for row in db.execute("select entry_id from entries where ?1 is null or project = ?1", (project,))}
    stale = sum(
        vitality(one.stage, one.idle_days) < HALF_LIFE.least for one in facts_of(db, now) if one.entry_id in mine
    )
    retrieved, contested, bare, different = db.execute(
        """
        select
            count(*) filter (where exists (select 1 from entry_uses u where u.entry_id = e.entry_id)),
            count(*) filter (where status = 'contested'),
            count(*) filter (where not aligned),
            count(distinct value_key)
        from entries e where ?1 is null or project = ?1
        """,
        (project,),
    ).fetchone()
    total = len(mine)
    return Audit(total, total - retrieved, total - different, contested, stale, bare)
