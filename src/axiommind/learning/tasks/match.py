"""Which task a text refers to: by its exact title, by its words, or semantically where there are vectors.

`strict` gives one task beyond doubt, or none; everything below that is a candidate for a person to look at. Words are
scored against the text itself, so that the best of poor matches is still a poor match.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from math import log
from typing import NamedTuple, Protocol

from axiommind.learning.keys import canonical_key
from axiommind.text.normal_form import normalise
from axiommind.text.tokens import terms
from axiommind.vectors.similarity import similarity

__all__ = [
    "Catalogue",
    "KnownTask",
    "Near",
    "TaskLookup",
    "TaskMatch",
    "looks_like_condition",
    "strict",
    "suggest_candidates",
]

STAGE_WEIGHTS = {"certified": 1.0, "verified": 0.9, "candidate": 0.75, "working": 0.65}
STAGE_DEFAULT = 0.65
ENTITY_WEIGHTS = {"active": 1.0, "contested": 0.2, "deprecated": 0.05, "superseded": 0.05}
TASK_WEIGHTS = {"pending": 1.0, "in_progress": 1.0, "blocked": 1.0, "done": 0.6, "cancelled": 0.3}
RECENCY_HALF_LIFE_DAYS = 60.0
RECENCY_FLOOR = 0.6
EXACT = 1.0
FULL_TEXT = 0.95
STRICT_SCORE = 0.92
STRICT_GAP = 0.03
CANDIDATES = 5

_K1, _B = 1.5, 0.75
# A word that is in so many titles does not tell them apart, and looking at all of them costs more than it is worth.
_COMMON = 400
_TERMS = 64
_DAY = 86_400_000

_CONDITION = re.compile(
    r"대기|승인|권한|요청|확인\s*필요|받는\s*중|리뷰|검토"
    r"|\bwait(?:s|ing)?\b|\bawait(?:s|ing)?\b|\bapprov(?:al|als|e|ed|es|ing)\b|\bpermissions?\b|\baccess to\b"
    r"|\brequest(?:s|ed|ing)?\b|\bsign-?off\b|\bneeds? (?:to be )?confirm|\bconfirmation\b|\breview(?:s|ed|ing|er)?\b"
    r"|等待|等候|批准|审批|審批|权限|權限|请求|請求|申请|申請|待确认|待確認|需要确认|需要確認|审核|審核|评审|評審|审查|審查"
    r"|待ち|承認|権限|依頼|要確認|確認待|確認が必要|許可|レビュー|検討",
    re.IGNORECASE,
)

# Texts near in meaning: task ids with their distances, the nearest first.
Near = Callable[[str, int], Iterable[tuple[str, float]]]


class KnownTask(NamedTuple):
    """What matching needs to know of a task."""

    task_id: str
    title_norm: str
    stage: str
    entity_status: str
    status: str
    updated_at: int


class TaskMatch(NamedTuple):
    task_id: str
    score: float
    method: str  # exact, fts, vector


class Catalogue:
    """The titles of a project's tasks, indexed by their words."""

    def __init__(self, known: Iterable[KnownTask] = ()) -> None:
        self.known: dict[str, KnownTask] = {}
        self._words: dict[str, frozenset[str]] = {}
        self._holding: dict[str, dict[str, None]] = {}
        self._length = 0
        self._last: tuple[str, dict[str, float]] | None = None  # `strict` and `suggest_candidates` ask the same
        for task in known:
            self.put(task)

    def put(self, task: KnownTask) -> None:
        before = self.known.get(task.task_id)
        self.known[task.task_id] = task
        if before is not None and before.title_norm == task.title_norm:
            return
        self._last = None
        for word in self._words.pop(task.task_id, frozenset()):
            del self._holding[word][task.task_id]
            self._length -= 1
        words = self._words[task.task_id] = frozenset(terms(task.title_norm))
        self._length += len(words)
        for word in words:
            self._holding.setdefault(word, {})[task.task_id] = None

    def search(self, text: str) -> dict[str, float]:
        """Tasks that share a rare enough word with the text: by BM25, 1 being what the text itself would get."""
        if self._last is None or self._last[0] != text:
            self._last = text, self._search(text)
        return self._last[1]

    def _search(self, text: str) -> dict[str, float]:
        words = sorted(set(terms(norm(text))))[:_TERMS]
        telling = [w for w in words if 0 < len(self._holding.get(w, ())) <= _COMMON]
        if not telling:
            return {}
        ideal = self._weight(len(words)) * sum(self._idf(word) for word in words)
        scores: dict[str, float] = {}
        for word in telling:
            for task_id in self._holding[word]:
                scores[task_id] = 0.0
        for word in words:
            holding = self._holding.get(word, {})
            idf = self._idf(word)
            for task_id in scores.keys() & holding.keys() if len(holding) > len(scores) else holding:
                if task_id in scores:
                    scores[task_id] += idf * self._weight(len(self._words[task_id]))
        top = max(ideal, *scores.values())
        return {task_id: score / top for task_id, score in scores.items()}

    def _idf(self, word: str) -> float:
        holding = len(self._holding.get(word, ()))
        return log((len(self.known) - holding + 0.5) / (holding + 0.5) + 1)

    def _weight(self, length: int) -> float:
        mean = self._length / len(self.known)
        return (_K1 + 1) / (1 + _K1 * (1 - _B + _B * length / mean))


# The same titles are asked for again and again while a session is resolved.
_CACHED = 1 << 14
norm = lru_cache(_CACHED)(normalise)


@lru_cache(_CACHED)
def task_key(project: str, title: str) -> str:
    return canonical_key("task", project, title)


class TaskLookup(Protocol):
    """What is known of tasks while matching."""

    def by_key(self, entity_type: str, key: str) -> str | None: ...

    def catalogue(self, project: str) -> Catalogue: ...


def looks_like_condition(text: str) -> bool:
    """Waiting for somebody's approval is not a task, however much it sounds like one."""
    return _CONDITION.search(text) is not None


def recency(updated_at: int, now: int) -> float:
    days = max(0, now - updated_at) / _DAY
    return max(RECENCY_FLOOR, float(0.5 ** (days / RECENCY_HALF_LIFE_DAYS)))


def exact(tasks: TaskLookup, text: str, project: str) -> str | None:
    """The task that has, or had, exactly this title."""
    return tasks.by_key("task", task_key(project, text))


def strict(tasks: TaskLookup, text: str, *, project: str, now: int, near: Near | None = None) -> TaskMatch | None:
    """The one task that this text refers to beyond doubt, or None."""
    catalogue = tasks.catalogue(project)
    task_id = exact(tasks, text, project)
    if task_id is not None:
        task = catalogue.known.get(task_id)
        return TaskMatch(task_id, EXACT, "exact") if task is not None and _is_usable(task) else None
    if looks_like_condition(text):
        return None
    ranked = _ranked(catalogue, text, now, near, by_stage=False)
    if not ranked or ranked[0].score < STRICT_SCORE or not _is_usable(catalogue.known[ranked[0].task_id]):
        return None
    if len(ranked) > 1 and ranked[0].score - ranked[1].score < STRICT_GAP:
        return None
    return ranked[0]


def suggest_candidates(
    tasks: TaskLookup, text: str, *, project: str, now: int, near: Near | None = None, limit: int = CANDIDATES
) -> list[TaskMatch]:
    """The tasks that this text may refer to, the likeliest first."""
    ranked = _ranked(tasks.catalogue(project), text, now, near, by_stage=True)
    task_id = exact(tasks, text, project)
    if task_id is not None:
        ranked = [TaskMatch(task_id, EXACT, "exact"), *(match for match in ranked if match.task_id != task_id)]
    return ranked[:limit]


def _is_usable(task: KnownTask) -> bool:
    return task.entity_status == "active" and task.status != "cancelled"


def _ranked(catalogue: Catalogue, text: str, now: int, near: Near | None, *, by_stage: bool) -> list[TaskMatch]:
    base = {task_id: (FULL_TEXT * score, "fts") for task_id, score in catalogue.search(text).items()}
    for task_id, distance in near(text, CANDIDATES * 2) if near is not None else ():
        if task_id in catalogue.known:
            base[task_id] = max(base.get(task_id, (0.0, "fts")), (max(similarity(distance, "cosine"), 0.0), "vector"))
    found = []
    for task_id, (score, method) in base.items():
        task = catalogue.known[task_id]
        weight = ENTITY_WEIGHTS.get(task.entity_status, 0.05) * TASK_WEIGHTS.get(task.status, 0.3)
        weight *= recency(task.updated_at, now)
        if by_stage:
            weight *= STAGE_WEIGHTS.get(task.stage, STAGE_DEFAULT)
        found.append(TaskMatch(task_id, round(min(1.0, score * weight), 6), method))
    return sorted(found, key=lambda match: (-match.score, match.task_id))
