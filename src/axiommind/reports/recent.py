"""What happened lately: sessions page by page, what was learned, and what agents were given."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

__all__ = [
    "GivenLately",
    "LearnedLately",
    "ListedSession",
    "Recent",
    "SessionList",
    "Totals",
    "list_sessions",
    "recent",
]

_SESSIONS = """
    select id, coalesce(title, ''), project, agent, coalesce(model, ''), coalesce(started_at, first_ts, 0) as began,
      coalesce(ended_at, last_ts, 0) as ended, prompt_count, tool_use_count, edit_count, error_count,
      input_tokens + output_tokens + cache_creation_tokens + cache_read_tokens, output_tokens,
      (select count(*) from sessions c where c.parent_session = s.id)
    from sessions s
    where parent_session is null
      and (prompt_count > 0 or tool_use_count > 0)
      and (:agent = '' or agent = :agent)
      and (:words = '' or instr(lower(coalesce(title, '')), :words) or instr(lower(project), :words)
        or substr(id, 1, length(:words)) = :words)
      and (:ended is null or (coalesce(ended_at, last_ts, 0), id) < (:ended, :id))
    order by ended desc, id desc
    limit :limit
"""
# Those that say the same count once, by the latest of them.
_LEARNED = """
    select entry_id, entry_type, kind, stage, status, title, project, session_id,
      coalesce(happened_at, created_ts) as at
    from entries
    where status in ('active', 'contested')
      and kind not in ('open', 'record')
      and id in (select max(id) from entries group by value_key)
    order by at desc, id desc
    limit ?
"""
_GIVEN = """
    select v.session_id, v.project, v.hook, v.at, v.tokens, count(i.item_id)
    from served v
    join served_items i on i.served_id = v.id
    group by v.id
    order by v.at desc
    limit ?
"""


_TOTALS = """
    select count(*) filter (where parent_session is null), count(*) filter (where parent_session is not null),
      count(distinct project), min(first_ts), max(last_ts)
    from sessions
"""
_JUDGED = "select coalesce(sum(given), 0), coalesce(sum(used), 0) from judged_context"


class ListedSession(NamedTuple):
    session_id: str
    title: str
    project: str
    agent: str
    model: str
    started_at: int
    ended_at: int
    prompts: int
    tool_uses: int
    edits: int
    errors: int
    tokens: int
    output_tokens: int
    subagents: int


class SessionList(NamedTuple):
    sessions: tuple[ListedSession, ...]
    next_key: str  # of the page after this one; empty at the end


class LearnedLately(NamedTuple):
    entry_id: str
    type: str
    kind: str
    stage: str
    status: str
    title: str
    project: str
    session_id: str
    at: int


class GivenLately(NamedTuple):
    """What a hook gave an agent at one moment."""

    session_id: str
    project: str | None
    hook: str
    at: int
    tokens: int
    items: int


class Totals(NamedTuple):
    sessions: int
    subagents: int
    projects: int
    first: int | None
    last: int | None


class Recent(NamedTuple):
    totals: Totals
    sessions: tuple[ListedSession, ...]
    learned: tuple[LearnedLately, ...]
    given: tuple[GivenLately, ...]
    judged: int  # of all things that were ever given, those of which it can be said whether they were used
    used: int


def list_sessions(
    db: sqlite3.Connection, *, key: str = "", words: str = "", agent: str = "", limit: int = 50
) -> SessionList:
    """Sessions of persons, the latest first. `key` is the end of the page before: a time and an id."""
    ended, _, last = key.partition(".")
    values = {
        "agent": agent,
        "words": words.strip().lower(),
        "ended": int(ended) if ended.isdecimal() and len(ended) < 16 else None,
        "id": last,
        "limit": limit + 1,
    }
    found = [ListedSession(*row) for row in db.execute(_SESSIONS, values)]
    page = found[:limit]
    more = f"{page[-1].ended_at}.{page[-1].session_id}" if page and len(found) > limit else ""
    return SessionList(tuple(page), more)


def recent(db: sqlite3.Connection, limit: int) -> Recent:
    """The last of each."""
    return Recent(
        Totals(*db.execute(_TOTALS).fetchone()),
        list_sessions(db, limit=limit).sessions,
        tuple(LearnedLately(*row) for row in db.execute(_LEARNED, (limit,))),
        tuple(GivenLately(*row) for row in db.execute(_GIVEN, (limit,))),
        *db.execute(_JUDGED).fetchone(),
    )
