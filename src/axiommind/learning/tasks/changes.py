"""The events of one change of a task, whoever makes it: a draft or a person.

Keys are numbered by what the same source has said of the task before (`nth`): saying it again later is another event,
and the same one made by two processes at once is one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from axiommind.learning.tasks import blockers
from axiommind.learning.tasks.state import TaskOverlay
from axiommind.projections.task_fold import FINAL, TASK_STATUSES, TRANSITIONS, FoldedTask

__all__ = ["need_blocker", "prioritise", "rejection_reason", "set_blockers", "transition_path"]


def transition_path(before: str, to: str) -> list[tuple[str, str]] | None:
    """The transitions that lead there: one, or two to complete a task that was not begun; None when there are none."""
    if to in TRANSITIONS[before]:
        return [(before, to)]
    if to == "done" and before not in FINAL:
        return [(before, "in_progress"), ("in_progress", "done")]
    return None


def rejection_reason(before: str, to: str) -> str:
    if to not in TASK_STATUSES:
        return "unknown status"
    return "final" if before in FINAL else "no such transition"


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
