"""Tasks that an agent kept in its own list: written whole, or task by task.

One draft for each task, with the statuses it had in order. A list that is written whole replaces the one before it:
what is no longer on it is cancelled, and the newer list says so. A title that is listed again after it was closed
begins another draft. A call that failed, or that returned nothing, changed nothing. Numbers of tasks that this session
did not create (it shares a list) are ignored. What a fork copied from its parent says which task is meant, and is
learned there: only what the fork itself did is reported for such a task. Chores of every session (`_chores`) are left
out, unless another task waits for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from axiommind.extraction.drafts import Draft, DraftBlocker, DraftStep, Quote
from axiommind.extraction.quoting import MOST_QUOTES, clip, covered, cut, given, head, leaf, only, within
from axiommind.extraction.rules import MOST_DRAFTS, Rule
from axiommind.extraction.rules._chores import is_chore
from axiommind.text.normal_form import normalise
from axiommind.text.patterns import lazy
from axiommind.tools.kinds import ADD_TASK, CHANGE_TASK, SET_TASKS

if TYPE_CHECKING:
    from axiommind.projections.transcript import ToolCall, Transcript

RULES = (
    Rule(
        "tasks",
        types=("task_note",),
        labelled="tasks",
        right=39,
        total=40,
        note="131 real sessions; wrong: work that the person reverted later",
    ),
    Rule(
        "todos",
        types=("task_note",),
        labelled="todos",
        right=20,
        total=20,
        note="lists made by hand: no real session writes its list whole any more",
    ),
)
ORDER = 1

_STATUS = {
    "pending": "pending",
    "in_progress": "in_progress",
    "completed": "done",
    "done": "done",
    "deleted": "cancelled",
    "cancelled": "cancelled",
}
_CLOSED = ("done", "cancelled")
_DROPPED = "no longer on the list"
_CREATED = lazy(r"Task #(\w{1,20}) created")


class _ListedTask:
    """A task on an agent's list, with what was said of it so far."""

    def __init__(
        self, rule: str, title: str, text: str, quotes: tuple[Quote, ...], timestamp: int | None, *, copied: bool
    ) -> None:
        self.rule = rule
        self.title = title
        self.text = text
        self.quotes = quotes
        self.timestamp = timestamp
        self.copied = copied  # it was listed in the session that this one was forked from
        self.steps: list[DraftStep] = []
        self.blockers: list[_ListedTask] = []
        self.renamed_from = ""
        self.own: list[DraftStep] = []  # what of it this session itself says, and no other
        self.own_blockers: list[_ListedTask] = []

    @property
    def status(self) -> str:
        return self.steps[-1].status if self.steps else ""

    def step(self, status: str, quotes: tuple[Quote, ...], use: ToolCall, reason: str = "") -> None:
        if status != self.status and quotes:
            self.steps.append(DraftStep(status, quotes, use.timestamp, reason))
            if not use.copied:
                self.own.append(self.steps[-1])

    def draft(self) -> Draft | None:
        """What this session says of it; None when it says nothing."""
        is_renamed = self.copied and bool(self.renamed_from) and self.status not in _CLOSED
        if not self.quotes or not (self.own or is_renamed):
            return None
        quotes, timestamp = self.quotes, self.timestamp
        if self.copied and self.own:
            quotes, timestamp = only(quotes[:1], self.own[0].quotes, quotes[1:]), self.own[0].timestamp
        return Draft(
            type="task_note",
            title=self.title,
            text=self.text,
            quotes=quotes[:MOST_QUOTES],
            rule=self.rule,
            timestamp=timestamp,
            steps=tuple(self.own),
            blocked_by=tuple(DraftBlocker(other.title, is_title=True) for other in self.own_blockers),
            renamed_from=self.renamed_from,
        )


def find(transcript: Transcript) -> list[Draft]:
    lists = _Lists(transcript)
    for use in transcript.uses:
        if use.failed is not False:
            continue
        if use.tool.act == SET_TASKS:
            lists.todos(use)
        elif use.tool.act == ADD_TASK:
            lists.create(use)
        elif use.tool.act == CHANGE_TASK:
            lists.update(use)
    awaited = {id(blocker) for task in lists.all if not is_chore(task.title) for blocker in task.blockers}
    kept = [task for task in lists.all if not is_chore(task.title) or id(task) in awaited]
    return [draft for task in kept if (draft := task.draft()) is not None]


class _Lists:
    """What the agent's lists held so far."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self.all: list[_ListedTask] = []
        self.by_number: dict[str, _ListedTask] = {}
        self.by_title: dict[str, _ListedTask] = {}  # the latest of each title
        self.on_list: set[str] = set()  # the titles of the latest list that was written whole

    def named(self, rule: str, title: str, text: str, quotes: tuple[Quote, ...], use: ToolCall) -> _ListedTask | None:
        """The open task of this title, or a new one; None when there is no title or there are too many."""
        title = clip(title)
        known = self.by_title.get(normalise(title))
        if known is not None and known.status not in _CLOSED:
            return known
        if not title or not quotes or len(self.all) >= MOST_DRAFTS:
            return None
        task = _ListedTask(rule, title, text or title, quotes, use.timestamp, copied=use.copied)
        self.all.append(task)
        self.by_title[normalise(title)] = task
        return task

    def todos(self, use: ToolCall) -> None:
        items = use.given.get("todos")
        if not isinstance(items, list):
            return
        seen: set[str] = set()
        for i, item in enumerate(items):
            if not isinstance(item, dict) or not isinstance(item.get("content"), str):
                continue
            title, status = item["content"], _status_of(item.get("status"))
            key = normalise(clip(title))
            if not status or key in seen:  # twice in one list: which of them a later status is of, nobody says
                continue
            seen.add(key)
            known = self.by_title.get(key)
            if known is not None and (known.status == status or (known.status in _CLOSED and status in _CLOSED)):
                continue
            quotes = leaf(self.transcript, use, f"/todos/{i}/content")
            said = leaf(self.transcript, use, f"/todos/{i}/status")
            task = self.named("todos", title, "", quotes, use)
            if task is not None:
                task.step(status, said if task.steps or status != "pending" else quotes, use)
        self.drop(self.on_list - seen, use)
        self.on_list = seen

    def drop(self, titles: set[str], use: ToolCall) -> None:
        """What the list does not have any more is not to be done. The list itself is the evidence, or what came back
        where it is empty."""
        listed = leaf(self.transcript, use, "/todos/0/content")
        for result in use.results[:1]:
            listed = listed or within(self.transcript, result, head(self.transcript.messages[result].text))
        for title in sorted(titles):
            task = self.by_title.get(title)
            if task is not None and task.status not in _CLOSED:
                task.step("cancelled", listed, use, _DROPPED)

    def create(self, use: ToolCall) -> None:
        subject = given(use, "subject")
        number = next((m[1] for r in use.results if (m := _CREATED.search(self.transcript.messages[r].text))), None)
        if number is None:
            return
        quotes = leaf(self.transcript, use, "/subject")
        more, text = self.described(use)
        task = self.named("tasks", subject, text, only(quotes, more), use)
        if task is not None:
            self.by_number[number] = task
            if not task.steps:
                task.step("pending", quotes, use)

    def update(self, use: ToolCall) -> None:
        task = self.by_number.get(_number(use.given.get("taskId")))
        if task is None:
            return
        status = _status_of(use.given.get("status"))
        if task.status in _CLOSED and status and status not in _CLOSED:
            again = self.named(task.rule, task.title, task.text, leaf(self.transcript, use, "/status"), use)
            if again is None:
                return
            again.quotes = only(task.quotes, again.quotes)
            self.by_number[_number(use.given.get("taskId"))] = task = again
        self.rename(task, use)
        more, text = self.described(use)
        if text:
            task.text = text
            task.quotes = only(task.quotes[:1], more)
        if status and not (task.status == "done" and status == "cancelled"):  # tidied away, and still done
            task.step(status, leaf(self.transcript, use, "/status"), use)
        for number in _numbers(use.given.get("addBlockedBy")):
            self.block(task, self.by_number.get(number), use, "addBlockedBy")
        for number in _numbers(use.given.get("addBlocks")):
            self.block(self.by_number.get(number), task, use, "addBlocks")

    def described(self, use: ToolCall) -> tuple[tuple[Quote, ...], str]:
        """What a call says that a task is about, as far as it can be quoted."""
        message = use.leaves.get("/description")
        text = given(use, "description").strip()
        return ((), "") if message is None else covered(self.transcript, message, text, MOST_QUOTES - 1)

    def rename(self, task: _ListedTask, use: ToolCall) -> None:
        title = clip(given(use, "subject"))
        if not title or normalise(title) == normalise(task.title):
            return
        if self.by_title.get(normalise(task.title)) is task:
            del self.by_title[normalise(task.title)]
        if not use.copied:
            task.renamed_from = task.renamed_from or task.title
        task.title = title
        task.quotes = only(leaf(self.transcript, use, "/subject"), task.quotes)
        self.by_title[normalise(title)] = task

    def block(self, task: _ListedTask | None, blocker: _ListedTask | None, use: ToolCall, field_name: str) -> None:
        """A task that waits for one that is not done. One that is being worked on waits for nothing."""
        if task is None or blocker is None or task is blocker:
            return
        if blocker.status in _CLOSED or task.status not in ("pending", "blocked"):
            return
        said: tuple[Quote, ...] = ()
        for result in use.results[:1]:
            said = within(self.transcript, result, cut(self.transcript.messages[result].text.strip()))
        task.step("blocked", only(leaf(self.transcript, use, f"/{field_name}/0"), said), use)
        if task.status == "blocked" and not any(other is blocker for other in task.blockers):
            task.blockers.append(blocker)
            if not use.copied:
                task.own_blockers.append(blocker)


def _status_of(word: Any) -> str:
    return _STATUS.get(word, "") if isinstance(word, str) else ""


def _number(value: Any) -> str:
    if isinstance(value, str):
        return value.strip().removeprefix("#")
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _numbers(value: Any) -> list[str]:
    return [_number(item) for item in value] if isinstance(value, list) else []
