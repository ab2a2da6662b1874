"""The events of one change of a task, whoever makes it: a draft or a person.

Keys are numbered by what the same source has said of the task before (`nth`): saying it again later is another event,
and the same one made by two processes at once is one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from axiommind.learning.tasks import blockers
from axiommind.learning.tasks.state import TaskOverlay
from axiommind.projections.task_fold import CLOSED, OPEN, TASK_STATUSES, TRANSITIONS, FoldedTask

__all__ = [
    "BRIDGE",
    "NOT_FOUND",
    "REOPENED",
    "Move",
    "need_blocker",
    "prioritise",
    "rejection_reason",
    "set_blockers",
    "transition_path",
]


BRIDGE = "bridge: said to be done, and never to be begun"
REOPENED = "reopened"
NOT_FOUND = "its words were not found"


class Move(NamedTuple):
    """One transition, and why it is made where nobody said so in as many words."""

    before: str
    after: str
    reason: str = ""


def transition_path(before: str, to: str) -> list[Move] | None:
    """The transitions that lead there; None when there are none. Where one of them was not said, it says what it is: a
    bridge to done, or that a closed task is open again."""
    if before in CLOSED and to in OPEN:
        reopened = Move(before, "in_progress" if to == "in_progress" else "pending", REOPENED)
        return [reopened] if reopened.after == to else [reopened, Move(reopened.after, to)]
    if to in TRANSITIONS[before]:
        return [Move(before, to)]
    if to == "done" and before != "done":
        return [Move(before, "in_progress", BRIDGE), Move("in_progress", "done")]
    return None


def rejection_reason(to: str) -> str:
    return "no such transition" if to in TASK_STATUSES else "unknown status"


def prioritise(
    overlay: TaskOverlay, task: FoldedTask, to: str | None, entry_id: str | None, nth: int, at: int | None
) -> None:
    payload = {"task_id": task.task_id, "from": task.priority, "to": to, "entry_id": entry_id}
    change = f"{task.priority or ''}->{to or ''}"
    overlay.emit("task_priority_changed", payload, task.task_id, change, entry_id or "", nth, at=at)


def set_blockers(
    overlay: TaskOverlay,
    task: FoldedTask,
    mode: str,
    refs: Sequence[blockers.BlockerRef],
    texts: list[str],
    entry_id: str | None,
    nth: int,
    at: int | None,
) -> None:
    for ref in refs:
        blockers.declare(overlay, ref, entry_id, at)
    payload = {
        "task_id": task.task_id,
        "mode": mode,
        "blockers": [
            {
                "kind": ref.kind,
                "entity_id": ref.entity_id,
                "confidence": ref.confidence,
                "candidates": [{"task_id": match.task_id, "score": match.score} for match in ref.candidates],
            }
            for ref in refs
        ],
        "entry_id": entry_id,
    }
    digest = hashlib.sha1("\n".join(sorted(ref.entity_id for ref in refs)).encode(), usedforsecurity=False)
    key = (task.task_id, mode, digest.hexdigest()[:12], entry_id or "", nth)
    overlay.emit("task_blockers_set", payload, *key, said={"raw_texts": texts}, at=at)


def need_blocker(overlay: TaskOverlay, task: FoldedTask, entry_id: str | None, nth: int, at: int | None) -> None:
    """Where nobody says what blocks it, the project's unknown blocker does, as a real one that lists can show."""
    if not task.blockers and not task.suggestions:
        set_blockers(overlay, task, "replace", [blockers.unknown(overlay)], [], entry_id, nth, at)
