"""A digest: what was done in some days, decided, spent, and left open, by project, from the record.

Only sessions of that time are looked at, so it costs what they are and not what there is. What is open is open now; how
a session ended is said of those that ended in that time.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

from axiommind.errors import AxmError
from axiommind.home import Home, Scope
from axiommind.reports.analysers import activity
from axiommind.reports.digest.values import Digest, DigestSession, Effort, ProjectDigest

if TYPE_CHECKING:
    from axiommind.reports.digest.project import RecordReader

__all__ = ["Digests"]

_SESSIONS = """
    select id, project, agent, title, parent_session, coalesce(last_ts, ended_at)
    from sessions
    where coalesce(last_ts, ended_at) >= :since
      and coalesce(first_ts, started_at) < :until
    order by id
"""
_MOMENTS = """
    select session_id, timestamp, kind from (
      select session_id, timestamp, 0 as kind from prompts
      where session_id in (select value from json_each(:sessions)) and canonical
      union all
      select session_id, timestamp, 1 from responses
      where session_id in (select value from json_each(:sessions)) and canonical
      union all
      select session_id, timestamp, 2 from tool_uses
      where session_id in (select value from json_each(:sessions)) and canonical
    )
    where timestamp >= :since and timestamp < :until
"""
_SPENT = """
    select session_id, sum(output_tokens),
           sum(input_tokens + output_tokens + cache_creation_tokens + cache_read_tokens), {dollars}
    from responses
    where session_id in (select value from json_each(:sessions))
      and canonical
      and timestamp >= :since and timestamp < :until
      and model is not '<synthetic>'
    group by session_id
"""
_DOLLARS = """sum_dollars(model, timestamp, input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens,
                       cache_1h_tokens, service_tier)"""
_CONFLICTS = """
    select count(*) from conflicts c join entries e on e.entry_id = c.newer_id
    where c.resolved_at is null and (:project is null or e.project = :project)
"""
_PROMPT, _TOOL = 0, 2


class _Row(NamedTuple):
    id: str
    project: str
    agent: str
    title: str | None
    parent: str | None
    ended: int


class _Work(NamedTuple):
    """What happened in a session and its subagents within the time: when, and how much of what."""

    session: _Row
    moments: list[int]
    prompts: int
    tool_uses: int
    subagents: int
    spent: tuple[int, int, float | None]


class Digests:
    """Answers what the work of some days came to."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def make(self, scope: Scope, since: int, until: int) -> Digest:
        from axiommind.prices.dollars import Pricing
        from axiommind.projections.proposal_rows import count_open_proposals
        from axiommind.reports.digest.project import RecordReader

        with ExitStack() as stack:
            try:
                blob = stack.enter_context(self.home.read_log())[0].blob
            except AxmError:  # an index alone still says most of it
                blob = None
            db = stack.enter_context(self.home.reading(scope, None))
            is_priced = self.home.config.usage_dollars
            if is_priced:
                Pricing().register(db)
            db.execute("begin")
            works = _works(db, since, until, is_priced=is_priced)
            by_project: dict[str, list[_Work]] = {}
            for work in works:
                by_project.setdefault(work.session.project, []).append(work)
            record = RecordReader(db, blob, since, until)
            found = [_project(record, project, some) for project, some in by_project.items()]
            found.sort(key=lambda one: (-one.effort.active_ms, -one.effort.tool_uses, one.project))
            (conflicts,) = db.execute(_CONFLICTS, {"project": scope.project}).fetchone()
            waiting = count_open_proposals(db, scope.project)
            return Digest(since, until, _effort(works), tuple(found), waiting, conflicts)

    def sessions_of(self, scope: Scope, since: int, until: int) -> list[str]:
        """The ids of the sessions of that time, subagents' included: what has to be learned before it is told."""
        with self.home.reading(scope, None) as db:
            return [row[0] for row in db.execute(_SESSIONS, {"since": since, "until": until})]


def _works(db: sqlite3.Connection, since: int, until: int, *, is_priced: bool) -> list[_Work]:
    """The sessions in which something happened, what their subagents did included."""
    rows = {row.id: row for row in map(_Row._make, db.execute(_SESSIONS, {"since": since, "until": until}))}
    values = {"sessions": json.dumps(list(rows)), "since": since, "until": until}
    moments: dict[str, list[int]] = {}
    counts: dict[str, list[int]] = {}
    own: dict[str, set[str]] = {}
    for session, at, kind in db.execute(_MOMENTS, values):
        root = _root(rows, session)
        moments.setdefault(root, []).append(at)
        counts.setdefault(root, [0, 0, 0])[kind] += kind != _PROMPT or root == session
        own.setdefault(root, set()).add(session)
    spent: dict[str, list[tuple[int, int, float | None]]] = {}
    for session, *row in db.execute(_SPENT.format(dollars=_DOLLARS if is_priced else "null"), values):
        spent.setdefault(_root(rows, session), []).append((row[0], row[1], row[2]))
    return [
        _Work(
            rows[root],
            sorted(moments[root]),
            counts[root][_PROMPT],
            counts[root][_TOOL],
            len(own[root] - {root}),
            _sum(spent.get(root, ())),
        )
        for root in sorted(moments, key=lambda one: (min(moments[one]), one))
    ]


def _root(rows: Mapping[str, _Row], session: str) -> str:
    """The session that called a subagent, or that one's; itself where nobody did, or that one is not known."""
    seen = {session}
    while (parent := rows[session].parent) is not None and parent in rows and parent not in seen:
        seen.add(parent)
        session = parent
    return session


def _sum(some: Iterable[tuple[int, int, float | None]]) -> tuple[int, int, float | None]:
    """Dollars of what has a price; none where nothing has."""
    output, total, dollars = 0, 0, None
    for one in some:
        output, total = output + one[0], total + one[1]
        if one[2] is not None:
            dollars = (dollars or 0.0) + one[2]
    return output, total, dollars


def _effort(works: Sequence[_Work]) -> Effort:
    active = activity.total(activity.together(activity.stretches(work.moments) for work in works))
    output, total, dollars = _sum(work.spent for work in works)
    return Effort(
        len(works),
        sum(work.subagents for work in works),
        active,
        sum(work.prompts for work in works),
        sum(work.tool_uses for work in works),
        output,
        total,
        None if dollars is None else round(dollars, 6),
    )


def _project(record: RecordReader, project: str, works: Sequence[_Work]) -> ProjectDigest:
    sessions = [_session(record, work) for work in works]
    ids = [one.id for one in sessions]
    commits = record.commits(ids)
    said = [*(one.title for one in sessions), *(one.subject for one in commits)]
    finished, still_open = record.tasks(project, [one.title for one in sessions if not one.is_answered])
    return ProjectDigest(
        project,
        _effort(works),
        tuple(sessions),
        commits,
        record.pull_requests(ids),
        finished,
        record.decisions(project, said),
        still_open,
        record.learned(project),
    )


def _session(record: RecordReader, work: _Work) -> DigestSession:
    row, at = work.session, work.moments
    outcome, ref, is_answered = record.outcome(row.id) if row.ended < record.until else ("", "", True)
    return DigestSession(
        row.id,
        row.agent,
        at[0],
        at[-1],
        activity.total(activity.stretches(at)),
        record.title(row.id, row.title),
        outcome,
        ref,
        is_answered,
    )
