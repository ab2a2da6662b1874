"""What a task waits for, from words to references: a task, an artifact, or a condition.

A text becomes a task only when it means one beyond doubt; no task is made up here. Otherwise it is a condition, which
keeps the tasks that it may mean as candidates. A task never blocks itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from axiommind.extraction.drafts import DraftBlocker
from axiommind.learning.keys import canonical_key
from axiommind.learning.tasks.artifacts import artifact_in
from axiommind.learning.tasks.match import (
    Near,
    TaskMatch,
    exact,
    looks_like_condition,
    norm,
    strict,
    suggest_candidates,
)
from axiommind.learning.tasks.state import TaskOverlay
from axiommind.projections.task_fold import (
    UNKNOWN_BLOCKER,
    FoldedTask,
    entity_id,
    printable,
    unknown_blocker,
)

__all__ = ["BlockerRef", "declare", "refer", "unknown"]

EXPLICIT_CONFIDENCE = 1.0
HINT_CONFIDENCE = 0.75
UNKNOWN_CONFIDENCE = 0.5

_TASK_ID = re.compile(r"\btsk_[0-9a-f]{16}\b")


class BlockerRef(NamedTuple):
    """`key`, `text` and `url` are what a condition or an artifact is declared with."""

    kind: str
    entity_id: str
    raw_text: str
    confidence: float
    candidates: tuple[TaskMatch, ...] = ()
    key: str = ""
    text: str = ""
    url: str | None = None


def refer(
    overlay: TaskOverlay, task: FoldedTask, blockers: Iterable[DraftBlocker], near: Near | None = None
) -> list[BlockerRef]:
    """What these words refer to, each thing once, without the task itself."""
    found: dict[str, BlockerRef] = {}
    own = norm(task.title)
    for blocker in blockers:
        text = printable(blocker.text).strip()
        if not text or norm(text) == own:
            continue
        ref = _one(overlay, text, blocker.is_title, near)
        if ref.entity_id != task.task_id:
            others = tuple(match for match in ref.candidates if match.task_id != task.task_id)
            found.setdefault(ref.entity_id, ref._replace(candidates=others))
    return list(found.values())


def unknown(overlay: TaskOverlay) -> BlockerRef:
    """The condition that stands for a blocker that nobody named."""
    entity, key = unknown_blocker(overlay.project)
    return BlockerRef("condition", entity, UNKNOWN_BLOCKER, UNKNOWN_CONFIDENCE, key=key, text=UNKNOWN_BLOCKER)


def _one(overlay: TaskOverlay, text: str, is_title: bool, near: Near | None) -> BlockerRef:
    if (named := _TASK_ID.search(text)) and overlay.task(named[0]) is not None:
        return BlockerRef("task", named[0], text, EXPLICIT_CONFIDENCE)
    if is_title:
        task_id = exact(overlay, text, overlay.project)
        return BlockerRef("task", task_id, text, EXPLICIT_CONFIDENCE) if task_id else _condition(overlay, text, near)
    match = strict(overlay, text, project=overlay.project, now=overlay.now, near=near)
    if match is not None and match.method == "exact":
        return BlockerRef("task", match.task_id, text, match.score)
    if artifact := artifact_in(text, overlay.project):
        entity = entity_id("art", artifact.key)
        return BlockerRef(
            "artifact", entity, text, artifact.confidence, key=artifact.key, text=artifact.text, url=artifact.url
        )
    if match is not None:
        return BlockerRef("task", match.task_id, text, match.score)
    return _condition(overlay, text, near)


def _condition(overlay: TaskOverlay, text: str, near: Near | None) -> BlockerRef:
    key = canonical_key("cond", overlay.project, text)
    confidence = HINT_CONFIDENCE if looks_like_condition(text) else UNKNOWN_CONFIDENCE
    candidates = suggest_candidates(overlay, text, project=overlay.project, now=overlay.now, near=near)
    return BlockerRef("condition", entity_id("cond", key), text, confidence, tuple(candidates), key, text)


def declare(overlay: TaskOverlay, ref: BlockerRef, entry_id: str | None, at: int | None) -> None:
    """Every entry that names a condition or an artifact declares it: it exists while one of them does."""
    if ref.kind == "task":
        return
    if entry_id is None and any(known.entry_id is None for known in overlay.state.events_about(ref.entity_id)):
        return  # a person did before
    payload: dict[str, Any] = {"entity_id": ref.entity_id, "entry_id": entry_id}
    said = {"text": ref.text, "canonical_key": ref.key}
    key = (ref.entity_id, entry_id or "")
    if ref.kind == "artifact":
        overlay.emit("artifact_declared", payload, *key, said={**said, "url": ref.url}, at=at)
    else:
        payload["auto_placeholder"] = ref.entity_id == unknown_blocker(overlay.project)[0]
        candidates = [{"task_id": match.task_id, "score": match.score} for match in ref.candidates]
        overlay.emit("condition_declared", payload, *key, said={**said, "candidates": candidates}, at=at)
