"""Closing a task by what was finished: a commit or a pull request that has nearly all of its words.

Conservative: most of the words of the task's title have to be in what was finished, and at least three of them; it has
to be later than the last news of the task. A task that is written down in a file is closed by its file alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from axiommind.learning.tasks import changes
from axiommind.learning.tasks.state import TaskOverlay
from axiommind.projections.task_fold import OPEN
from axiommind.text.stop_words import STOP_WORDS
from axiommind.text.tokens import terms

__all__ = ["Finished", "close_finished"]

_SHARE = 0.75
_FEWEST = 3
_REASON = "finished by what was committed"


class Finished(NamedTuple):
    """What a session says that it finished, and where that stands."""

    text: str
    at: int | None
    spans: Sequence[Any]


def close_finished(overlay: TaskOverlay, finished: Iterable[Finished]) -> None:
    """The open tasks of the project that these finish become done."""
    said = [(one, _words(one.text)) for one in finished if one.at is not None]
    if not said:
        return
    for known in list(overlay.catalogue(overlay.project).known.values()):
        if known.status not in OPEN:
            continue
        wanted = _words(known.title_norm)
        if len(wanted) < _FEWEST:
            continue
        for one, words in said:
            if len(wanted & words) >= max(_FEWEST, _SHARE * len(wanted)) and _close(overlay, known.task_id, one):
                break


def _close(overlay: TaskOverlay, task_id: str, one: Finished) -> bool:
    task = overlay.task(task_id)
    if task is None or task.is_closed or task.file or one.at is None or one.at <= max(task.heard_at, task.listed_at):
        return False
    for move in changes.transition_path(task.status, "done") or ():
        payload: dict[str, Any] = {
            "task_id": task_id,
            "from": move.before,
            "to": move.after,
            "entry_id": None,
            "reason": move.reason or _REASON,
            "spans": list(one.spans),
        }
        key = (task_id, f"{move.before}->{move.after}", "finished", one.at)
        overlay.emit("task_status_changed", payload, *key, at=one.at)
    return True


def _words(text: str) -> set[str]:
    return {word for word in terms(text) if word not in STOP_WORDS}
