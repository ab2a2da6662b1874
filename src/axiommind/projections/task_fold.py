"""A task is a fold of its events: which transitions there are, and what every state must satisfy.

Pure: events in, a value out. It keeps the invariants whatever it is given. An event that does not fit the current state
changes nothing and stays in the history as `ignored`. A blocked task has a blocker or a suggested one; done and
cancelled tasks have neither, and can be reopened; a task never blocks itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from axiommind.ids import dedupe_key

__all__ = [
    "CLOSED",
    "CREATING",
    "ENTITY_KINDS",
    "OPEN",
    "PRIORITIES",
    "TASK_EVENTS",
    "TASK_STATUSES",
    "TRANSITIONS",
    "UNKNOWN_BLOCKER",
    "BlockedBy",
    "FoldedTask",
    "TaskChange",
    "TaskEvent",
    "TaskKey",
    "advance",
    "entity_id",
    "entity_of",
    "fold",
    "printable",
    "unknown_blocker",
]

TRANSITIONS: dict[str, frozenset[str]] = {
    "pending": frozenset(("in_progress", "blocked", "cancelled")),
    "in_progress": frozenset(("blocked", "done", "cancelled")),
    "blocked": frozenset(("in_progress", "cancelled")),
    "done": frozenset(("pending", "in_progress")),  # reopened
    "cancelled": frozenset(("pending", "in_progress")),
}
TASK_STATUSES = tuple(TRANSITIONS)
CLOSED = ("done", "cancelled")
OPEN = tuple(status for status in TASK_STATUSES if status not in CLOSED)
STARTS = ("pending", "in_progress")
PRIORITIES = ("critical", "high", "medium", "low")
ENTITY_KINDS = ("task", "condition", "artifact")
UNKNOWN_BLOCKER = "(unknown blocker)"

CREATING = {"task_created": "task", "condition_declared": "condition", "artifact_declared": "artifact"}
TASK_EVENTS = (
    *CREATING,
    "task_status_changed",
    "task_priority_changed",
    "task_title_changed",
    "task_transition_rejected",
    "task_blockers_set",
    "task_mentioned",
    "condition_resolved_to",
)


class TaskEvent(NamedTuple):
    """One event about a task, a condition or an artifact, with its text merged into `body`."""

    position: int
    event_type: str
    entity_id: str
    entry_id: str | None
    project: str
    actor: str
    at: int
    body: dict[str, Any]
    ord: str = ""  # its place in the order of all machines


class BlockedBy(NamedTuple):
    """A blocker of a task, and the event that named it."""

    kind: str
    entity_id: str
    confidence: float
    at: int
    position: int


class TaskKey(NamedTuple):
    """A canonical key that a task has or had, and the event that gave it."""

    text: str
    at: int
    position: int


class TaskChange(NamedTuple):
    """A line of a task's history. `outcome`: applied, rejected (it was said, but is forbidden) or ignored (an event
    that did not fit the state)."""

    position: int
    event_type: str
    at: int
    actor: str
    entry_id: str | None
    before: str | None
    after: str | None
    outcome: str
    reason: str = ""


class FoldedTask(NamedTuple):
    task_id: str
    title: str
    canonical_key: str
    project: str
    status: str
    priority: str | None
    blockers: tuple[BlockedBy, ...]
    suggestions: tuple[BlockedBy, ...]
    created_at: int
    updated_at: int
    heard_at: int  # the latest news of its progress: a change, the same again, or a rejected change
    listed_at: int  # when it was last listed at all
    closed_at: int  # when it was last done or cancelled; 0: never
    seen_at: int  # when anything was last said of it
    by_person: bool  # a person set its status, and nobody has changed it since
    file: str  # where it is written down, if it is
    history: tuple[TaskChange, ...]
    keys: tuple[TaskKey, ...]  # the last is the current one

    @property
    def is_closed(self) -> bool:
        return self.status in CLOSED


def entity_id(prefix: str, *parts: str | int) -> str:
    """`tsk_…`, `cond_…`, `art_…`, `edg_…`: from what it is about, so that a replay makes the same."""
    return f"{prefix}_{dedupe_key(prefix, *parts)[:16]}"


def unknown_blocker(project: str | None) -> tuple[str, str]:
    """Id and canonical key of the condition that stands for every blocker of a project that nobody named."""
    key = f"cond:{project or 'default'}:unknown blocker"
    return entity_id("cond", key), key


def entity_of(event_type: str, payload: dict[str, Any]) -> str:
    """Which entity an event is about."""
    if event_type == "condition_resolved_to":
        return str(payload["condition_id"])
    return str(payload["task_id"] if event_type.startswith("task_") else payload["entity_id"])


def printable(text: object) -> str:
    """Text that SQLite can store: half a surrogate pair becomes a question mark."""
    return str(text or "").encode("utf-8", "replace").decode()


def fold(rows: Iterable[TaskEvent]) -> FoldedTask | None:
    """The task after these events, which are in order; None when none of them creates it."""
    task: FoldedTask | None = None
    early: list[TaskChange] = []
    for row in rows:
        if task is not None:
            task = advance(task, row)
        elif row.event_type == "task_created":
            task = _created(row, early)
        else:
            early.append(_change(row, "ignored", "the task did not exist yet"))
    return task


def advance(task: FoldedTask, row: TaskEvent) -> FoldedTask:
    """The task after one more event."""
    task = _changed(task, row)
    named = printable(row.body.get("file"))
    return task._replace(seen_at=max(task.seen_at, row.at), file=named or task.file)


def _changed(task: FoldedTask, row: TaskEvent) -> FoldedTask:
    match row.event_type:
        case "task_status_changed":
            return _status(task, row)
        case "task_priority_changed":
            return _priority(task, row)
        case "task_title_changed":
            return _title(task, row)
        case "task_blockers_set":
            return _blockers(task, row)
        case "task_transition_rejected":
            rejected = _kept(task, row, "rejected", _reason(row))
            return rejected if row.body.get("unfound") else _heard(rejected, row)
        case "task_mentioned":
            task = _kept(task, row, "applied", "")
            if row.actor == "user":
                task = task._replace(by_person=True)
            if row.body.get("status") == task.status:
                return _heard(task, row)
            return task._replace(listed_at=max(task.listed_at, row.at)) if row.body.get("status") else task
        case _:
            return _kept(task, row, "ignored", "the task exists already")


def _created(row: TaskEvent, early: list[TaskChange]) -> FoldedTask:
    body = row.body
    status = body.get("status")
    priority = body.get("priority")
    task = FoldedTask(
        task_id=row.entity_id,
        title=printable(body.get("title")),
        canonical_key=printable(body.get("canonical_key")),
        project=row.project,
        status=status if status in STARTS else "pending",
        priority=priority if priority in PRIORITIES else None,
        blockers=(),
        suggestions=(),
        created_at=row.at,
        updated_at=row.at,
        heard_at=row.at,
        listed_at=row.at,
        closed_at=0,
        seen_at=row.at,
        by_person=False,
        file=printable(body.get("file")),
        history=tuple(early),
        keys=(TaskKey(printable(body.get("canonical_key")), row.at, row.position),),
    )
    return task._replace(history=(*early, _change(row, "applied", _reason(row), None, task.status)))


def _status(task: FoldedTask, row: TaskEvent) -> FoldedTask:
    before, after = _word(row.body, "from"), _word(row.body, "to")
    if before != task.status:
        return _kept(task, row, "ignored", f"the task was {task.status}")
    if after is None or after not in TRANSITIONS[task.status]:
        return _kept(task, row, "ignored", "no such transition")
    if after == "blocked" and not (task.blockers or task.suggestions):
        return _kept(task, row, "ignored", "nothing blocks it")
    heard_at = row.at if task.status == "pending" else max(task.heard_at, row.at)  # pending is as good as no word
    by_person = row.actor == "user"
    task = _applied(task, row, before, after)._replace(status=after, heard_at=heard_at, by_person=by_person)
    if not task.is_closed:
        return task
    return task._replace(blockers=(), suggestions=(), closed_at=max(task.closed_at, row.at))


def _priority(task: FoldedTask, row: TaskEvent) -> FoldedTask:
    before, after = _word(row.body, "from"), _word(row.body, "to")
    if task.is_closed:
        return _kept(task, row, "ignored", f"the task was {task.status}")
    if before != task.priority or (after is not None and after not in PRIORITIES):
        return _kept(task, row, "ignored", f"its priority was {task.priority or 'none'}")
    return _applied(task, row, before, after)._replace(priority=after)


def _title(task: FoldedTask, row: TaskEvent) -> FoldedTask:
    title, key = printable(row.body.get("title")), printable(row.body.get("canonical_key"))
    if not title or not key:
        return _kept(task, row, "ignored", "no title")
    keys = (*(k for k in task.keys if k.text != key), TaskKey(key, row.at, row.position))
    return _applied(task, row, task.title, title)._replace(title=title, canonical_key=key, keys=keys)


def _blockers(task: FoldedTask, row: TaskEvent) -> FoldedTask:
    refs = _refs(task.task_id, row)
    mode = row.body.get("mode")
    if task.is_closed:
        return _kept(task, row, "ignored", f"the task was {task.status}")
    if mode == "replace" and (refs or task.status != "blocked"):
        confirmed = {ref.entity_id for ref in refs}
        rest = tuple(s for s in task.suggestions if s.entity_id not in confirmed)
        return _applied(task, row, None, "replace")._replace(blockers=refs, suggestions=rest)
    if mode == "suggest" and refs:
        known = {ref.entity_id for ref in task.blockers}
        fresh = tuple(ref for ref in refs if ref.entity_id not in known)
        if fresh or task.blockers:
            return _applied(task, row, None, "suggest")._replace(suggestions=fresh)
    return _kept(task, row, "ignored", "nothing would block it")


def _reason(row: TaskEvent) -> str:
    return str(row.body.get("reason") or "")


def _word(body: dict[str, Any], name: str) -> str | None:
    word = body.get(name)
    return word if isinstance(word, str) else None


def _refs(task_id: str, row: TaskEvent) -> tuple[BlockedBy, ...]:
    found: dict[str, BlockedBy] = {}
    for item in row.body.get("blockers") or ():
        kind, entity = _word(item, "kind"), _word(item, "entity_id")
        if kind in ENTITY_KINDS and entity and entity != task_id:
            confidence = item.get("confidence")
            sure = float(confidence) if isinstance(confidence, int | float) else 0.0
            found.setdefault(entity, BlockedBy(kind, entity, min(1.0, max(0.0, sure)), row.at, row.position))
    return tuple(found.values())


def _change(
    row: TaskEvent, outcome: str, reason: str, before: str | None = None, after: str | None = None
) -> TaskChange:
    return TaskChange(row.position, row.event_type, row.at, row.actor, row.entry_id, before, after, outcome, reason)


def _kept(task: FoldedTask, row: TaskEvent, outcome: str, reason: str) -> FoldedTask:
    """Nothing changes; the history records what was said."""
    before, after = _word(row.body, "from"), _word(row.body, "to")
    return task._replace(history=(*task.history, _change(row, outcome, reason, before, after)))


def _heard(task: FoldedTask, row: TaskEvent) -> FoldedTask:
    return task._replace(heard_at=max(task.heard_at, row.at), listed_at=max(task.listed_at, row.at))


def _applied(task: FoldedTask, row: TaskEvent, before: str | None, after: str | None) -> FoldedTask:
    history = (*task.history, _change(row, "applied", _reason(row), before, after))
    return task._replace(updated_at=max(task.updated_at, row.at), history=history)
