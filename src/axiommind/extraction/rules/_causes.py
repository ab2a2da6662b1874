"""Diagnoses: the sentence in which an agent says why something failed, next to the failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.extraction.drafts import Quote
from axiommind.text.explanations import naming_words, stated_in

if TYPE_CHECKING:
    from axiommind.projections.transcript import ToolCall, Transcript

__all__ = ["diagnosis"]

_NEXT = 12  # messages after a failure in which it is explained


def diagnosis(transcript: Transcript, failed: ToolCall, about: str) -> Quote | None:
    """What the agent says about a failure before it goes on to something else; None when it says nothing plain of it.

    `about` is what failed and how: a diagnosis gives a reason, or speaks of something that is named there.
    """
    words = naming_words(about)
    after = failed.results[-1]
    for at in range(after + 1, min(len(transcript.messages), after + 1 + _NEXT)):
        one = transcript.messages[at]
        if one.role in ("person", "call"):
            return None
        if one.role == "assistant":
            said = stated_in(one.text, words)
            return Quote(at, said) if said else None
    return None
