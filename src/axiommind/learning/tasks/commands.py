"""What a person may change of tasks and conditions: the same transitions and laws as for drafts, and an error that says
why not.
"""

from __future__ import annotations

from typing import Any

from axiommind.errors import BadQuery, NotFound
from axiommind.learning.new_event import NewEvent
from axiommind.learning.tasks.changes import need_blocker, prioritise, transition_path
from axiommind.learning.tasks.state import IndexState, TaskOverlay
from axiommind.projections.task_fold import (
    PRIORITIES,
    TASK_STATUSES,
    FoldedTask,
    unknown_blocker,
)

__all__ = ["reopen", "resolve_condition", "set_priority", "set_status"]


def set_status(state: IndexState, task_id: str, to: str, *, epoch: str, now: int) -> list[NewEvent]:
    """A person sets the status of a task. Completing one that was not begun is two changes, as for everyone; a closed
    one is reopened."""
    overlay, task = _open(state, task_id, epoch, now)
    if to not in TASK_STATUSES:
        raise BadQuery(f"there is no status {to!r}", hint=f"one of: {', '.join(TASK_STATUSES)}")
    if to == task.status:
        raise BadQuery(f"{task_id} is {to} already", hint=f"axm task show {task_id}")
    path = transition_path(task.status, to)
    if path is None:
        after = [one for one in TASK_STATUSES if one != task.status and transition_path(task.status, one)]
        raise BadQuery(f"{task_id} is {task.status} and cannot become {to}", hint=f"it can become: {', '.join(after)}")
    nth = len(state.events_about(task_id))
    for move in path:
        if move.after == "blocked":
            need_blocker(overlay, task, None, nth, None)
        payload: dict[str, Any] = {
            "task_id": task_id,
            "from": move.before,
            "to": move.after,
            "entry_id": None,
            "spans": [],
            "reason": move.reason,
        }
        overlay.emit("task_status_changed", payload, task_id, f"{move.before}->{move.after}", "", nth)
    return overlay.events


def reopen(state: IndexState, task_id: str, *, epoch: str, now: int) -> list[NewEvent]:
    """A person says that a task is to be done: a closed one is pending again, an open one is seen now."""
    overlay, task = _open(state, task_id, epoch, now)
    if task.is_closed:
        return set_status(state, task_id, "pending", epoch=epoch, now=now)
    payload = {"task_id": task_id, "entry_id": None, "status": task.status}
    overlay.emit("task_mentioned", payload, task_id, "reopened", len(state.events_about(task_id)))
    return overlay.events


def set_priority(state: IndexState, task_id: str, to: str | None, *, epoch: str, now: int) -> list[NewEvent]:
    """A person sets the priority of a task; None removes it."""
    overlay, task = _open(state, task_id, epoch, now)
    if to is not None and to not in PRIORITIES:
        raise BadQuery(f"there is no priority {to!r}", hint=f"one of: {', '.join(PRIORITIES)}")
    if task.is_closed:
        raise BadQuery(f"{task_id} is {task.status}", hint=f"axm task reopen {task_id}")
    if to == task.priority:
        raise BadQuery(f"the priority of {task_id} is {to or 'none'} already", hint=f"axm task show {task_id}")
    prioritise(overlay, task, to, None, len(state.events_about(task_id)), None)
    return overlay.events


def resolve_condition(
    state: IndexState, condition_id: str, entity: str, *, epoch: str, now: int, by: str = "user"
) -> list[NewEvent]:
    """A person resolves a condition to what it turned out to be."""
    if state.kind(condition_id) != "condition":
        raise NotFound(f"there is no condition {condition_id}", hint="axm task blocked shows what tasks wait for")
    if state.kind(entity) is None:
        raise NotFound(f"there is no task, condition or artifact {entity}", hint="axm task list shows the tasks")
    project = state.project(condition_id)
    if condition_id == unknown_blocker(project)[0]:
        raise BadQuery(
            f"{condition_id} stands for every unknown blocker of the project, not for one of them",
            hint="axm task blocked shows which tasks wait for it",
        )
    seen, at = {condition_id}, entity
    while at not in seen:
        seen.add(at)
        at = str(state.current(at).get("resolved_to") or at)
    if at == condition_id:
        raise BadQuery(f"{entity} resolves back to {condition_id}", hint="resolve it to a task or an artifact")
    if state.current(condition_id).get("resolved_to") == entity:
        raise BadQuery(f"{condition_id} is resolved to {entity} already", hint="axm condition list")
    overlay = TaskOverlay(state, project=project, epoch=epoch, now=now)
    payload = {"condition_id": condition_id, "entity_id": entity, "by": by}
    overlay.emit("condition_resolved_to", payload, condition_id, entity, len(state.events_about(condition_id)))
    return overlay.events


def _open(state: IndexState, task_id: str, epoch: str, now: int) -> tuple[TaskOverlay, FoldedTask]:
    overlay = TaskOverlay(state, project=state.project(task_id), epoch=epoch, now=now)
    task = overlay.task(task_id)
    if task is None:
        raise NotFound(f"there is no task {task_id}", hint="axm task list shows them")
    return overlay, task
