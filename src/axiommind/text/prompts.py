"""A prompt in sentences: what the person typed of it, without code and without what was pasted beside it.

A long prompt is mostly a paste with a few own words before or after it: of such a one only the first paragraph counts,
and a short last one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from axiommind.text.patterns import lazy

__all__ = ["SENTENCE", "PromptSentence", "own_sentences", "sentences"]

SENTENCE = 240  # characters of the longest sentence that is read
_SHORT = 500  # characters, or
_FEW_LINES = 8  # lines of a prompt that is all the person's own
_OWN = 600  # characters of a paragraph beside a paste
_LAST_WORDS = 160  # characters of the words after a paste
_ENGLISH = 60  # characters of a sentence in English that was pasted into a prompt in another script
_MOST = 200_000
_FENCE = lazy(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_PASTED = lazy(
    r"\s*(?:[>$#|\[{<]|//|\*/|at\s+\S+\s*\(|at async\b|\d{2}:\d{2}|Implement the following plan|[❯➜●⎿└├│▐▝✗✓]"
    r"|(?:warning|error)(?:\[|:| )"
    r"|(?:[A-Z]\w*)?(?:Error|Exception|Warning)\b|npm |GET |POST )"
)
_BULLET = lazy(r"\s*(?:[-*•]|\d{1,2}[.)])\s+")
_END = lazy(r"[.!?]+(?=\s|$)|[。！？]+|\n+")
_BLANK = lazy(r"\n[ \t]*\n")


class PromptSentence(NamedTuple):
    text: str  # as it stands in the prompt
    asked: bool  # it ended in a question mark
    pasted: bool  # its line looks like output or code


def own_sentences(prompt: str) -> list[PromptSentence]:
    """The sentences that the person typed: neither code nor pasted lines."""
    prompt = prompt[:_MOST]
    stripped = prompt.strip()
    if len(stripped) <= _SHORT or (stripped.count("\n") < _FEW_LINES and len(stripped) <= 2 * _OWN):
        parts = [prompt]
    else:
        paragraphs = [part for part in _BLANK.split(_FENCE.sub("", prompt)) if part.strip()]
        parts = [part for part in paragraphs[:1] if len(part) <= _OWN and part.strip().count("\n") < _FEW_LINES]
        parts += [part for part in paragraphs[1:][-1:] if len(part) <= _LAST_WORDS and "\n" not in part.strip()]
    found = [one for part in parts for one in sentences(part) if not one.pasted]
    foreign = bool(found) and not found[0].text.isascii()
    return [one for one in found if not (foreign and one.text.isascii() and len(one.text) > _ENGLISH)]


def sentences(text: str) -> Iterator[PromptSentence]:
    """The sentences of a text as they stand in it; what stands in a fence is none."""
    masked = _FENCE.sub(lambda fence: "\n" * len(fence[0]), text)
    start = 0
    for end in [*_END.finditer(masked), None]:
        stop = end.start() if end else len(masked)
        line_start = masked.rfind("\n", 0, start) + 1
        part = masked[start:stop]
        asked = end is not None and any(mark in end[0] for mark in "?？")
        bullet = _BULLET.match(part)
        first = start + (bullet.end() if bullet else len(part) - len(part.lstrip()))
        if first < stop:
            yield PromptSentence(text[first:stop].rstrip(), asked, _PASTED.match(masked, line_start) is not None)
        start = end.end() if end else stop
