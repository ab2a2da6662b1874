"""The person's own prompts of a session, for the rules that read them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from axiommind.projections.transcript import Transcript

__all__ = ["own_prompts"]

# In a session of a team mate's, of a headless client, and of a source that does not say.
_OWN = ("person", "teammate", "elsewhere")
_ALIKE = 0.6  # of the character pairs of the shorter of two prompts
_PLAN = "Implement the following plan"  # an approved plan, which the client wrote as a prompt


def own_prompts(transcript: Transcript) -> Iterator[int]:
    """The messages that a person typed in this session. One that was typed anew at once counts as it was typed last;
    what another agent wrote for a subagent, and what was pasted, is nobody's own."""
    if transcript.subagent:
        return
    typed = [
        n
        for n, message in enumerate(transcript.messages)
        if message.role == "person" and message.provenance in _OWN and message.text.strip()
    ]
    for place, n in enumerate(typed):
        message = transcript.messages[n]
        if message.copied or message.text.lstrip().startswith(_PLAN):
            continue
        after = typed[place + 1] if place + 1 < len(typed) else None
        if after is None or not _typed_anew(message.text, transcript.messages[after].text):
            yield n


def _typed_anew(text: str, again: str) -> bool:
    one, other = _pairs(text), _pairs(again)
    shorter = min(len(one), len(other))
    return shorter >= 8 and len(one & other) >= _ALIKE * len(one | other)


def _pairs(text: str) -> set[str]:
    bare = "".join(text[:2_000].casefold().split())
    return {bare[i : i + 2] for i in range(len(bare) - 1)}
