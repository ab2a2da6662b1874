"""The tasks and conditions of `Memory`: listing and showing them, and changing them on a person's word."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.approval.requests import PersonRequest
from axiommind.callers import Caller
from axiommind.home import Home, Scope, now
from axiommind.ids import one_of
from axiommind.learning.event_writer import writing

if TYPE_CHECKING:
    from axiommind.learning.new_event import NewEvent
    from axiommind.projections.task_rows import BlockedTask, ResolvedCondition, TaskDetail, TaskRow

__all__ = ["Conditions", "Tasks"]


class Tasks:
    """Lists and shows tasks, and sets their status and priority."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def list(self, scope: Scope, *, statuses: Sequence[str] = (), limit: int = 50) -> builtins.list[TaskRow]:
        from axiommind.projections.task_rows import list_tasks

        with self.home.reading(Scope(None), None) as db:
            return list_tasks(db, statuses, scope.project, limit)

    def show(self, name: str) -> TaskDetail:
        """One task with its blockers, its evidence and its history."""
        from axiommind.projections.task_rows import get_task_detail

        with self.home.reading(Scope(None), None) as db:
            found = get_task_detail(db, _named(db, name, "task"))
            assert found is not None  # it was just named
            return found

    def blocked(self, scope: Scope, *, kind: str = "all", limit: int = 50) -> builtins.list[BlockedTask]:
        """Blocked tasks: all, those with only `suggested` blockers, or those with an `unknown` one."""
        from axiommind.projections import task_rows as queries

        ask = {
            "all": queries.list_blocked_tasks,
            "suggested": queries.list_tasks_with_only_suggested_blockers,
            "unknown": queries.list_tasks_with_unknown_placeholder_blocker,
        }[kind]
        with self.home.reading(Scope(None), None) as db:
            return ask(db, scope.project, limit)

    def set(
        self, name: str, *, status: str | None = None, priority: str | None = None, caller: Caller | None = None
    ) -> TaskDetail:
        """Set the status or priority of a task. `none` removes the priority. An agent's makes a proposal
        (`NeedsPerson`), as with every request below that takes a `caller`."""
        from axiommind.learning.tasks import resolve

        def change(db: Any) -> _Change:
            task = _named(db, name, "task")
            state, events = resolve.IndexState(db), []
            if priority is not None:  # first: a task that is done has none to change
                wanted = None if priority == "none" else priority
                events += resolve.set_priority(state, task, wanted, epoch="user", now=now())
            if status is not None:
                events += resolve.set_status(state, task, status, epoch="user", now=now())
            return _Change("set-task", {"name": task, "status": status, "priority": priority}, task, events)

        return self.show(_write(self.home, caller or self.home.caller, change))

    def reopen(self, name: str, *, caller: Caller | None = None) -> TaskDetail:
        """A task that is done, cancelled or dormant is to be done after all."""
        from axiommind.errors import BadQuery
        from axiommind.learning.tasks import resolve
        from axiommind.projections.task_fold import OPEN

        before = self.show(name).task
        if before.status in OPEN:
            raise BadQuery(f"{before.task_id} is open already", hint=f"axm task show {before.task_id}")

        def change(db: Any) -> _Change:
            events = resolve.reopen(resolve.IndexState(db), before.task_id, epoch="user", now=now())
            return _Change("reopen-task", {"name": before.task_id}, before.task_id, events)

        return self.show(_write(self.home, caller or self.home.caller, change))


class Conditions:
    """Lists the conditions that were resolved, and resolves one."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def resolved(self, scope: Scope, *, limit: int = 50) -> builtins.list[ResolvedCondition]:
        from axiommind.projections.task_rows import list_resolved_conditions

        with self.home.reading(Scope(None), None) as db:
            return list_resolved_conditions(db, scope.project, limit)

    def resolve(self, name: str, to: str, *, caller: Caller | None = None) -> ResolvedCondition:
        """Resolve a blocking condition to what it turned out to be: a task, an artifact, or another condition."""
        from axiommind.learning.tasks import resolve
        from axiommind.projections.task_rows import list_resolved_conditions

        def change(db: Any) -> _Change:
            condition, entity = _named(db, name, "condition"), _named(db, to, None)
            events = resolve.resolve_condition(resolve.IndexState(db), condition, entity, epoch="user", now=now())
            return _Change("resolve-condition", {"name": condition, "to": entity}, condition, events)

        condition = _write(self.home, caller or self.home.caller, change)
        with self.home.reading(Scope(None), None) as db:
            known = list_resolved_conditions(db, None, 1_000_000)
        return next(one for one in known if one.condition_id == condition)


class _Change(NamedTuple):
    """What is asked for, of which entity, and the events that would do it."""

    act: str
    args: dict[str, str | None]
    entity: str
    events: Sequence[NewEvent]


def _write(home: Home, caller: Caller, decide: Callable[[Any], _Change]) -> str:
    """Append what a person changes, decided while nobody else can append; for an agent, a proposal. The entity."""
    with writing(home) as (log, writer, index):
        if not caller.is_person:
            change = decide(index.db)
            writer.require_person(
                index,
                caller,
                PersonRequest(change.act, change.args, change.entity, None, _project(index.db, change.entity)),
            )
        with log.atomic():
            change = decide(index.db)
            project = _project(index.db, change.entity)
            for emit in change.events:
                writer.append(emit, session=None, project=project, actor=caller.actor)
    return change.entity


def _project(db: Any, entity: str) -> str | None:
    (project,) = db.execute("select project from entities where entity_id = ?", (entity,)).fetchone()
    return None if project is None else str(project)


def _named(db: Any, name: str, kind: str | None) -> str:
    """The entity with this id, or whose id begins so."""
    rows = db.execute("select entity_id from entities where ?1 is null or entity_type = ?1", (kind,))
    hint = (
        "axm task list shows the tasks"
        if kind != "condition"
        else "axm task blocked lists the conditions that tasks wait for"
    )
    return one_of(name.strip(), {row[0] for row in rows}, kind or "task, condition or artifact", hint)
