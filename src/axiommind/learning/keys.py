"""Keys of claims: derived from what they say, so that learning a session again makes the same ids."""

from __future__ import annotations

from axiommind.ids import dedupe_key
from axiommind.text.normal_form import fold, normalise

__all__ = ["canonical_key", "entry_id", "value_key"]

_KEY_CHARS = 200


def canonical_key(kind: str, project: str, title: str) -> str:
    """`task:{project}:{title}`, `cond:…`, `fact:…`. A long one is cut, and ends in a hash of the whole."""
    # A colon in the project's path must not be taken for the one after it.
    key = f"{kind}:{(project or 'default').replace(':', '%3A')}:{normalise(title)}"
    return key if len(key) <= _KEY_CHARS else f"{key[: _KEY_CHARS - 13]}-{dedupe_key(key)[:12]}"


def entry_id(session: str, entry_type: str, title: str) -> str:
    """The id of what a session says under a title."""
    return "ent_" + dedupe_key("entry", session, entry_type, normalise(title))[:16]


def value_key(entry_type: str, project: str, title: str, value: str) -> str:
    """What a claim says, whoever says it and in whichever session: a rejected one does not come back."""
    return dedupe_key("claim", canonical_key(entry_type, project, title), fold(value))
