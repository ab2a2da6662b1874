"""Snippets: the part of a text that matches, and the positions of the query's words in it.

Cut from the original text, never from what the index holds. Offsets are code points of the snippet.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from functools import cache
from operator import add
from typing import NamedTuple
from unicodedata import normalize

from axiommind.text.query_terms import Clause
from axiommind.text.summary import SUMMARY_CHARS, on_one_line, preview, sentences
from axiommind.text.tokens import terms, word_terms

__all__ = ["Snippet", "best_start", "cut", "marks", "telling"]

SNIPPET_CHARS = 220
# Characters of a text that are searched for the best part: of a longer text, the first so many that hold a match.
_LOOKED_AT = 8_000
_WORD = re.compile(r"[0-9A-Za-z_]+")
_ACCENTED = "\u00c0-\u024f\u0300-\u036f\u1e00-\u1eff"


@cache
def _foreign() -> re.Pattern[str]:
    """Words of other scripts, and accented ones. Compiled when first needed: English must not pay for it."""
    return re.compile(rf"[0-9A-Za-z_]*[{_ACCENTED}][0-9A-Za-z_{_ACCENTED}]*|[^\W\x00-\x7f]+")


# Where ranges of scripts without spaces begin and, each after its beginning, where they are over.
_UNSPACED = (
    "\u0e00\u0f00\u1000\u1200\u1780\u1800\u3005\u3100\u3105\u318f\u3400\ua000\ua960\ua980\uac00\ud800\uf900\ufb00"
    "\U00020000\U000323b0"
)


def _is_unspaced(char: str) -> bool:
    return bisect(_UNSPACED, char) % 2 == 1


class Snippet(NamedTuple):
    text: str
    marks: tuple[tuple[int, int], ...]


def cut(text: str, clauses: Sequence[Clause], limit: int = SNIPPET_CHARS) -> Snippet:
    """The stretch with the most different words of the query, on one line."""
    text, found, is_first, is_last = _first_with_marks(text, clauses, limit)
    if len(text) <= limit and is_first:
        return Snippet(text, found)
    start = best_start(text, found, limit)
    end = min(start + limit - (start > 0) - 1, len(text))
    if is_last and 0 < start == len(text) - limit:  # to the end: what was asked for may be the last word
        start, end = start + 1, len(text)
    if start and (blank := text.find(" ", start, start + 20)) >= 0:
        start = blank + 1
    if end < len(text) and (blank := text.rfind(" ", end - 20, end)) > start:
        end = blank
    is_begun = start > 0 or not is_first
    shift = start - is_begun
    piece = ("…" if is_begun else "") + text[start:end] + ("…" if end < len(text) else "")
    inside = [(max(a, start) - shift, min(b, end) - shift) for a, b in found if a < end and b > start]
    return Snippet(piece, tuple(inside))


def _first_with_marks(
    text: str, clauses: Sequence[Clause], limit: int
) -> tuple[str, tuple[tuple[int, int], ...], bool, bool]:
    """The first part of a text that holds a match, on one line, the marks in it, whether it begins the text and whether
    it ends it. Parts overlap by a snippet, so that a match where they meet is seen whole."""
    for start in range(0, max(len(text) - limit, 1), _LOOKED_AT - limit):
        part = on_one_line(text[start : start + _LOOKED_AT])
        if found := marks(part, clauses):
            return part, found, start == 0, start + _LOOKED_AT >= len(text)
    return on_one_line(text[:_LOOKED_AT]), (), True, len(text) <= _LOOKED_AT


def best_start(text: str, found: Sequence[tuple[int, int]], limit: int) -> int:
    """Where the first window of `limit` characters begins that shows the most different marked words."""
    if not found:
        return 0
    room = limit * 3 // 4
    best, best_at = 0, 0
    for i, (start, _) in enumerate(found):
        inside = {text[a:b].casefold() for a, b in found[i : i + 64] if b <= start + room}
        if len(inside) > best:
            best, best_at = len(inside), start
    lead = min(best_at, limit // 5)
    return max(min(best_at - lead, len(text) - limit), 0)


def telling(snippet: Snippet, summary: str) -> str:
    """The summary of a text, unless another sentence of its snippet has more of the words that were asked for."""

    def words(start: int, end: int) -> set[str]:
        return {snippet.text[a:b].casefold() for a, b in snippet.marks if start <= a < end}

    said = summary.casefold()
    best, most = summary, sum(word in said for word in words(0, len(snippet.text)))
    for start, end in sentences(snippet.text):
        count = len(words(start, end))
        if count > most:
            best, most = preview(snippet.text[start:end], SUMMARY_CHARS), count
    return best


def marks(text: str, clauses: Sequence[Clause]) -> tuple[tuple[int, int], ...]:
    """The positions of words that one of the clauses asks for; neighbours in one run are one mark."""
    wanted = {term for clause in clauses for term in clause.terms}
    begins = tuple(clause.terms[-1] for clause in clauses if clause.prefix)
    hits = [*_words(text, wanted)]
    if not text.isascii():
        hits = sorted({*hits, *_runs(text, wanted, begins)})
    found: list[tuple[int, int]] = []
    for start, end in hits:
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


def _words(text: str, wanted: set[str]) -> Iterator[tuple[int, int]]:
    """Few of the distinct words are wanted, so those few are searched for instead of checking each word."""
    distinct = {word for word in _WORD.findall(text) if not wanted.isdisjoint(word_terms(word))}
    if distinct:
        longest_first = sorted(distinct, key=lambda word: (-len(word), word))
        pattern = re.compile(f"(?<![0-9A-Za-z_])(?:{'|'.join(map(re.escape, longest_first))})(?![0-9A-Za-z_])")
        yield from (match.span() for match in pattern.finditer(text))


def _runs(text: str, wanted: set[str], begins: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Words of other scripts; a run without spaces pair by pair, so that only what was asked for is marked."""
    for match in _foreign().finditer(text):
        word, start = match.group(), match.start()
        if not any(map(_is_unspaced, word)):
            if not wanted.isdisjoint(terms(word)):
                yield match.span()
            continue
        folded = normalize("NFKC", word)
        folded = folded if len(folded) == len(word) else word  # another length: only literal matches are found
        for i, pair in enumerate(map(add, folded, folded[1:])):
            if pair in wanted:
                yield start + i, start + i + 2
        if begins:
            yield from ((start + i, start + i + 1) for i, char in enumerate(folded) if char in begins)
