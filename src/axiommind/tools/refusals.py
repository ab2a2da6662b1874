"""What a person wrote when refusing a call: the client's own words around it are no one's.

A client puts the refusal into the result of the call: its own sentence, and after it what the person said, if they said
anything. A refused plan without a reason is mostly no refusal at all: the person began anew with the plan as prompt.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from axiommind.text.patterns import lazy

__all__ = ["Refusal", "refusal_in"]

_REFUSED = lazy(
    r"\s*(?:The user doesn't want to (?:proceed with this tool use|take this action)"
    r"|Permission for this tool use was denied|User rejected tool use)"
)
_SAID = lazy(r"\b(?:the|The) user said:\s*")
# Put there by the client, after what the person said or in its place.
_NOTE = lazy(r"\s*\n\nNote: The user's next message may contain\b.*\Z", re.DOTALL)
_CLIENTS = (
    "The user wants to clarify these questions.",
    "The user has indicated they have provided enough answers",
    "The user wants to discuss this",
)
_HEAD = 600  # characters within which the client says what happened


class Refusal(NamedTuple):
    """A call that the person refused; `reason` is what they wrote, and stands at `start` to `end` of the result."""

    reason: str
    start: int
    end: int


def refusal_in(result: str) -> Refusal | None:
    """The refusal that the result of a failed call is; None where it is none. Without a reason, `reason` is empty."""
    if not _REFUSED.match(result):
        return None
    said = _SAID.search(result, 0, _HEAD)
    if said is None:
        return Refusal("", 0, 0)
    note = _NOTE.search(result, said.end())
    reason = result[said.end() : note.start() if note else len(result)].rstrip()
    if not reason or reason.startswith(_CLIENTS):
        return Refusal("", 0, 0)
    return Refusal(reason, said.end(), said.end() + len(reason))
