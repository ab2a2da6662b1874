"""Open and blocked tasks as notes: those of a project that changed last, or those that a session touched."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import Any, NamedTuple

from axiommind.recall.packet import Note
from axiommind.recall.packets.notes import entry_note
from axiommind.text.summary import preview

__all__ = [
    "OpenTask",
    "blocked_notes",
    "open_notes",
    "still_open_notes",
    "tasks_of_project",
    "tasks_of_session",
    "waits_for",
]

_OPEN = 5
_BLOCKED = 5
_STILL_OPEN = 3
_TITLE_CHARS = 160
_TASKS = 600  # of a project: more are not looked at
_STEPS = 8  # from a condition to what it was resolved to, and on
_URGENCY = {"critical": 0, "high": 1, "medium": 2, "low": 3}
_STATES = {"in_progress": 0, "blocked": 1, "pending": 2}
_TASK = """
    select entity_id, title, json_extract(current_json, '$.status'), json_extract(current_json, '$.priority'),
           json_extract(current_json, '$.history[#-1].at'), json_extract(current_json, '$.history[#-1].entry_id'),
           json_extract(current_json, '$.history[#-1].actor') <> 'memory'
    from entities
"""
# A task that changes is written anew, so the newest rows are those that changed last.
_NEWEST_TASKS = f"""
    {_TASK}
    where rowid in (select rowid from entities where project = :project and entity_type = 'task'
                    order by rowid desc limit {_TASKS})
      and json_extract(current_json, '$.status') in ('in_progress', 'blocked', 'pending')
      and (json_extract(current_json, '$.by_person') or json_extract(current_json, '$.seen_at') >= :unseen_before)
"""
_SESSION_TASKS = "select distinct entity_id from task_events where session_id = ? and entity_id glob 'tsk_*'"
_BLOCKERS = """
    select x.entity_id, x.entity_type, x.title, json_extract(x.current_json, '$.status'),
           coalesce(json_extract(e.meta_json, '$.auto_placeholder'), 0)
    from edges e join entities x on x.entity_id = e.dst_id
    where e.src_id = ? and e.rel_type = ?
    order by e.position desc, e.dst_id
"""


class OpenTask(NamedTuple):
    """A task that is to be done, and who changed it last."""

    id: str
    title: str
    status: str
    priority: str | None
    updated_at: int
    entry_id: str | None  # that said so last
    by_person: bool


def tasks_of_project(db: sqlite3.Connection, project: str, since: int) -> list[OpenTask]:
    """Those that are open, and that were spoken of since then; or that a person set."""
    values = {"project": project, "unseen_before": since}
    return [OpenTask._make(row) for row in db.execute(_NEWEST_TASKS, values)]


def tasks_of_session(db: sqlite3.Connection, session: str) -> list[OpenTask]:
    ids = [row[0] for row in db.execute(_SESSION_TASKS, (session,))]
    rows = db.execute(f"{_TASK} where entity_id in (select value from json_each(?))", (json.dumps(ids),))
    return [OpenTask._make(row) for row in rows]


def _order(task: OpenTask) -> tuple[Any, ...]:
    return task.status != "in_progress", _URGENCY.get(task.priority or "", 2), -task.updated_at, task.id


def open_notes(db: sqlite3.Connection, tasks: Iterable[OpenTask]) -> Iterable[Note]:
    wanted = [task for task in tasks if task.status in ("in_progress", "pending")]
    for task in sorted(wanted, key=_order)[:_OPEN]:
        state = task.status.replace("_", " ")
        urgent = f", {task.priority}" if task.priority in ("critical", "high") else ""
        yield _task_note(db, task, f"{preview(task.title, _TITLE_CHARS)} ({state}{urgent})")


def still_open_notes(db: sqlite3.Connection, tasks: Iterable[OpenTask]) -> Iterable[Note]:
    """The few that matter most, whatever they wait for."""
    # What ends in a question was offered, and nobody took it up.
    wanted = (task for task in tasks if task.by_person or not task.title.rstrip().endswith(("?", "？")))
    for task in sorted(wanted, key=lambda task: (_STATES[task.status], *_order(task)))[:_STILL_OPEN]:
        yield from (blocked_notes if task.status == "blocked" else open_notes)(db, [task])


def blocked_notes(db: sqlite3.Connection, tasks: Iterable[OpenTask]) -> Iterable[Note]:
    for task in sorted((task for task in tasks if task.status == "blocked"), key=_order)[:_BLOCKED]:
        yield _task_note(db, task, f"{preview(task.title, 100)}: waits for {waits_for(db, task.id)}")


def waits_for(db: sqlite3.Connection, task: str) -> str:
    """What a task waits for now. The view that says so for all tasks reads every edge there is."""
    named = [_resolved(db, task, row) for row in db.execute(_BLOCKERS, (task, "blocked_by"))]
    known = [row for row in named if not row[4]]
    if not known:
        guessed = [_resolved(db, task, row) for row in db.execute(_BLOCKERS, (task, "blocked_by_suggested"))]
        return " and ".join(f"perhaps {row[2]}" for row in guessed[:2]) or "something that nobody named"
    return " and ".join(f"{row[2]} (done)" if row[3] in ("done", "resolved") else row[2] for row in known[:3])


def _resolved(db: sqlite3.Connection, task: str, blocker: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a condition turned out to be; itself when that is nothing, the task again, or a circle."""
    at, seen = blocker, {blocker[0]}
    for _ in range(_STEPS):
        to = db.execute(f"{_BLOCKERS} limit 1", (at[0], "resolves_to")).fetchone()
        if to is None or to[0] == task:
            return at
        if to[0] in seen:
            break
        seen.add(to[0])
        at = to
    return blocker


def _task_note(db: sqlite3.Connection, task: OpenTask, text: str) -> Note:
    said = db.execute("select id from entries where entry_id = ?", (task.entry_id,)).fetchone()
    if said is None:
        return Note(task.id, "task", preview(text), None, task.updated_at)
    # How sure the entry is says little of a task: its state does.
    return entry_note(db, said[0], task.id, "task", text, task.updated_at)._replace(stage="")
