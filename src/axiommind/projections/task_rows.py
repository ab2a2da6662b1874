"""Reading tasks: lists, the blocked ones with their blockers, one task in full. Not a projection.

A blocker that is a task has that task's status, so a reader sees when it is done and the blocked one can continue. An
open task that nobody speaks of any more is `dormant` (`task_dormancy`).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from axiommind.model import Citation
from axiommind.projections.session_rows import iso
from axiommind.projections.task_dormancy import STATUS, WITH_NEWS
from axiommind.projections.task_fold import PRIORITIES

__all__ = [
    "BlockedTask",
    "BlockerRow",
    "HistoryRow",
    "ResolvedCondition",
    "TaskDetail",
    "TaskRow",
    "get_task_detail",
    "list_blocked_tasks",
    "list_resolved_conditions",
    "list_tasks",
    "list_tasks_with_only_suggested_blockers",
    "list_tasks_with_unknown_placeholder_blocker",
]


class TaskRow(NamedTuple):
    """`citation`: where it was first said, as far as that is still there."""

    task_id: str
    title: str
    status: str  # of LISTED_STATUSES
    priority: str | None
    stage: str
    project: str
    created_at: str
    updated_at: str
    seen_at: str
    session_id: str | None
    citation: Citation | None


class BlockerRow(NamedTuple):
    """What a task waits for. `via` is the condition that was resolved to it; None when it is named itself."""

    entity_id: str
    kind: str
    title: str
    status: str | None  # of a task: its own; of a condition: open or resolved
    confidence: float
    auto_placeholder: bool
    via: str | None


class BlockedTask(NamedTuple):
    task: TaskRow
    blocked_by: tuple[BlockerRow, ...]
    suggested: tuple[BlockerRow, ...]


class ResolvedCondition(NamedTuple):
    condition_id: str
    text: str
    entity_id: str
    kind: str
    title: str
    status: str | None
    by: str | None
    resolved_at: str
    project: str


class HistoryRow(NamedTuple):
    """`outcome`: applied, rejected (said, and forbidden by the table) or ignored (did not fit the state it met).
    `waits_for`: titles, of an event that says what the task waits for (`after` is replace) or may wait for (suggest);
    None for what is not there any more. `citation`: where it was said."""

    at: int
    what: str
    before: str | None
    after: str | None
    outcome: str
    reason: str
    actor: str
    entry_id: str | None
    position: int
    waits_for: tuple[str | None, ...]
    citation: Citation | None


class TaskDetail(NamedTuple):
    task: TaskRow
    aliases: tuple[str, ...]
    blocked_by: tuple[BlockerRow, ...]
    suggested: tuple[BlockerRow, ...]
    history: tuple[HistoryRow, ...]
    evidence: tuple[str, ...]  # ids of entries


_RANK = " ".join(f"when '{name}' then {i}" for i, name in enumerate(PRIORITIES))
_TASKS = f"""
    {WITH_NEWS}
    select t.entity_id, t.title, {STATUS}, json_extract(t.current_json, '$.priority'),
           t.stage, t.project, t.created_at, t.updated_at, json_extract(t.current_json, '$.seen_at')
    from entities t
    left join news on news.project = t.project
    where t.entity_type = 'task'
      and (:project is null or t.project = :project)
      and {{only}}
    order by case json_extract(t.current_json, '$.priority') {_RANK} else {len(PRIORITIES)} end,
             t.updated_at desc, t.entity_id
    limit :limit
"""
_BLOCKED = f"{STATUS} = 'blocked'"
_OPENED = """
    select session_id, json_extract(body, '$.spans')
    from task_events
    where entity_id = ?
      and event_type = 'task_created'
    order by position
    limit 1
"""
_HAS = "exists (select 1 from edges e where e.src_id = t.entity_id and e.rel_type = '{rel}'{more})"


def list_tasks(
    db: sqlite3.Connection, statuses: Sequence[str] = (), project: str | None = None, limit: int = 50
) -> list[TaskRow]:
    """Tasks, the most urgent and newest first; of these statuses, or of all."""
    only = f"(:statuses = '[]' or {STATUS} in (select value from json_each(:statuses)))"
    return _tasks(db, only, project, limit, statuses=json.dumps(list(statuses)))


def list_blocked_tasks(db: sqlite3.Connection, project: str | None = None, limit: int = 50) -> list[BlockedTask]:
    """Blocked tasks, each with what it waits for now: a resolved condition is replaced by what it was resolved to."""
    return _expanded(db, _tasks(db, _BLOCKED, project, limit))


def list_tasks_with_only_suggested_blockers(
    db: sqlite3.Connection, project: str | None = None, limit: int = 50
) -> list[BlockedTask]:
    """Blocked tasks whose blockers are only suggested: each needs a person's word."""
    guessed, known = _HAS.format(rel="blocked_by_suggested", more=""), _HAS.format(rel="blocked_by", more="")
    return _expanded(db, _tasks(db, f"{_BLOCKED} and {guessed} and not {known}", project, limit))


def list_tasks_with_unknown_placeholder_blocker(
    db: sqlite3.Connection, project: str | None = None, limit: int = 50
) -> list[BlockedTask]:
    """Blocked tasks for which nobody said by what."""
    unknown = _HAS.format(rel="blocked_by", more=" and json_extract(e.meta_json, '$.auto_placeholder')")
    return _expanded(db, _tasks(db, f"{_BLOCKED} and {unknown}", project, limit))


def list_resolved_conditions(
    db: sqlite3.Connection, project: str | None = None, limit: int = 50
) -> list[ResolvedCondition]:
    """Conditions that turned out to be something else, the newest first."""
    rows = db.execute(
        """
        select c.entity_id, c.title, x.entity_id, x.entity_type, x.title, json_extract(x.current_json, '$.status'),
               json_extract(e.meta_json, '$.by'), e.created_at, c.project
        from edges e
        join entities c on c.entity_id = e.src_id
        join entities x on x.entity_id = e.dst_id
        where e.rel_type = 'resolves_to'
          and (:project is null or c.project = :project)
        order by e.position desc
        limit :limit
        """,
        {"project": project, "limit": limit},
    )
    return [ResolvedCondition._make(row) for row in rows]


def get_task_detail(db: sqlite3.Connection, task_id: str) -> TaskDetail | None:
    """One task with its blockers, its history, and the entries that it rests on."""
    found = _tasks(db, "t.entity_id = :id", None, 1, id=task_id)
    if not found:
        return None
    (full,) = _expanded(db, found)
    (current,) = db.execute("select current_json from entities where entity_id = ?", (task_id,)).fetchone()
    history = _history(db, task_id, json.loads(current)["history"])
    keys = db.execute(
        "select canonical_key from entity_keys where entity_id = ? order by is_primary desc, ord", (task_id,)
    )
    evidence = db.execute(
        "select src_id from edges where dst_id = ? and rel_type = 'evidence_of' order by ord, src_id", (task_id,)
    )
    return TaskDetail(
        full.task,
        tuple(row[0] for row in keys),
        full.blocked_by,
        full.suggested,
        history,
        tuple(row[0] for row in evidence),
    )


def _history(db: sqlite3.Connection, task_id: str, changes: Iterable[dict[str, Any]]) -> tuple[HistoryRow, ...]:
    rows = db.execute("select position, body from task_events where entity_id = ?", (task_id,))
    bodies: dict[int, dict[str, Any]] = {position: json.loads(body) for position, body in rows}
    refs = {ref.get("entity_id") for body in bodies.values() for ref in body.get("blockers") or ()}
    titles = dict(
        db.execute(
            "select entity_id, title from entities where entity_id in (select value from json_each(?))",
            (json.dumps(sorted(filter(None, refs))),),
        ).fetchall()
    )
    found = []
    for change in changes:
        body = bodies[change["position"]]
        blockers = body.get("blockers") or () if change["event_type"] == "task_blockers_set" else ()
        found.append(
            HistoryRow(
                change["at"],
                change["event_type"],
                change["before"],
                change["after"] or body.get("mode"),
                change["outcome"],
                change["reason"],
                change["actor"],
                change["entry_id"],
                change["position"],
                tuple(titles.get(ref.get("entity_id")) for ref in blockers),
                _citation(db, body.get("spans") or ()),
            )
        )
    return tuple(found)


def _citation(db: sqlite3.Connection, spans: Sequence[Any]) -> Citation | None:
    """The line of the first of these spans that was found and is still there."""
    for span in spans:
        place = span.get("position"), span.get("line")
        if None not in place:
            row = db.execute("select path from segments where position = ?", place[:1]).fetchone()
            if row is not None:
                return Citation(row[0], place[1], place[1])
    return None


def _tasks(db: sqlite3.Connection, only: str, project: str | None, limit: int, **values: Any) -> list[TaskRow]:
    rows = db.execute(_TASKS.format(only=only), {"project": project, "limit": limit, **values}).fetchall()
    found = []
    for *row, seen_at in rows:
        session, spans = db.execute(_OPENED, (row[0],)).fetchone() or (None, None)
        found.append(TaskRow._make((*row, iso(seen_at), session, _citation(db, json.loads(spans or "[]")))))
    return found


def _expanded(db: sqlite3.Connection, tasks: Iterable[TaskRow]) -> list[BlockedTask]:
    tasks = list(tasks)
    wanted = json.dumps([task.task_id for task in tasks])
    confirmed = db.execute(
        """
        select task_id, effective_id, effective_type, effective_title, effective_status, confidence, auto_placeholder,
               case when blocker_id <> effective_id then blocker_id end
        from v_task_blockers_effective
        where task_id in (select value from json_each(:tasks))
        order by task_id, blocker_id
        """,
        {"tasks": wanted},
    ).fetchall()
    by_task = _grouped(confirmed), _grouped(_suggested(db, wanted))
    return [BlockedTask(task, *(rows.get(task.task_id, ()) for rows in by_task)) for task in tasks]


def _suggested(db: sqlite3.Connection, tasks: str) -> Iterable[Sequence[Any]]:
    """What tasks may wait for; a resolved condition is followed as the view does it for what they wait for."""
    newest = dict(db.execute("select src_id, dst_id from edges where rel_type = 'resolves_to' order by ord").fetchall())
    rows = db.execute(
        """
        select src_id, dst_id, json_extract(meta_json, '$.confidence'),
               coalesce(json_extract(meta_json, '$.auto_placeholder'), 0)
        from edges
        where rel_type = 'blocked_by_suggested'
          and src_id in (select value from json_each(:tasks))
        order by src_id, dst_id
        """,
        {"tasks": tasks},
    ).fetchall()
    for task, blocker, confidence, unknown in rows:
        seen, at = set[str](), blocker
        while at in newest and newest[at] != task and at not in seen:
            seen.add(at)
            at = newest[at]
        at = blocker if at in seen else at  # a circle ends nowhere
        kind, title, status = db.execute(
            "select entity_type, title, json_extract(current_json, '$.status') from entities where entity_id = ?", (at,)
        ).fetchone()
        yield task, at, kind, title, status, confidence, unknown, blocker if at != blocker else None


def _grouped(rows: Iterable[Sequence[Any]]) -> dict[str, tuple[BlockerRow, ...]]:
    found: dict[str, tuple[BlockerRow, ...]] = {}
    for task, entity, kind, title, status, confidence, unknown, via in rows:
        blocker = BlockerRow(entity, kind, title, status, confidence, bool(unknown), via)
        found[task] = (*found.get(task, ()), blocker)
    return found
