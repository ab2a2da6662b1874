"""What travels through the pipeline: quotes, drafts of entries, and the events that are about to be written."""

from __future__ import annotations

import unicodedata
from typing import Any, NamedTuple

from axiommind.ids import dedupe_key
from axiommind.model import Span

__all__ = [
    "ENTRY_TYPES",
    "PRIORITIES",
    "STAGES",
    "STATUSES",
    "TASK_STATUSES",
    "Blocker",
    "Candidate",
    "Draft",
    "Emit",
    "Quote",
    "Step",
    "canonical_key",
    "entry_id",
    "fold",
    "normalise",
    "value_key",
]

ENTRY_TYPES = ("fact", "decision", "insight", "task_note", "reference")
STAGES = ("raw", "working", "candidate", "verified", "certified")
STATUSES = ("active", "contested", "deprecated", "superseded")
TASK_STATUSES = ("pending", "in_progress", "blocked", "done", "cancelled")
PRIORITIES = ("critical", "high", "medium", "low")

_KEY_CHARS = 200
_QUOTES = dict.fromkeys(map(ord, "'\"`‘’“”„«»「」『』"))


class Quote(NamedTuple):
    """Words that an extractor says were said, and in which message. Where exactly is found by code, never given."""

    message: int
    text: str


class Step(NamedTuple):
    """A status that a task was said to have, in the order it was said."""

    status: str
    quotes: tuple[Quote, ...] = ()
    timestamp: int | None = None


class Blocker(NamedTuple):
    """What a task waits for, in the words of whoever said it. `is_title`: it is the title of another task, known
    from a reference by number, and not just a text that may look like one."""

    text: str
    is_title: bool = False


class Draft(NamedTuple):
    """A claim as an extractor gives it: not yet believed."""

    type: str  # of ENTRY_TYPES
    title: str
    text: str  # the claim in full: a statement, what was decided, the insight, what a task is about, a note
    quotes: tuple[Quote, ...]
    rule: str  # what made it: the name of a rule, or of a model
    confidence: float  # the measured precision of the rule, or what the model says
    rationale: str = ""  # of a decision: why
    target: str = ""  # of a reference: URL, commit, pull request
    key: str = ""  # what it is about, to be told from other claims by; the title, unless given
    value: str = ""  # what has to agree for two claims of the same key to be one; the text, unless given
    timestamp: int | None = None
    steps: tuple[Step, ...] = ()  # of a task
    priority: str | None = None
    blocked_by: tuple[Blocker, ...] = ()
    renamed_from: str = ""  # of a task: the title it had before, in this session


class Candidate(NamedTuple):
    """What a checker is given of an entry: the claim, and the spans that its quotes were found at."""

    entry_id: str
    type: str
    title: str
    text: str
    rationale: str = ""
    target: str = ""
    spans: tuple[Span, ...] = ()
    status: str = ""  # of a task, as this entry leaves it
    priority: str = ""
    blockers: tuple[str, ...] = ()  # ids of what it waits for, as this entry leaves it


class Emit(NamedTuple):
    """An event that is about to be appended. `text` goes into a blob, and `payload` gets its name as `blob`."""

    event_type: str
    payload: dict[str, Any]
    key: tuple[str | int, ...]  # its dedupe key's parts, the event type apart
    text: str | None = None
    happened_at: int | None = None


def normalise(title: str) -> str:
    """A title as keys compare it: NFKC, lower case, without quotes, brackets as blanks, every letter and digit of
    every script kept, and `:` `+` `-`, and the `#` of C#. What has none of these (only emoji) stays as it is."""
    folded = _alike(title).translate(_QUOTES)
    kept = "".join(
        c if c in ":+-" or unicodedata.category(c)[0] in "LNM" or (c == "#" and folded[i - 1 : i].isalpha()) else " "
        for i, c in enumerate(folded)
    )
    kept = " ".join(kept.split())
    return kept if any(c.isalnum() for c in kept) else " ".join(folded.split())


def fold(value: str) -> str:
    """A value as claims compare it: blanks and case made alike, every sign kept: `50%` is not `50`."""
    return " ".join(_alike(value).split()).rstrip(".。")


def _alike(text: str) -> str:
    # Folding can undo a composition (ῧ), so that what is alike comes out alike only after the second time.
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def canonical_key(kind: str, project: str, title: str) -> str:
    """`task:{project}:{title}`, `cond:…`, `fact:…`. A long one is cut, and ends in a hash of the whole."""
    # A colon in the project's path must not be taken for the one after it.
    key = f"{kind}:{(project or 'default').replace(':', '%3A')}:{normalise(title)}"
    return key if len(key) <= _KEY_CHARS else f"{key[: _KEY_CHARS - 13]}-{dedupe_key(key)[:12]}"


def entry_id(session: str, entry_type: str, title: str) -> str:
    """Derived, so that learning a session again makes the same ids."""
    return "ent_" + dedupe_key("entry", session, entry_type, normalise(title))[:16]


def value_key(entry_type: str, project: str, title: str, value: str) -> str:
    """What a claim says, whoever says it and in whichever session: a rejected one does not come back."""
    return dedupe_key("claim", canonical_key(entry_type, project, title), fold(value))
