"""Drafts: what an extractor gives. A claim that is not yet believed, and the words that it quotes for it."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["KINDS", "SUPPORTS", "Draft", "DraftBlocker", "DraftStep", "Quote"]

# What an entry is to whoever will need it; its type says how it is checked, its kind what it is good for.
KINDS = {
    "preference": "how this person wants things done",
    "decision": "what was chosen, and why",
    "convention": "a rule of this project",
    "gotcha": "what goes wrong here, its cause and what mends it",
    "howto": "how something is run or done here",
    "domain": "how the system works",
    "open": "work that is left",
    "record": "what was done",
}

SUPPORTS = ("supported", "unsupported")


class Quote(NamedTuple):
    """Words that an extractor says were said, and in which message. Where exactly is found by code, never given."""

    message: int
    text: str


class DraftStep(NamedTuple):
    """A status that a task was said to have, in the order it was said."""

    status: str
    quotes: tuple[Quote, ...] = ()
    timestamp: int | None = None
    reason: str = ""  # why, where the status alone does not say it; fixed words, never anybody's own


class DraftBlocker(NamedTuple):
    """What a task waits for, in the words of whoever said it. `is_title`: it is the title of another task, known
    from a reference by number, and not just a text that may look like one."""

    text: str
    is_title: bool = False


class Draft(NamedTuple):
    """A claim as an extractor gives it."""

    type: str  # of ENTRY_TYPES
    title: str
    text: str  # the claim in full: a statement, what was decided, the insight, what a task is about, a note
    quotes: tuple[Quote, ...]
    rule: str  # what made it: the name of a rule, or of a model
    confidence: float = 0.0  # the measured precision of the rule, which is filled in for it, or what the model says
    rationale: str = ""  # of a decision: why
    target: str = ""  # of a reference: URL, commit, pull request
    key: str = ""  # what it is about, to be told from other claims by; the title, unless given
    value: str = ""  # what has to agree for two claims of the same key to be one; the text, unless given
    timestamp: int | None = None
    steps: tuple[DraftStep, ...] = ()  # of a task
    priority: str | None = None
    blocked_by: tuple[DraftBlocker, ...] = ()
    renamed_from: str = ""  # of a task: the title it had before, in this session
    file: str = ""  # of a task: where it is written down, if it is; then the file says how far it is
    kind: str = ""  # of KINDS
    retires: tuple[str, ...] = ()  # what it replaces, in the words it replaces them by: "Y" of "X instead of Y"
    supersedes: tuple[str, ...] = ()  # ids of known entries that it replaces
    anchors: tuple[str, ...] = ()  # files, symbols and commits that it speaks of, as they were written
    support: str = ""  # of SUPPORTS: whether its words bear it out, as somebody else was asked; empty: nobody was
    alternatives: tuple[str, ...] = ()  # of an answer: what was offered and not taken
    provenance: str = ""  # of PROVENANCES, where its words are less than what they are quoted beside
