"""Where the work on a project stands, for the person who comes back to it: the last sessions, what is open, what was
learned lately, and what waits for a decision. Of all projects, where none is named.
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from axiommind.home import Home, Scope
from axiommind.reports.resuming import ResumableSession, Resuming

__all__ = ["LearnedClaim", "OpenNow", "ProjectStanding", "Standings"]

_TASK, _CLAIM = 200, 240  # characters
_OPEN = ("in_progress", "blocked", "pending")
_LEARNED = """
    select entry_id, kind, coalesce(happened_at, created_ts), project, rule, title, text, content_json
    from entries
    where status = 'active'
      and stage <> 'raw'
      and kind not in ('open', 'record')
      and (:project is null or project = :project)
    order by 3 desc, entry_id
    limit :limit
"""
_COUNTS = """
    select (select count(*) from sessions where parent_session is null),
           (select count(distinct project) from sessions),
           (select count(*) from conflicts c join entries e on e.entry_id = c.newer_id
            where c.resolved_at is null and (:project is null or e.project = :project))
"""


class OpenNow(NamedTuple):
    id: str
    title: str
    status: str
    project: str
    waits_for: str  # of a blocked one


class LearnedClaim(NamedTuple):
    id: str
    kind: str
    text: str
    at: int
    project: str


class ProjectStanding(NamedTuple):
    """`sessions` are the newest, and `outcome` is how the first of them ended, in its agent's words."""

    project: str | None
    session_count: int
    project_count: int
    sessions: tuple[ResumableSession, ...]
    outcome: str
    is_answered: bool
    open: tuple[OpenNow, ...]
    learned: tuple[LearnedClaim, ...]
    proposals: int
    conflicts: int


class Standings:
    """Answers where the work stands."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def of(self, scope: Scope, *, most: int = 5) -> ProjectStanding:
        """At most so many of each thing."""
        from axiommind.projections.proposal_rows import count_open_proposals
        from axiommind.reports.digest.project import RecordReader

        sessions = Resuming(self.home).sessions(scope, most)
        with self.home.reading(scope, None) as db:
            db.execute("begin")
            counts = db.execute(_COUNTS, {"project": scope.project}).fetchone()
            outcome, _, is_answered = (
                RecordReader(db, None, 0, 0).outcome(sessions[0].id) if sessions else ("", "", True)
            )
            return ProjectStanding(
                scope.project,
                counts[0],
                counts[1],
                tuple(sessions),
                outcome,
                is_answered,
                _open(db, scope.project, most),
                _learned(db, scope.project, most),
                count_open_proposals(db, scope.project),
                counts[2],
            )


def _open(db: sqlite3.Connection, project: str | None, most: int) -> tuple[OpenNow, ...]:
    """What is worked on first, then the newest; none that nobody speaks of any more."""
    from axiommind.projections.task_rows import list_tasks
    from axiommind.recall.packets.open_tasks import waits_for
    from axiommind.text.summary import on_one_line, preview

    found = list_tasks(db, _OPEN, project, most)
    return tuple(
        OpenNow(
            task.task_id,
            preview(on_one_line(task.title), _TASK),
            task.status,
            task.project,
            waits_for(db, task.task_id) if task.status == "blocked" else "",
        )
        for task in sorted(found, key=lambda task: _OPEN.index(task.status))
    )


def _learned(db: sqlite3.Connection, project: str | None, most: int) -> tuple[LearnedClaim, ...]:
    from axiommind.recall.packets.notes import claim
    from axiommind.text.summary import on_one_line, preview

    return tuple(
        LearnedClaim(name, kind, preview(on_one_line(claim(*words)), _CLAIM), at, where)
        for name, kind, at, where, *words in db.execute(_LEARNED, {"project": project, "limit": most})
    )
