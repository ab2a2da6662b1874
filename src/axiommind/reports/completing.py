"""Values that a shell completes: of a kind, those that begin so, with a word on each. What is newest or open comes
first, and what is of the project in the current folder before what is of others.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from axiommind.errors import AxmError
from axiommind.home import Home, Scope

__all__ = ["KINDS", "Completing", "CompletionValue"]

_MOST = 60
_ABOUT = 70  # characters
_ID = 8  # characters of a session's id that are enough to type
_OPEN_FIRST = "json_extract(current_json, '$.status') in ('done', 'cancelled', 'resolved')"
_SESSIONS = """
    select id, project, coalesce(title, '') from sessions
    where parent_session is null and substr(id, 1, length(:start)) = :start
    order by project is not :here, coalesce(last_ts, ended_at, 0) desc, id limit :most
"""
_ENTRIES = """
    select entry_id, project, kind || ': ' || title from entries
    where substr(entry_id, 1, length(:start)) = :start
    order by project is not :here, status <> 'active', coalesce(happened_at, created_ts) desc, entry_id limit :most
"""
_ENTITIES = f"""
    select entity_id, project, coalesce(json_extract(current_json, '$.status') || ': ', '') || title from entities
    where entity_type = '{{}}' and substr(entity_id, 1, length(:start)) = :start
    order by {_OPEN_FIRST}, project is not :here, updated_at desc, entity_id limit :most
"""
_QUERIES = {
    "sessions": _SESSIONS,
    "entries": _ENTRIES,
    "tasks": _ENTITIES.format("task"),
    "conditions": _ENTITIES.format("condition"),
    "projects": """
        with worked(project, n, last) as (
            select project, count(*), max(coalesce(last_ts, ended_at, 0)) from sessions
            where parent_session is null group by project),
        called(value, project) as (
            select project, project from worked union select name, project from projects where name is not null)
        select c.value, project, w.n || case w.n when 1 then ' session' else ' sessions' end
        from called c join worked w using (project)
        where substr(c.value, 1, length(:start)) = :start
        order by project is not :here, w.last desc, c.value limit :most
    """,
    "pads": """
        select p.id, w.project, p.title from scratchpads p join workflows w on w.id = p.workflow_id
        where substr(p.id, 1, length(:start)) = :start
        order by w.project is not :here, p.updated_at desc, p.id limit :most
    """,
    "workflows": """
        select id, project, name from workflows where substr(id, 1, length(:start)) = :start
        order by project is not :here, not is_active, updated_at desc, id limit :most
    """,
    "proposals": """
        select proposal_id, project, status || ': ' || act || ' ' || about from proposals
        where substr(proposal_id, 1, length(:start)) = :start
        order by status <> 'open', project is not :here, asked_at desc, proposal_id limit :most
    """,
    "conflicts": """
        select conflict_id, '', o.title || ' / ' || n.title from conflicts c
        join entries o on o.entry_id = c.older_id join entries n on n.entry_id = c.newer_id
        where resolved_at is null and substr(conflict_id, 1, length(:start)) = :start
        order by detected_at desc, conflict_id limit :most
    """,
    "decisions": """
        select decision_id, project, action from decisions where substr(decision_id, 1, length(:start)) = :start
        order by project is not :here, ts desc, decision_id limit :most
    """,
}
KINDS = (*_QUERIES, "ids")  # ids: of whatever `axm show` opens by name


class CompletionValue(NamedTuple):
    value: str
    about: str


class Completing:
    """Answers a shell. What cannot be read has no values: a completion says nothing else."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def values(self, kind: str, start: str = "") -> list[CompletionValue]:
        try:
            here = self.home.scope().project
            with self.home.reading(Scope(None), None) as db:
                return list(_values(db, kind, start, here))
        except AxmError:
            return []


def _values(db: sqlite3.Connection, kind: str, start: str, here: str | None) -> Iterable[CompletionValue]:
    from axiommind.recall.packets.notes import gist
    from axiommind.text.summary import on_one_line

    for name in ("entries", "tasks", "decisions") if kind == "ids" else (kind,):
        rows = db.execute(_QUERIES[name], {"start": start, "here": here, "most": _MOST}).fetchall()
        for value, _project, about in rows if name != "sessions" else _shortened(rows, start):
            yield CompletionValue(value, on_one_line(gist(about, _ABOUT)))


def _shortened(rows: Sequence[Sequence[Any]], start: str) -> Iterable[Sequence[Any]]:
    """Ids of sessions as far as they have to be typed."""
    room = max(_ID, len(start))
    counts: dict[str, int] = {}
    for name, *_ in rows:
        counts[name[:room]] = counts.get(name[:room], 0) + 1
    for name, *rest in rows:
        yield (name[:room] if counts[name[:room]] == 1 else name, *rest)
