"""Policies as data: what a claim must show to rise a stage, when it drops one, and who wins a conflict.

Each has a name and a version that every change of stage carries, so that a later policy can be told from this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = [
    "CONFLICTS",
    "DAY_MS",
    "GRADUATION",
    "HALF_LIFE",
    "PERSON",
    "POLICIES",
    "EntryFacts",
    "StageChange",
    "demotion",
    "graduate",
    "promotions",
    "sink",
    "vitality",
]

DAY_MS = 86_400_000


class Graduation(NamedTuple):
    name: str
    version: str
    verified_confidence: float
    certified_sessions: int
    certified_days: int


class HalfLife(NamedTuple):
    name: str
    version: str
    days: dict[str, int]
    least: float  # a claim whose vitality is below this drops one stage


class PolicyName(NamedTuple):
    name: str
    version: str


# candidate: schema valid and evidence aligned; verified: checker passed, no open conflict, confidence high enough;
# certified: used in enough sessions over enough days without conflict (or a person's word).
GRADUATION = Graduation("graduation", "1", verified_confidence=0.7, certified_sessions=3, certified_days=30)
HALF_LIFE = HalfLife("half-life", "1", {"certified": 180, "verified": 90, "candidate": 30, "working": 7}, least=0.3)
CONFLICTS = PolicyName("conflicts", "1")
PERSON = PolicyName("person", "1")
_SINKS_TO = {"certified": "verified", "verified": "candidate", "candidate": "working"}


class EntryFacts(NamedTuple):
    """What is known of an entry when its stage is decided."""

    entry_id: str
    stage: str
    status: str
    aligned: bool
    passed: bool  # the checkers
    confidence: float
    sessions: int = 1  # in which it was stated or used
    days: float = 0.0  # from the first of those to the last
    idle_days: float = 0.0  # since it was last stated or used, or reached its stage
    sunk: bool = False  # it dropped a stage, and nobody has stated or used it since


class StageChange(NamedTuple):
    entry_id: str
    source: str
    target: str
    reason: str

    def payload(self) -> dict[str, str]:
        return {"entry_id": self.entry_id, "from": self.source, "to": self.target, "reason": self.reason}


def vitality(stage: str, idle_days: float) -> float:
    """Halves with every half-life of the stage in which nobody stated or used the claim."""
    days = HALF_LIFE.days.get(stage)
    return 1.0 if days is None else 0.5 ** (max(idle_days, 0.0) / days)


def promotions(facts: EntryFacts) -> list[StageChange]:
    """Every stage that an entry rises to, in order."""
    rises: list[StageChange] = []
    stage = facts.stage
    while (step := _next(facts, stage)) is not None:
        target, reason = step
        rises.append(StageChange(facts.entry_id, stage, target, reason))
        stage = target
    return rises


def _next(facts: EntryFacts, stage: str) -> tuple[str, str] | None:
    if stage == "raw":  # what does not fit the schema never becomes an entry
        return "working", "schema valid"
    if facts.sunk:
        return None
    if stage == "working" and facts.aligned:
        return "candidate", "evidence aligned"
    if facts.status != "active" or vitality(stage, facts.idle_days) < HALF_LIFE.least:
        return None
    if stage == "candidate" and facts.aligned and facts.passed and facts.confidence >= GRADUATION.verified_confidence:
        return "verified", f"checked, no open conflict, confidence {facts.confidence:.2f}"
    long_enough = facts.sessions >= GRADUATION.certified_sessions and facts.days >= GRADUATION.certified_days
    if stage == "verified" and long_enough:
        return "certified", f"in {facts.sessions} sessions over {facts.days:.0f} days without conflict"
    return None


def demotion(facts: EntryFacts) -> StageChange | None:
    """The stage that an entry drops to when nobody has needed it for long."""
    target = _SINKS_TO.get(facts.stage)
    left = vitality(facts.stage, facts.idle_days)
    if target is None or left >= HALF_LIFE.least:
        return None
    return StageChange(facts.entry_id, facts.stage, target, f"idle for {facts.idle_days:.0f} days, vitality {left:.2f}")


def graduate(facts: Sequence[EntryFacts]) -> list[StageChange]:
    """Every rise that the graduation policy gives now."""
    return [change for one in facts for change in promotions(one)]


def sink(facts: Sequence[EntryFacts]) -> list[StageChange]:
    """Every entry that drops a stage now."""
    return [change for one in facts if (change := demotion(one)) is not None]


# By name: version, and what it changes.
POLICIES = {GRADUATION.name: (GRADUATION.version, graduate), HALF_LIFE.name: (HALF_LIFE.version, sink)}
