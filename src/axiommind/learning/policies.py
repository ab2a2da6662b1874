"""Policies as data: what a claim must show to rise a stage, when it drops one, and who wins a conflict.

Each has a name and a version that every change of stage carries, so that a later policy can be told from this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from typing import NamedTuple

__all__ = [
    "BELIEVED",
    "CONFLICTS",
    "DAY_MS",
    "GRADUATION",
    "HALF_LIFE",
    "MEASURED",
    "PERSON",
    "POLICIES",
    "SUPPORTED",
    "EntryFacts",
    "StageChange",
    "demotion",
    "earned",
    "graduate",
    "lasting",
    "promotions",
    "sink",
    "vitality",
]

DAY_MS = 86_400_000


class Graduation(NamedTuple):
    name: str
    version: str
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


# candidate: schema valid and evidence aligned. verified: checker passed, nothing against it, sure enough, and a person
# stands behind it. certified: used in enough sessions over enough days without being corrected, or a
# person's word.
GRADUATION = Graduation("graduation", "3", certified_sessions=3, certified_days=30)
HALF_LIFE = HalfLife("half-life", "2", {"certified": 180, "verified": 90, "candidate": 30, "working": 7}, least=0.3)
CONFLICTS = PolicyName("conflicts", "2")
PERSON = PolicyName("person", "1")
_SINKS_TO = {"certified": "verified", "verified": "candidate", "candidate": "working"}
_STAGES = ("raw", "working", "candidate", "verified", "certified")
# How sure one has to be of a claim for it to be verified: a rule by its measured precision; a model's claim by how far
# it is believed, less where somebody else has checked that the quoted words bear it out.
MEASURED, BELIEVED, SUPPORTED = 0.8, 0.7, 0.5


class EntryFacts(NamedTuple):
    """What is known of an entry when its stage is decided."""

    entry_id: str
    stage: str
    status: str
    aligned: bool
    passed: bool  # the checkers
    confidence: float
    needed: float = BELIEVED  # the confidence at which it may be verified
    grounds: str = ""  # why it may be verified at all: what of a person stands behind it; empty: nothing does
    sessions: int = 1  # in which a person stated it, or it was used
    days: float = 0.0  # from the first of those sessions to the last
    idle_days: float = 0.0  # on which its project was worked in, since it was last stated, used or looked at
    word: str = ""  # the stage that a person raised it to
    is_worded_by_agent: bool = False  # a person chose it, in words of the agent's: only a person certifies those


class StageChange(NamedTuple):
    entry_id: str
    source: str
    target: str
    reason: str

    def payload(self) -> dict[str, str]:
        return {"entry_id": self.entry_id, "from": self.source, "to": self.target, "reason": self.reason}


def vitality(stage: str, idle_days: float) -> float:
    """Halves with every half-life of the stage in which its project was worked in and nobody stated or used it."""
    days = HALF_LIFE.days.get(stage)
    return 1.0 if days is None else 0.5 ** (max(idle_days, 0.0) / days)


def earned(facts: EntryFacts) -> list[tuple[str, str]]:
    """Every stage that the facts give an entry, in order, with the reason."""
    stages = [("working", "schema valid")]  # what does not fit the schema never becomes an entry
    if facts.aligned:
        stages.append(("candidate", "evidence aligned"))
    is_sure = facts.passed and facts.status == "active" and facts.confidence >= facts.needed
    if facts.aligned and is_sure and facts.grounds:
        stages.append(("verified", f"checked, nothing against it, {facts.grounds}"))
        is_lasting = facts.sessions >= GRADUATION.certified_sessions and facts.days >= GRADUATION.certified_days
        if is_lasting and not facts.is_worded_by_agent:
            reason = f"in {facts.sessions} sessions over {facts.days:.0f} days, and not corrected"
            stages.append(("certified", reason))
    for stage in _STAGES[len(stages) + 1 : _STAGES.index(facts.word) + 1 if facts.word else 0]:
        stages.append((stage, "a person's word"))
    return stages


def lasting(stage: str, idle_days: float) -> str:
    """The stage that is left of one in which nobody has stated or used the claim for so long."""
    left = idle_days
    while stage in _SINKS_TO and vitality(stage, left) < HALF_LIFE.least:
        left -= HALF_LIFE.days[stage] * log2(1 / HALF_LIFE.least)
        stage = _SINKS_TO[stage]
    return stage


def promotions(facts: EntryFacts) -> list[StageChange]:
    """Every stage that an entry rises to, in order; or the fall to what it has earned, if that is less."""
    reasons = dict(earned(facts))
    highest = list(reasons)[-1]
    here, there = _STAGES.index(facts.stage), _STAGES.index(highest)
    if here > there:
        return [StageChange(facts.entry_id, facts.stage, highest, _lacking(facts))]
    there = min(there, max(_STAGES.index(lasting(highest, facts.idle_days)), here))
    return [
        StageChange(facts.entry_id, _STAGES[n], _STAGES[n + 1], reasons[_STAGES[n + 1]]) for n in range(here, there)
    ]


def _lacking(facts: EntryFacts) -> str:
    if not facts.aligned:
        return "its evidence was not found"
    if facts.status != "active":
        return f"it is {facts.status}"
    if not facts.passed:
        return "the checkers have not passed it"
    if not facts.grounds:
        return "no person's words stand behind it"
    if facts.confidence < facts.needed:
        return f"confidence {facts.confidence:.2f}, and {facts.needed:.2f} is needed"
    return "not used often enough"


def demotion(facts: EntryFacts) -> StageChange | None:
    """The stage that an entry drops to when nobody has needed it for long."""
    highest = earned(facts)[-1][0]
    target = lasting(highest, facts.idle_days)
    if not _STAGES.index(target) < _STAGES.index(facts.stage) <= _STAGES.index(highest):
        return None
    reason = f"unused for {facts.idle_days:.0f} days of work, vitality {vitality(facts.stage, facts.idle_days):.2f}"
    return StageChange(facts.entry_id, facts.stage, target, reason)


def graduate(facts: Sequence[EntryFacts]) -> list[StageChange]:
    """Every change that the graduation policy makes now."""
    return [change for one in facts for change in promotions(one)]


def sink(facts: Sequence[EntryFacts]) -> list[StageChange]:
    """Every entry that drops a stage now."""
    return [change for one in facts if (change := demotion(one)) is not None]


# By name: version, and what it changes.
POLICIES = {GRADUATION.name: (GRADUATION.version, graduate), HALF_LIFE.name: (HALF_LIFE.version, sink)}
