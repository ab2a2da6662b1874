"""The offline rules: one file each, and the folder is the registry.

A rule's file declares what it is called, how precise it was measured to be, and what its entries are like (`RULES`);
`find(transcript)` gives its drafts. Everybody else asks the declaration: nobody knows a rule by its name. A hook asks
too, so these files import little and compile their patterns when they are used.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

from axiommind.registry import Registry

if TYPE_CHECKING:
    from axiommind.extraction.drafts import Draft
    from axiommind.projections.transcript import Transcript

__all__ = [
    "FIX",
    "MOST_DRAFTS",
    "OWN_WORDS",
    "PLAIN",
    "PLAN",
    "QUESTION",
    "RECORD",
    "Rule",
    "RuleModule",
    "declared",
    "form_of",
    "is_requested",
    "modules",
]

# What an entry is like, for whoever shows it.
PLAIN = "plain"  # its title or its text says it
OWN_WORDS = "own-words"  # a person's own sentence
QUESTION = "question"  # the title asks, the text answers
PLAN = "plan"  # what was to be done, and the rationale says why
RECORD = "record"  # what was done: the title says it, git has the rest
FIX = "fix"  # an error and what mended it: worth telling when the error comes back

MOST_DRAFTS = 500  # of one rule and session; a list that is longer is not what somebody means


class Rule(NamedTuple):
    """What a rule says about itself."""

    name: str  # in the column `entries.rule`
    types: tuple[str, ...]  # of the entries that it gives
    labelled: str  # the file in tests/learning/labelled by which bench/precision.py measures it
    right: int  # of the drafts that are labelled there
    total: int
    form: str = PLAIN
    note: str = ""  # on the measurement
    most: int = MOST_DRAFTS  # of its drafts that a session keeps
    is_requested: bool = False  # a person asked for it to be written down, in the agent's words
    unseen: tuple[int, int] | None = None  # right and total, the first time it read a project that it was not made on

    @property
    def measured(self) -> float:
        """How often the rule was right by its labels, to two places. The addition keeps a small sample from claiming
        what it cannot know."""
        return _smoothed(self.right, self.total)

    @property
    def precision(self) -> float:
        """How often it is expected to be right: the confidence of its drafts. What it does on a project that it was
        not made on counts for more."""
        return self.measured if self.unseen is None else min(self.measured, _smoothed(*self.unseen))


def _smoothed(right: int, total: int) -> float:
    return round((right + 1) / (total + 2), 2)


class RuleModule(Protocol):
    """What a module in this folder offers."""

    RULES: tuple[Rule, ...]
    ORDER: int  # where its drafts come among those of a session

    def find(self, transcript: Transcript) -> list[Draft]:
        """What it finds in a session; of each draft, `rule` is one of the names above."""


REGISTRY: Registry[RuleModule] = Registry(__name__, requires=("RULES", "ORDER", "find"))


def modules() -> dict[str, RuleModule]:
    """The rules' modules by name, in the order of their drafts."""
    found = {name: module for name in REGISTRY.own() if (module := REGISTRY.find(name)) is not None}
    return dict(sorted(found.items(), key=lambda one: (one[1].ORDER, one[0])))


def declared() -> dict[str, Rule]:
    """Every rule by its name."""
    return {rule.name: rule for module in modules().values() for rule in module.RULES}


@lru_cache
def form_of(rule: str) -> str:
    """What an entry of this rule is like; plain also where `entries.rule` names a model, an agent or a person.

    A hook asks this, so only one file is looked at: that of the rule's name, or of what stands before its hyphen
    (`stated-en`), or before its second (`written-rules-asked`). A rule of another file is plain.
    """
    found = _declared(rule)
    return PLAIN if found is None else found.form


@lru_cache
def is_requested(rule: str) -> bool:
    """Whether a person asked for what an entry of this rule says to be written down; found as `form_of` finds it."""
    found = _declared(rule)
    return found is not None and found.is_requested


def _declared(rule: str) -> Rule | None:
    module = REGISTRY.find(rule) or REGISTRY.find(rule.partition("-")[0]) or REGISTRY.find(_file_of(rule))
    return next((one for one in module.RULES if one.name == rule), None) if module is not None else None


def _file_of(rule: str) -> str:
    """`written-rules-asked` is of `written_rules`."""
    return "_".join(rule.split("-")[:2])
