"""What is known of tasks while events are being made: the index, and over it the events made so far.

`IndexState` reads index.db. `TaskOverlay` applies the new events over it with the projection's own fold, so that the
second draft of a run sees what the first one did, and nobody decides on a stale snapshot.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from axiommind.ids import canonical_json
from axiommind.learning.new_event import NewEvent
from axiommind.learning.tasks.match import Catalogue, KnownTask, norm
from axiommind.projections.task_fold import CREATING, FoldedTask, TaskEvent, advance, entity_of, fold
from axiommind.projections.tasks import events_about, events_of_entry

__all__ = ["EntryPast", "IndexState", "TaskOverlay"]

_FIRST_NEW = 1 << 60  # the positions of events that have none yet
_BY_KEY = """
    select entity_id
    from entity_aliases
    where entity_type = :type
      and canonical_key = :key
"""
_TASKS = """
    select entity_id, coalesce(title_norm, ''), stage, status, json_extract(current_json, '$.status'), updated_at
    from entities
    where entity_type = 'task'
      and project = :project
    order by entity_id
"""


_ORPHANS = """
    select distinct o.session_id, o.project_path, o.entity_id
    from task_events o
    join task_events c on c.entity_id = o.entity_id
    where c.event_type = 'task_created'
      and c.entry_id in (select value from json_each(:gone))
      and o.session_id <> :session
      and o.entry_id is not null
      and not o.withdrawn
    order by 1, 2, 3
"""


class IndexState:
    """Tasks, conditions and artifacts as the index has them; as if these entries were withdrawn, and those back."""

    def __init__(self, db: sqlite3.Connection, gone: Iterable[str] = (), back: Iterable[str] = ()) -> None:
        self._db = db
        self._gone, self._back = frozenset(gone), frozenset(back)

    def events_about(self, entity: str) -> list[TaskEvent]:
        return list(events_about(self._db, entity, self._gone, self._back))

    def events_of_entry(self, entry: str) -> list[TaskEvent]:
        return events_of_entry(self._db, entry, self._gone, self._back)

    def orphans(self, session: str) -> dict[tuple[str, str], list[str]]:
        """By other sessions (and their project), the tasks they speak of that only entries which are withdrawn have
        opened."""
        found: dict[tuple[str, str], list[str]] = {}
        values = {"session": session, "gone": json.dumps(sorted(self._gone))}
        for other, project, entity in self._db.execute(_ORPHANS, values):
            found.setdefault((other, project), []).append(entity)
        return found

    def kind(self, entity: str) -> str | None:
        row = self._db.execute("select entity_type from entities where entity_id = ?", (entity,)).fetchone()
        return str(row[0]) if row else None

    def by_key(self, entity_type: str, key: str) -> str | None:
        row = self._db.execute(_BY_KEY, {"type": entity_type, "key": key}).fetchone()
        return str(row[0]) if row else None

    def current(self, entity: str) -> dict[str, Any]:
        row = self._db.execute("select current_json from entities where entity_id = ?", (entity,)).fetchone()
        found: dict[str, Any] = json.loads(row[0]) if row else {}
        return found

    def project(self, entity: str) -> str:
        row = self._db.execute("select project from entities where entity_id = ?", (entity,)).fetchone()
        return str(row[0]) if row else ""

    def catalogue(self, project: str) -> Catalogue:
        rows = self._db.execute(_TASKS, {"project": project})
        return Catalogue(KnownTask._make((*rest, _milliseconds(updated))) for *rest, updated in rows)


class EntryPast:
    """What one entry has said of tasks so far, by its events."""

    def __init__(self) -> None:
        self.task_id: str | None = None  # the last it spoke of
        self.taken = 0  # of its steps
        self.priority: dict[str, str | None] = {}  # by task, the last it gave
        self.blockers: dict[str, list[str]] = {}  # by task, in its own words
        self.titles: dict[str, list[str]] = {}  # by task, the keys it gave it
        self._count: dict[tuple[str, str], int] = {}

    def add(self, row: TaskEvent) -> None:
        self.task_id = row.entity_id
        self.taken = max(self.taken, int(row.body.get("step") or 0))
        about = row.entity_id
        if row.event_type == "task_created":
            about = str(row.body.get("canonical_key"))
            self.priority[row.entity_id] = row.body.get("priority")
        elif row.event_type == "task_priority_changed":
            self.priority[row.entity_id] = row.body.get("to")
        elif row.event_type == "task_blockers_set" and row.body.get("raw_texts"):
            self.blockers[row.entity_id] = row.body["raw_texts"]
        if row.event_type in ("task_created", "task_title_changed"):
            self.titles.setdefault(row.entity_id, []).append(str(row.body.get("canonical_key")))
        self._count[row.event_type, about] = self.count(row.event_type, about) + 1

    def count(self, event_type: str, about: str) -> int:
        """How many such events there are about a task; of created ones, about a canonical key."""
        return self._count.get((event_type, about), 0)


class TaskOverlay:
    """The index, with the events of this run applied over it."""

    def __init__(self, state: IndexState, *, project: str, epoch: str, now: int) -> None:
        self.state = state
        self.project = project
        self.now = now
        self.events: list[NewEvent] = []
        self._epoch = epoch
        self._keys: set[tuple[str | int, ...]] = set()
        self._tasks: dict[str, FoldedTask | None] = {}
        self._kinds: dict[str, str] = {}
        self._aliases: dict[tuple[str, str], str] = {}
        self._pasts: dict[str, EntryPast] = {}
        self._catalogues: dict[str, Catalogue] = {}

    def task(self, task_id: str) -> FoldedTask | None:
        if task_id not in self._tasks:
            self._tasks[task_id] = fold(self.state.events_about(task_id))
        return self._tasks[task_id]

    def kind(self, entity: str) -> str | None:
        return self._kinds.get(entity) or self.state.kind(entity)

    def by_key(self, entity_type: str, key: str) -> str | None:
        return self._aliases.get((entity_type, key)) or self.state.by_key(entity_type, key)

    def catalogue(self, project: str) -> Catalogue:
        if project not in self._catalogues:
            found = self._catalogues[project] = self.state.catalogue(project)
            for task in self._tasks.values():
                if task is not None and task.project == project:
                    _put(found, task)
        return self._catalogues[project]

    def past(self, entry: str) -> EntryPast:
        """What this entry has said of tasks that are (still) there."""
        if entry not in self._pasts:
            past = self._pasts[entry] = EntryPast()
            for row in self.state.events_of_entry(entry):
                if row.event_type.startswith("task_") and self.task(row.entity_id) is not None:
                    past.add(row)
        return self._pasts[entry]

    def emit(
        self,
        event_type: str,
        payload: dict[str, Any],
        *key: str | int,
        said: dict[str, Any] | None = None,
        at: int | None = None,
    ) -> None:
        """One more event, once; what is known from here on includes it. `said` is text, and goes into a blob."""
        parts = (*key, self._epoch)
        if (event_type, *parts) in self._keys:
            return
        self._keys.add((event_type, *parts))
        text = canonical_json(said) if said is not None else None
        self.events.append(NewEvent(event_type, payload, parts, text, at))
        entity, entry = entity_of(event_type, payload), payload.get("entry_id")
        body = {**payload, **(said or {})}
        when = self.now if at is None else at
        row = TaskEvent(_FIRST_NEW + len(self.events), event_type, entity, entry, self.project, "memory", when, body)
        if event_type in CREATING:
            self._kinds[entity] = CREATING[event_type]
        if event_type.startswith("task_"):
            self._fold(row)
            if entry is not None:
                self.past(entry).add(row)
        elif said is not None:
            self._aliases[CREATING[event_type], said["canonical_key"]] = entity

    def _fold(self, row: TaskEvent) -> None:
        before = self.task(row.entity_id)
        task = advance(before, row) if before is not None else fold([*self.state.events_about(row.entity_id), row])
        self._tasks[row.entity_id] = task
        if task is None:
            return
        if row.event_type in ("task_created", "task_title_changed"):
            self._aliases["task", task.canonical_key] = task.task_id
        if task.project in self._catalogues:
            _put(self._catalogues[task.project], task)


def _put(catalogue: Catalogue, task: FoldedTask) -> None:
    before = catalogue.known.get(task.task_id)
    if before is None or len(task.keys) > 1:  # only a new or renamed task has a title to look at
        stage, status = (before.stage, before.entity_status) if before is not None else ("working", "active")
        before = KnownTask(task.task_id, norm(task.title), stage, status, "", 0)
    catalogue.put(before._replace(status=task.status, updated_at=task.updated_at))


def _milliseconds(iso: str) -> int:
    return round(datetime.fromisoformat(iso).timestamp() * 1000)
