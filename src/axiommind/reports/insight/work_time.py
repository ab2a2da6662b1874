"""When work went on: active time by day, and the sessions that took longest."""

from __future__ import annotations

from axiommind.reports.analysers import activity
from axiommind.reports.insight.reader import MOST_SHOWN, FactReader
from axiommind.reports.insight.rows import day_of
from axiommind.reports.insight.values import SessionTime, WorkDay

__all__ = ["days", "longest", "times"]


def times(facts: FactReader) -> dict[str, list[int]]:
    """When something happened, by session; what a subagent did belongs to the session that called it."""
    found: dict[str, list[int]] = {}
    rows = facts.db.execute(
        """
        select coalesce(s.parent_session, s.id), m.timestamp
        from (
          select session_id, timestamp from prompts where canonical = 1
          union all
          select session_id, timestamp from responses where canonical = 1
          union all
          select session_id, timestamp from tool_uses where canonical = 1
        ) m
        join sessions s on s.id = m.session_id
        where m.timestamp > 0
          and (:since is null or m.timestamp >= :since)
          and (:until is null or m.timestamp < :until)
        """,
        facts.window._asdict(),
    )
    for session, at in rows:
        found.setdefault(session, []).append(at)
    if facts.window == (None, None):  # a session without times is one all the same
        for (session,) in facts.db.execute("select id from sessions where parent_session is null"):
            found.setdefault(session, [])
    return found


def days(facts: FactReader, times: dict[str, list[int]], active: list[tuple[int, int]]) -> list[WorkDay]:
    busy = activity.by_day(active)
    sessions: dict[int, set[str]] = {}
    for session, some in times.items():
        for at in some:
            sessions.setdefault(at // activity.DAY_MS, set()).add(session)
    prompts: dict[int, int] = {}
    for asked in facts.prompts:
        prompts[asked.at // activity.DAY_MS] = prompts.get(asked.at // activity.DAY_MS, 0) + 1
    return [
        WorkDay(day_of(day * activity.DAY_MS), busy.get(day, 0), len(sessions[day]), prompts.get(day, 0))
        for day in sorted(sessions)
    ]


def longest(facts: FactReader, times: dict[str, list[int]]) -> list[SessionTime]:
    spent = {session: activity.total(activity.stretches(some)) for session, some in times.items()}
    found = []
    for session in sorted(spent, key=lambda one: (-spent[one], one))[:MOST_SHOWN]:
        if spent[session]:
            mine = [asked for asked in facts.prompts if asked.session == session]
            uses = sum(call.session == session for call in facts.counted)
            first = facts.cite("prompt", mine[0].ref) if mine else None
            found.append(SessionTime(session, facts.title(session), spent[session], len(mine), uses, first))
    return found
