"""Alignment: where the words of a quote are. Done by code, never by a model.

In the message that the extractor named: exactly, then ignoring whitespace and case, then approximately (rapidfuzz);
then the same in the other messages. A place is always one in the original text, even when it was found in a
normalised one: every normalised character knows where it came from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from axiommind.extraction.drafts import Quote

__all__ = ["EXACT", "FUZZY", "NORMALISED", "Aligner", "QuoteMatch", "QuoteMiss", "quote_hash"]

EXACT = 1.0
NORMALISED = 0.95
FUZZY = 0.85  # the least; the confidence of an approximate match is its similarity
# Shorter quotes match too easily, and one much longer than a message is not from it.
_FUZZY_CHARS = 10
_FUZZY_SHARE = 0.8
# Something was cut out where a run of whitespace is this long: no quote spans it.
_GAP = 30
_BARRIER = "\x00"
# Comparing a quote approximately takes time in proportion to the text: so many characters are compared for all quotes
# of a session together, and after that only the message that was named.
_FUZZY_WORK = 50_000_000


class QuoteMatch(NamedTuple):
    message: int
    start: int
    end: int
    confidence: float
    method: str  # exact, normalised, fuzzy


class QuoteMiss(NamedTuple):
    reason: str  # empty_quote, invalid_index, not_found


class _Normal(NamedTuple):
    """A text without differences of whitespace and case, and for each of its characters the place it came from."""

    text: str
    places: list[int]


def quote_hash(text: str) -> str:
    """Names the words at a span without repeating them."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Aligner:
    """Finds quotes in the messages of one session; each message is normalised once, when first needed."""

    def __init__(self, messages: Sequence[str]) -> None:
        self._messages = messages
        self._normal: dict[int, _Normal] = {}
        self._work = 0

    def find(self, quote: Quote) -> QuoteMatch | QuoteMiss:
        text = quote.text.replace(_BARRIER, "")
        if not text.strip():
            return QuoteMiss("empty_quote")
        known = 0 <= quote.message < len(self._messages)
        named = [quote.message] if known else []
        others = [i for i in range(len(self._messages)) if i != quote.message]
        for places in (named, others):
            found = self._exactly(text, places) or self._normalised(text, places)
            if found is None and (places is named or self._affordable(places)):
                found = self._roughly(text, places)
            if found is not None:
                return found
        return QuoteMiss("not_found" if known else "invalid_index")

    def _exactly(self, text: str, places: Sequence[int]) -> QuoteMatch | None:
        for i in places:
            start = self._messages[i].find(text)
            if start >= 0:
                return QuoteMatch(i, start, start + len(text), EXACT, "exact")
        return None

    def _normalised(self, text: str, places: Sequence[int]) -> QuoteMatch | None:
        wanted = _normal(text).text.strip(" ")
        if not wanted.strip(_BARRIER + " "):
            return None
        for i in places:
            normal = self._normal_of(i)
            start = normal.text.find(wanted)
            if start >= 0:
                return _back(i, normal, start, start + len(wanted), NORMALISED, "normalised")
        return None

    def _roughly(self, text: str, places: Sequence[int]) -> QuoteMatch | None:
        from rapidfuzz import fuzz

        wanted = _normal(text).text.strip(" ")
        if len(wanted) < _FUZZY_CHARS:
            return None
        best: QuoteMatch | None = None
        for i in places:
            normal = self._normal_of(i)
            if len(normal.text) < _FUZZY_SHARE * len(wanted):
                continue
            least = 100 * (FUZZY if best is None else best.confidence)
            found = fuzz.partial_ratio_alignment(wanted, normal.text, score_cutoff=least)
            if found is None or found.dest_start >= found.dest_end:
                continue
            start, end = _without_blanks(normal.text, found.dest_start, found.dest_end)
            if _BARRIER in normal.text[start:end] and _BARRIER not in wanted:
                continue
            sure = min(found.score / 100, NORMALISED)
            if best is None or sure > best.confidence:
                best = _back(i, normal, start, end, sure, "fuzzy")
        return best

    def _affordable(self, places: Sequence[int]) -> bool:
        self._work += sum(len(self._messages[i]) for i in places)
        return self._work <= _FUZZY_WORK

    def _normal_of(self, i: int) -> _Normal:
        found = self._normal.get(i)
        if found is None:
            found = self._normal[i] = _normal(self._messages[i])
        return found


def _normal(text: str) -> _Normal:
    out: list[str] = []
    places: list[int] = []
    blanks = 0
    for i, char in enumerate(text):
        if char.isspace():
            blanks += 1
            if blanks == 1:
                out.append(" ")
                places.append(i)
            elif blanks == _GAP:
                out[-1] = _BARRIER
            continue
        blanks = 0
        for folded in char.casefold():
            out.append(folded)
            places.append(i)
    return _Normal("".join(out), places)


def _without_blanks(text: str, start: int, end: int) -> tuple[int, int]:
    """An approximate match may begin or end in whitespace, which nobody quoted."""
    while start < end - 1 and text[start] in " \x00":
        start += 1
    while end > start + 1 and text[end - 1] in " \x00":
        end -= 1
    return start, end


def _back(message: int, normal: _Normal, start: int, end: int, confidence: float, method: str) -> QuoteMatch:
    return QuoteMatch(message, normal.places[start], normal.places[end - 1] + 1, round(confidence, 4), method)
