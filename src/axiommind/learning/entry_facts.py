"""What the policies need to know of entries, and how far a model's claims are believed: counted from the index."""

from __future__ import annotations

import sqlite3

from axiommind.learning.policies import DAY_MS, HALF_LIFE, EntryFacts
from axiommind.projections.entry_rows import BY_AGENT, STAGES

__all__ = ["facts_of", "judged_precision"]

# Stated or used: in which sessions, first and last. A claim is the same in every session that states the same, and a
# person's word for it counts as a use. What an agent remembers keeps a claim alive, and is no session that states it:
# by repeating itself an agent makes nothing certain.
_FACTS = """
    with said as (
        select value_key, case when rule <> :by_agent then session_id end as session_id,
               coalesce(happened_at, created_ts) as at
        from entries
        where aligned and status <> 'withdrawn'
        union all
        select e.value_key, u.session_id, u.at
        from entry_uses u
        join entries e on e.entry_id = u.entry_id
        union all
        select e.value_key, null, cast(strftime('%s', p.at) as integer) * 1000
        from promotions p
        join entries e on e.entry_id = p.entry_id
        where p.actor = 'user'
    ),
    known as (
        select value_key, count(distinct session_id) as sessions, min(at) as first, max(at) as last
        from said
        group by value_key
    )
    select e.entry_id, e.stage, e.status, e.aligned, e.verified_by is not null, e.confidence,
           coalesce(k.sessions, 0), coalesce(k.first, e.created_ts), coalesce(k.last, e.created_ts),
           (select cast((julianday(p.at) - 2440587.5) * 86400000 as integer)
            from promotions p
            where p.entry_id = e.entry_id
            order by p.id desc
            limit 1),
           (select p.policy
            from promotions p
            where p.entry_id = e.entry_id
            order by p.id desc
            limit 1)
    from entries e
    left join known k on k.value_key = e.value_key
    order by e.id
"""
# The claims of a model that a person has judged, each counted once however many sessions make it: those the person
# vouched for (the last word raised it), and those rejected.
_JUDGED = """
    select
        count(distinct e.value_key) filter (
            where e.status <> 'deprecated'
              and (select instr(:stages, p.to_stage) > instr(:stages, p.from_stage)
                   from promotions p
                   where p.entry_id = e.entry_id and p.actor = 'user'
                   order by p.id desc
                   limit 1)),
        count(distinct e.value_key) filter (where e.status = 'deprecated')
    from entries e
    where e.rule = :rule
"""


def facts_of(db: sqlite3.Connection, now: int) -> list[EntryFacts]:
    """The facts of every entry, as they are now."""
    found = []
    for entry, stage, status, aligned, passed, sure, sessions, first, last, moved, policy in db.execute(
        _FACTS, {"by_agent": BY_AGENT}
    ):
        moved = moved or 0
        found.append(
            EntryFacts(
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


def judged_precision(db: sqlite3.Connection, rule: str) -> float:
    """How often a model was right, by what a person said of its claims: the same formula as for the rules. It is one
    half for a model whose claims nobody has judged yet."""
    right, wrong = db.execute(_JUDGED, {"rule": rule, "stages": " ".join(STAGES)}).fetchone()
    return (int(right) + 1) / (int(right) + int(wrong) + 2)
