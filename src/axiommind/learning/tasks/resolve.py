"""From what was said about tasks to events about them. Reads the index, returns events, writes nothing.

A draft finds its task by the title it had first, or opens one. Its steps are taken in order: what the table of
transitions allows becomes a change, what it forbids a `task_transition_rejected`. A task that was never begun is done
by way of a bridge that says so, and a closed one is reopened by newer words. A step that is older than the latest news
of the task changes nothing: what counts is when it was said, not when it is learned. Neither does a draft or a step
whose words were not found. Every event says how many steps of its entry are taken with it (`step`), so learning a
session again continues where it ended, and learning it twice is learning it once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from axiommind.extraction.drafts import Draft, DraftStep
from axiommind.learning.new_event import NewEvent
from axiommind.learning.tasks import blockers, changes
from axiommind.learning.tasks.commands import reopen, resolve_condition, set_priority, set_status
from axiommind.learning.tasks.finishing import Finished, close_finished
from axiommind.learning.tasks.match import Near, task_key
from axiommind.learning.tasks.state import IndexState, TaskOverlay
from axiommind.projections.task_fold import (
    CLOSED,
    PRIORITIES,
    TASK_STATUSES,
    FoldedTask,
    entity_id,
    printable,
)

__all__ = [
    "IndexState",
    "ResolvedTasks",
    "TaskNote",
    "reopen",
    "resolve",
    "resolve_condition",
    "set_priority",
    "set_status",
]

REPLACE_QUOTE_CHARS = 30  # a shorter quote does not carry "this, and nothing else, blocks it"


class TaskNote(NamedTuple):
    """A draft of a task, the entry it became, whether its evidence was found, and where, step by step."""

    draft: Draft
    entry_id: str
    aligned: bool
    spans: Sequence[Sequence[Any]] = ()


class ResolvedTasks(NamedTuple):
    """The events; how many tasks they open, how many they change, how many transitions were refused. `left`: the task
    as each entry leaves it."""

    events: list[NewEvent]
    created: int
    changed: int
    rejected: int
    left: dict[str, FoldedTask]


class _SaidStep(NamedTuple):
    """One step of an entry. An entry may be several drafts: the same title, listed anew after it was done."""

    step: int  # how many steps of the entry are taken with it
    status: str | None  # None: only mentioned
    spans: Sequence[Any]
    at: int | None  # as far as anyone knows; None: now
    is_first: bool  # of its draft
    since: int | None  # when it was said, to be told from what was said before and after it; None: now
    is_found: bool  # its words were
    reason: str = ""
    over_at: int | None = None  # when its draft says that the task is over, if it does


def resolve(
    state: IndexState,
    drafts: Iterable[tuple[Draft, str, bool, Sequence[Sequence[Any]]]],
    *,
    project: str,
    epoch: str,
    now: int,
    near: Near | None = None,
    finished: Iterable[Finished] = (),
) -> ResolvedTasks:
    """The events that these drafts cause, and what was finished, given what is known already."""
    overlay = TaskOverlay(state, project=project, epoch=epoch, now=now)
    entries: dict[str, list[TaskNote]] = {}
    for item in map(TaskNote._make, drafts):
        if item.aligned and item.draft.type == "task_note" and item.draft.title.strip():
            entries.setdefault(item.entry_id, []).append(item)
    work = [_EntryTasks(overlay, items, near) for items in entries.values()]
    # All of them are opened first: a task may wait for one that is named after it.
    for entry in work:
        entry.open()
    for entry in work:
        entry.follow()
    close_finished(overlay, finished)
    return _summary(overlay, work)


def _summary(overlay: TaskOverlay, work: list[_EntryTasks]) -> ResolvedTasks:
    def about(*types: str) -> list[str]:
        return [emit.payload["task_id"] for emit in overlay.events if emit.event_type in types]

    created = about("task_created")
    changed = about("task_status_changed", "task_priority_changed", "task_title_changed", "task_blockers_set")
    return ResolvedTasks(
        overlay.events,
        len(created),
        len(set(changed) - set(created)),
        len(about("task_transition_rejected")),
        {entry.entry_id: entry.task for entry in work if entry.task is not None},
    )


class _EntryTasks:
    """What one entry says of its task, and how much of that was applied before."""

    def __init__(self, overlay: TaskOverlay, items: list[TaskNote], near: Near | None) -> None:
        self.entry_id = items[0].entry_id
        self.task: FoldedTask | None = None
        self._overlay = overlay
        self._near = near
        self._past = overlay.past(self.entry_id)
        self._taken_before = self._past.taken
        self._drafts = list(_steps(items))

    def open(self) -> None:
        """Find the task of the first step whose words were found, or make it."""
        item, _ = self._drafts[0]
        self.task = self._known(item.draft)
        if self.task is None:
            found = ((one.draft, said) for one, steps in self._drafts for said in steps if said.is_found)
            opening = next(found, None)
            if opening is None:
                return
            self._create(*opening)
        if len(self._drafts) == 1 and not self._now().is_closed:
            self._rename(item.draft, is_last=True)

    def follow(self) -> None:
        """Take the steps that were not taken before."""
        if self.task is None:
            return
        self.task = self._known(self._drafts[0][0].draft)
        taken = self._past.taken
        for item, steps in self._drafts:
            if steps[-1].step > self._taken_before:
                is_last = item is self._drafts[-1][0]
                self._take(item, [said for said in steps if said.step > taken], is_last)
        item, steps = self._drafts[-1]
        last = steps[-1]
        if last.step <= self._taken_before:
            self._rename(item.draft, is_last=True)
            if not self._is_older(last):
                self._block(item, last.at)
        if self._past.taken < last.step:
            # Nothing changed by it, but it spoke of the task: evidence, and nothing to be taken again later.
            payload: dict[str, Any] = {"task_id": self._now().task_id, "entry_id": self.entry_id, "step": last.step}
            payload["spans"] = list(last.spans)
            if last.status in TASK_STATUSES and last.is_found and not self._is_older(last):
                payload["status"] = last.status
            self._emit("task_mentioned", payload, last.step, at=last.at)

    def _take(self, item: TaskNote, steps: list[_SaidStep], is_last: bool) -> None:
        """The steps of one draft that were not taken before."""
        fresh = [said for said in steps if not self._is_older(said)]
        self._rename(item.draft, is_last)
        if steps and not fresh:
            return
        waits = "blocked" in {said.status for said in fresh} or "blocked" not in {said.status for said in steps}
        if not fresh:
            self._describe(item, waits, item.draft.timestamp)
        for said in fresh:
            if not said.is_found:
                self._refuse(said, changes.NOT_FOUND)
                continue
            self._describe(item, waits, said.at)
            self._step(item, said)
        if fresh:
            self._prioritise(item, fresh[-1].at)

    def _describe(self, item: TaskNote, waits: bool, at: int | None) -> None:
        """How urgent it is, and what it waits for."""
        self._prioritise(item, at)
        if waits:
            self._block(item, at)

    def _now(self) -> FoldedTask:
        assert self.task is not None  # `open` has found or made it
        return self.task

    def _known(self, draft: Draft) -> FoldedTask | None:
        """The task that this entry mentioned last; otherwise the one that has, or had, the draft's first title."""
        task_id = self._past.task_id
        if task_id is None:
            task_id = self._overlay.by_key("task", task_key(self._overlay.project, _first_title(draft)))
        return self._overlay.task(task_id) if task_id is not None else None

    def _is_older(self, said: _SaidStep) -> bool:
        """Whether there is newer news of the task's progress. Being listed is no such news; but what was over before it
        was listed is not what was listed, and what was said before it was closed does not reopen it."""
        task = self._now()
        if said.since is None:
            return False
        if said.since < task.closed_at:
            return True
        if task.status != "pending" and said.since < task.heard_at:
            return True
        return said.over_at is not None and said.over_at < task.listed_at

    def _rename(self, draft: Draft, is_last: bool) -> None:
        """Rename the task as this session did, once: others may have renamed it since."""
        task, title = self._now(), printable(draft.title)
        key = task_key(self._overlay.project, title)
        if not draft.renamed_from.strip() or key == task.canonical_key:
            return
        given = self._past.titles.get(task.task_id, [])
        if (given[-1] == key or not is_last) if key in given else key in {known.text for known in task.keys}:
            return
        nth = self._past.count("task_title_changed", task.task_id)
        payload = {"task_id": task.task_id, "entry_id": self.entry_id}
        said = {"title": title, "canonical_key": key}
        self._emit("task_title_changed", payload, key, nth, said=said, at=draft.timestamp)

    def _create(self, draft: Draft, said: _SaidStep) -> None:
        """Make a new task, under the first title it had. No task starts as done, blocked or cancelled: then the step is
        still to be taken."""
        title = _first_title(draft)
        key = task_key(self._overlay.project, title)
        status = "in_progress" if said.status in ("in_progress", "done") else "pending"
        is_taken = said.status in (status, None)
        task_id = entity_id("tsk", key, self.entry_id, 0)
        payload = {
            "task_id": task_id,
            "entry_id": self.entry_id,
            "status": status,
            "priority": draft.priority if draft.priority in PRIORITIES else None,
            "spans": list(said.spans),
            "step": said.step if is_taken else said.step - 1,
        }
        if said.status == "done":
            payload["reason"] = changes.BRIDGE
        text = {"title": title, "canonical_key": key} | ({"file": draft.file} if draft.file else {})
        self._overlay.emit("task_created", payload, key, self.entry_id, 0, said=text, at=said.at)
        self.task = self._overlay.task(task_id)
        self._rename(draft, is_last=True)

    def _prioritise(self, item: TaskNote, at: int | None) -> None:
        task, priority = self._now(), item.draft.priority
        if priority not in PRIORITIES or priority == task.priority or task.is_closed:
            return
        if self._past.priority.get(task.task_id) == priority:
            return  # said before, and changed by somebody else since
        nth = self._past.count("task_priority_changed", task.task_id)
        changes.prioritise(self._overlay, task, priority, self.entry_id, nth, at)
        self.task = self._overlay.task(task.task_id)

    def _block(self, item: TaskNote, at: int | None) -> None:
        """What the draft says the task waits for, unless the same words were said before."""
        task = self._now()
        texts = [printable(blocker.text) for blocker in item.draft.blocked_by]
        if not texts or task.is_closed or self._past.blockers.get(task.task_id) == texts:
            return
        refs = blockers.refer(self._overlay, task, item.draft.blocked_by, self._near)
        # Nothing but itself blocks it: an empty suggestion changes nothing, and keeps that this was said and looked at.
        mode = "replace" if refs and _carries(item) else "suggest"
        nth = self._past.count("task_blockers_set", task.task_id)
        changes.set_blockers(self._overlay, task, mode, refs, texts, self.entry_id, nth, at)
        self.task = self._overlay.task(task.task_id)

    def _step(self, item: TaskNote, said: _SaidStep) -> None:
        task, to = self._now(), said.status
        if to is None or to == task.status or self._is_older(said):
            return
        if to == "pending" and said.is_first and not task.is_closed:
            return  # a list that has it: no word on how far it is
        path = changes.transition_path(task.status, to)
        if path is None:
            self._refuse(said, changes.rejection_reason(to))
            return
        for i, move in enumerate(path, start=1):
            if move.after == "blocked":
                self._block(item, said.at)
                self._need_blocker(said.at)
            payload = {
                "task_id": task.task_id,
                "from": move.before,
                "to": move.after,
                "entry_id": self.entry_id,
                "reason": move.reason or said.reason,
                "spans": list(said.spans),
                "step": said.step if i == len(path) else said.step - 1,
            }
            self._emit("task_status_changed", payload, f"{move.before}->{move.after}", said.step, at=said.at)

    def _refuse(self, said: _SaidStep, reason: str) -> None:
        """What was said and cannot be, or was not found where it should stand: kept in the history."""
        task = self._now()
        payload: dict[str, Any] = {
            "task_id": task.task_id,
            "from": task.status,
            "to": said.status if said.status in TASK_STATUSES else "unknown",
            "entry_id": self.entry_id,
            "reason": reason,
            "spans": list(said.spans),
            "step": said.step,
        }
        if not said.is_found:
            payload["unfound"] = True
        self._emit("task_transition_rejected", payload, f"{task.status}->{payload['to']}", said.step, at=said.at)

    def _need_blocker(self, at: int | None) -> None:
        task = self._now()
        nth = self._past.count("task_blockers_set", task.task_id)
        changes.need_blocker(self._overlay, task, self.entry_id, nth, at)
        self.task = self._overlay.task(task.task_id)

    def _emit(
        self,
        event_type: str,
        payload: dict[str, Any],
        *key: str | int,
        said: dict[str, Any] | None = None,
        at: int | None = None,
    ) -> None:
        task_id = str(payload["task_id"])
        self._overlay.emit(event_type, payload, task_id, *key, self.entry_id, said=said, at=at)
        self.task = self._overlay.task(task_id)


def _steps(items: list[TaskNote]) -> Iterable[tuple[TaskNote, list[_SaidStep]]]:
    """The steps of each draft, counted through; a draft without any mentions its task, and that is one."""
    count, is_timed = 0, True
    for item in items:
        draft, at = item.draft, item.draft.timestamp
        said = []
        for i, step in enumerate(draft.steps or (DraftStep(""),)):
            at = step.timestamp if step.timestamp is not None else at
            is_timed = is_timed and at is not None  # what is said after what is said now is said now
            spans = item.spans[i] if i < len(item.spans) else ()
            status = step.status if draft.steps else None
            is_found = not any("reason" in span for span in spans)
            since = at if is_timed else None
            said.append(_SaidStep(count + i + 1, status, spans, at, i == 0, since, is_found, step.reason))
        count, last = said[-1].step, said[-1]
        yield item, [one._replace(over_at=last.since) for one in said] if last.status in CLOSED else said


def _first_title(draft: Draft) -> str:
    """The title when this session first mentioned the task, so that a renaming does not make it another one."""
    return printable(draft.renamed_from if draft.renamed_from.strip() else draft.title)


def _carries(item: TaskNote) -> bool:
    """Whether the evidence says what blocks the task, and not only something like it."""
    draft = item.draft
    longest = max((len(q.text) for q in (*draft.quotes, *(q for s in draft.steps for q in s.quotes))), default=0)
    return longest >= REPLACE_QUOTE_CHARS or all(blocker.is_title for blocker in draft.blocked_by)
