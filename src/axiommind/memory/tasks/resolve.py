"""From what was said about tasks to events about them. Reads the index, returns events, writes nothing.

A draft finds its task by title, or opens one. Its steps are taken in order: what the table allows becomes a change,
what it forbids a `task_transition_rejected`, and a completion out of nowhere goes through in_progress. Every event
says how many steps of its entry are taken with it (`step`), so learning a session again goes on where it ended, and
learning it twice is learning it once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from axiommind.memory.tasks import blockers, changes
from axiommind.memory.tasks.commands import resolve_condition, set_priority, set_status
from axiommind.memory.tasks.match import Near, task_key
from axiommind.memory.tasks.state import IndexState, World
from axiommind.memory.values import PRIORITIES, Draft, Emit
from axiommind.projections._task_fold import STATUSES, Task, entity_id, printable

__all__ = ["IndexState", "Noted", "Resolved", "resolve", "resolve_condition", "set_priority", "set_status"]

REPLACE_QUOTE_CHARS = 30  # a shorter quote does not carry "this, and nothing else, blocks it"


class Noted(NamedTuple):
    """A draft of a task, the entry it became, whether its evidence was found, and where, step by step."""

    draft: Draft
    entry_id: str
    aligned: bool
    spans: Sequence[Sequence[Any]] = ()


class Resolved(NamedTuple):
    """The events; how many tasks they open, how many they change, how many transitions were refused. `left`: the task
    as each entry leaves it."""

    emits: list[Emit]
    created: int
    changed: int
    rejected: int
    left: dict[str, Task]


class _Said(NamedTuple):
    """One step of an entry. An entry may be several drafts: the same title, listed anew after it was done."""

    step: int  # how many steps of the entry are taken with it
    status: str | None  # None: only mentioned
    spans: Sequence[Any]
    at: int | None
    is_first: bool  # of its draft

    @property
    def opens(self) -> bool:
        """Whether it starts a new task when the one of this title is done or cancelled."""
        return self.status == "pending" or (self.is_first and self.status in (None, "in_progress", "blocked"))


def resolve(
    state: IndexState,
    drafts: Iterable[tuple[Draft, str, bool, Sequence[Sequence[Any]]]],
    *,
    project: str,
    epoch: str,
    now: int,
    near: Near | None = None,
) -> Resolved:
    """The events that these drafts amount to, given what is known already."""
    world = World(state, project=project, epoch=epoch, now=now)
    entries: dict[str, list[Noted]] = {}
    for item in map(Noted._make, drafts):
        if item.draft.type == "task_note" and item.draft.title.strip():
            entries.setdefault(item.entry_id, []).append(item)
    work = [_Entry(world, items, near) for items in entries.values()]
    # All of them are opened first: a task may wait for one that is named after it.
    for entry in work:
        entry.open()
    for entry in work:
        entry.follow()
    return _summary(world, work)


def _summary(world: World, work: list[_Entry]) -> Resolved:
    def about(*types: str) -> list[str]:
        return [emit.payload["task_id"] for emit in world.emits if emit.event_type in types]

    created = about("task_created")
    changed = about("task_status_changed", "task_priority_changed", "task_title_changed", "task_blockers_set")
    return Resolved(
        world.emits,
        len(created),
        len(set(changed) - set(created)),
        len(about("task_transition_rejected")),
        {entry.entry_id: entry.task for entry in work if entry.task is not None},
    )


class _Entry:
    """What one entry says of its task, and how far that was taken before."""

    def __init__(self, world: World, items: list[Noted], near: Near | None) -> None:
        self.entry_id = items[0].entry_id
        self.task: Task | None = None
        self._world = world
        self._near = near
        self._past = world.past(self.entry_id)
        self._taken_before = self._past.taken
        self._drafts = list(_steps(items))

    def open(self) -> None:
        """Find the task of the first step, or make it."""
        if self._past.task_id is None:
            item, (first, *_) = self._drafts[0]
            task = self._find(item.draft)
            if task is None or (task.is_final and first.opens):
                self._create(item.draft, first)

    def follow(self) -> None:
        """Take the steps that were not taken before."""
        taken = self._past.taken
        if self._past.task_id is not None:
            self.task = self._world.task(self._past.task_id)
        else:
            taken = self._adopt()
        for item, steps in self._drafts:
            if steps[-1].step > self._taken_before:
                self._take(item, [said for said in steps if said.step > taken])
        item, steps = self._drafts[-1]
        if steps[-1].step <= self._taken_before:
            self._block(item, steps[-1].at)
        last = steps[-1]
        if self._past.task_id is None or self._past.taken < last.step:
            # Nothing changed by it, but it spoke of the task: evidence, and nothing to be taken again later.
            payload = {"task_id": self._now().task_id, "entry_id": self.entry_id, "step": last.step}
            self._emit("task_mentioned", payload, last.step, at=last.at)

    def _take(self, item: Noted, steps: list[_Said]) -> None:
        """The steps of one draft that were not taken before."""
        if steps and self._now().is_final and steps[0].opens:
            steps = steps[1:] if self._create(item.draft, steps[0]) else steps
        at = steps[0].at if steps else item.draft.timestamp
        self._prioritise(item, at)
        self._block(item, at)
        for said in steps:
            is_taken = False
            if self._now().is_final and said.opens:
                is_taken = self._create(item.draft, said)
                self._block(item, said.at)
            if not is_taken:
                self._step(said)

    def _now(self) -> Task:
        assert self.task is not None  # `open` has found or made it
        return self.task

    def _find(self, draft: Draft) -> Task | None:
        """The task of this title; of the title it had before, when that one is still open."""
        task = self._by_title(draft.title)
        if draft.renamed_from.strip() and (task is None or task.is_final):
            before = self._by_title(draft.renamed_from)
            if before is not None and not before.is_final:
                return before
        return task

    def _by_title(self, title: str) -> Task | None:
        task_id = self._world.by_key("task", task_key(self._world.project, printable(title)))
        return self._world.task(task_id) if task_id is not None else None

    def _adopt(self) -> int:
        """Take on a task that another entry opened. After a new title, the steps under the old one are taken."""
        item, (first, *_) = self._drafts[0]
        draft = item.draft
        task = self.task = self._find(draft)
        if task is None:  # under its old title it was finished meanwhile
            self._create(draft, first)
            return self._past.taken
        title = printable(draft.title)
        key = task_key(self._world.project, title)
        if key in {known.text for known in task.keys}:
            return 0
        said = {"title": title, "canonical_key": key}
        payload = {"task_id": task.task_id, "entry_id": self.entry_id}
        self._emit("task_title_changed", payload, key, said=said, at=draft.timestamp)
        past = iter([change.after for change in task.history if change.outcome == "applied"])
        taken = 0
        for step in (said for _, steps in self._drafts for said in steps):
            if not any(step.status == status for status in past):
                break
            taken = step.step
        return taken

    def _create(self, draft: Draft, said: _Said) -> bool:
        """A new task; whether the step is taken with that. None starts as done, blocked or cancelled."""
        title = printable(draft.title)
        key = task_key(self._world.project, title)
        n = self._past.count("task_created", key)
        status = "in_progress" if said.status in ("in_progress", "done") else "pending"
        is_taken = said.status in (status, None)
        task_id = entity_id("tsk", key, self.entry_id, n)
        payload = {
            "task_id": task_id,
            "entry_id": self.entry_id,
            "status": status,
            "priority": draft.priority if draft.priority in PRIORITIES else None,
            "step": said.step if is_taken else said.step - 1,
        }
        text = {"title": title, "canonical_key": key}
        self._world.emit("task_created", payload, key, self.entry_id, n, said=text, at=said.at)
        self.task = self._world.task(task_id)
        return is_taken

    def _prioritise(self, item: Noted, at: int | None) -> None:
        task, priority = self._now(), item.draft.priority
        if priority not in PRIORITIES or priority == task.priority or task.is_final:
            return
        if self._past.priority.get(task.task_id) == priority:
            return  # said before, and changed by somebody else since
        nth = self._past.count("task_priority_changed", task.task_id)
        changes.prioritise(self._world, task, priority, self.entry_id, nth, at)
        self.task = self._world.task(task.task_id)

    def _block(self, item: Noted, at: int | None) -> None:
        """What the draft says the task waits for, unless the same words were said before."""
        task = self._now()
        texts = [printable(blocker.text) for blocker in item.draft.blocked_by]
        if not texts or task.is_final or self._past.blockers.get(task.task_id) == texts:
            return
        refs = blockers.refer(self._world, task, item.draft.blocked_by, self._near)
        # Nothing but itself blocks it: an empty suggestion changes nothing, and keeps that this was said and looked at.
        mode = "replace" if refs and _carries(item) else "suggest"
        nth = self._past.count("task_blockers_set", task.task_id)
        changes.set_blockers(self._world, task, mode, refs, texts, self.entry_id, nth, at)
        self.task = self._world.task(task.task_id)

    def _step(self, said: _Said) -> None:
        task, to = self._now(), said.status
        if to is None or to == task.status:
            return
        path = changes.way(task.status, to)
        if path is None:
            payload = {
                "task_id": task.task_id,
                "from": task.status,
                "to": to if to in STATUSES else "unknown",
                "entry_id": self.entry_id,
                "reason": changes.reason(task.status, to),
                "step": said.step,
            }
            self._emit("task_transition_rejected", payload, f"{task.status}->{payload['to']}", said.step, at=said.at)
            return
        if to == "blocked":
            self._need_blocker(said.at)
        for i, (before, after) in enumerate(path, start=1):
            step = said.step if i == len(path) else said.step - 1
            payload = {
                "task_id": task.task_id,
                "from": before,
                "to": after,
                "entry_id": self.entry_id,
                "spans": list(said.spans),
                "step": step,
            }
            self._emit("task_status_changed", payload, f"{before}->{after}", said.step, at=said.at)

    def _need_blocker(self, at: int | None) -> None:
        task = self._now()
        nth = self._past.count("task_blockers_set", task.task_id)
        changes.need_blocker(self._world, task, self.entry_id, nth, at)
        self.task = self._world.task(task.task_id)

    def _emit(
        self,
        event_type: str,
        payload: dict[str, Any],
        *key: str | int,
        said: dict[str, Any] | None = None,
        at: int | None = None,
    ) -> None:
        task_id = str(payload["task_id"])
        self._world.emit(event_type, payload, task_id, *key, self.entry_id, said=said, at=at)
        self.task = self._world.task(task_id)


def _steps(items: list[Noted]) -> Iterable[tuple[Noted, list[_Said]]]:
    """The steps of each draft, counted through; a draft without any mentions its task, and that is one."""
    count = 0
    for item in items:
        draft = item.draft
        said = [_Said(count + 1, None, (), draft.timestamp, True)]
        for i, step in enumerate(draft.steps):
            spans = item.spans[i] if i < len(item.spans) else ()
            at = step.timestamp if step.timestamp is not None else draft.timestamp
            said[i:] = [_Said(count + i + 1, step.status, spans, at, i == 0)]
        count = said[-1].step
        yield item, said


def _carries(item: Noted) -> bool:
    """Whether the evidence says what blocks the task, and not only something like it."""
    draft = item.draft
    longest = max((len(q.text) for q in (*draft.quotes, *(q for s in draft.steps for q in s.quotes))), default=0)
    return item.aligned and (longest >= REPLACE_QUOTE_CHARS or all(blocker.is_title for blocker in draft.blocked_by))
