"""What the policies need to know of entries: counted from the index."""

from __future__ import annotations

import sqlite3
from bisect import bisect_right

from axiommind.extraction.rules import declared
from axiommind.learning.policies import BELIEVED, DAY_MS, MEASURED, SUPPORTED, EntryFacts
from axiommind.projections.entry_rows import BY_AGENT, BY_PERSON, STAGES

__all__ = ["facts_of"]

# Stated by a person or used: in which sessions, and from which day to which. A claim is the same in every session that
# states the same. Only what has a session counts there: what an agent says again, a look at an entry outside of a
# session and a person's word keep a claim alive, and neither looking nor an agent's repeating makes anything certain.
_FACTS = """
    with said as (
        select value_key, case when provenance = 'person' and rule <> :by_agent then session_id end as session_id,
               coalesce(happened_at, created_ts) as at
        from entries
        where aligned and status <> 'withdrawn' and (:project is null or project = :project)
        union all
        select e.value_key, u.session_id, u.at
        from entry_uses u
        join entries e on e.entry_id = u.entry_id
        where :project is null or e.project = :project
        union all
        select e.value_key, null, cast(strftime('%s', p.at) as integer) * 1000
        from promotions p
        join entries e on e.entry_id = p.entry_id
        where p.actor = 'user' and (:project is null or e.project = :project)
    ),
    known as (
        select value_key, count(distinct session_id) as sessions, max(at) as last,
               min(case when session_id is not null then at end) as met_first,
               max(case when session_id is not null then at end) as met_last
        from said
        group by value_key
    ),
    heard as (
        select value_key, count(distinct session_id) as sessions, min(session_id) as session_id
        from entries
        where aligned and status <> 'withdrawn' and provenance = 'person' and rule <> :by_agent
        group by value_key
    )
    select e.project, e.entry_id, e.stage, e.status, e.aligned, e.verified_by is not null, e.confidence, e.rule,
           e.provenance, e.support, coalesce(h.sessions, 0) > (coalesce(h.session_id, '') = e.session_id),
           coalesce(k.sessions, 0), coalesce(k.met_last - k.met_first, 0), coalesce(k.last, e.created_ts),
           coalesce((select case when instr(:stages, p.to_stage) > instr(:stages, p.from_stage) then p.to_stage end
                     from promotions p
                     where p.entry_id = e.entry_id and p.actor = 'user'
                     order by p.id desc
                     limit 1), '')
    from entries e
    left join known k on k.value_key = e.value_key
    left join heard h on h.value_key = e.value_key
    where e.status <> 'withdrawn' and (:project is null or e.project = :project)
    order by e.id
"""

# The days on which a project was worked in: while nobody does, nothing in it grows old.
_DAYS = """
    select project, cast(coalesce(last_ts, ended_at, started_at, file_mtime) / :day as integer) as day
    from sessions
    where (:project is null or project = :project)
      and coalesce(last_ts, ended_at, started_at, file_mtime) <= :now
    group by 1, 2
    order by 1, 2
"""


def facts_of(db: sqlite3.Connection, now: int, project: str | None = None) -> list[EntryFacts]:
    """The facts of every entry that its session still says, as they are now."""
    rules = declared()
    days: dict[str, list[int]] = {}
    for of, day in db.execute(_DAYS, {"day": DAY_MS, "project": project, "now": now}):
        days.setdefault(of, []).append(day)
    found = []
    values = {"by_agent": BY_AGENT, "project": project, "stages": " ".join(STAGES)}
    for row in db.execute(_FACTS, values):
        of, entry, stage, status, aligned, passed, sure, rule, provenance, support, again = row[:11]
        sessions, span, last, word = row[11:]
        worked = days.get(of, [])
        declares = rules.get(rule)
        found.append(
            EntryFacts(
                entry,
                stage,
                status,
                bool(aligned),
                bool(passed),
                sure,
                _needed(declares is not None, support, is_repeated=bool(again) and provenance == "person"),
                _grounds(rule, provenance, bool(again)),
                sessions,
                span / DAY_MS,
                len(worked) - bisect_right(worked, last // DAY_MS),
                word,
                provenance == "picked",
            )
        )
    return found


def _needed(is_rule: bool, support: str, *, is_repeated: bool) -> float:
    """How sure one has to be. Who says the same in two sessions means it, however often the rule is wrong; a model that
    puts it into its own words has to be believed, or supported."""
    if is_rule:
        return SUPPORTED if is_repeated else MEASURED
    return SUPPORTED if support == "supported" else BELIEVED


def _grounds(rule: str, provenance: str, again: bool) -> str:
    """Whose word stands behind a claim. What comes from tools, the network, a paste or an agent alone has nothing,
    whatever check passed and however often it was said; neither has a line of a rules file, which agents write too."""
    if rule == BY_PERSON:
        return "recorded by a person"
    if provenance == "person":
        return "a person's own words"
    if again:
        return "a person said it in another session"
    return "a person chose it, in the agent's words" if provenance == "picked" else ""
