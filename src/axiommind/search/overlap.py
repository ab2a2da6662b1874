"""Near-duplicates by meaning: whether two passages say the same in other words, by the vectors kept of them.

A model does not see everything: numbers, names that it does not know and a "not" hardly move a vector. Passages that
differ in one of those are two, however near they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from operator import mul
from typing import TYPE_CHECKING

from axiommind.search.rank import Alike, Scored
from axiommind.text.stop_words import STOP_WORDS
from axiommind.text.tokens import fts_text
from axiommind.vectors.contract import PASSAGES, Vector

if TYPE_CHECKING:
    from axiommind.search.semantic import Meaning

__all__ = ["KINDS", "SAME_MEANING", "alike"]

# Two texts say the same when each part of the one is as near as this to that of the other. Set by reading what folds in
# 131 real sessions: from 0.97 on that is "commit" and "commit this", or "Now run tests and lint" and "Now let me run
# the tests and lint."; at 0.95 what is committed and what is pushed as well fold, at 0.92 what is committed and what
# goes into the changelog. Of the answers above 0.97 most differ in a number: "All 1274 tests pass", "All 1309 …".
SAME_MEANING = 0.97
# Of tool calls those on different files are as near as 0.98, and each entry was ruled on for itself.
KINDS = ("prompt", "response", "doc", "pad")
_NEGATIONS = "no not never none nothing without cannot cant dont doesnt didnt isnt arent wasnt werent wont wouldnt"
_NEGATIONS += " shouldnt couldnt hasnt havent hadnt mustnt"


def alike(meaning: Meaning, scored: Sequence[Scored]) -> Alike:
    """Whether two of these passages mean the same. Their vectors are read once, and only if that is asked."""
    known: dict[str, list[Vector]] | None = None

    def same(one: Scored, other: Scored, apart: frozenset[str]) -> bool:
        nonlocal known
        if one.passage.kind != other.passage.kind or one.passage.kind not in KINDS:
            return False
        if [bool(gave) for gave in one.words] != [bool(gave) for gave in other.words]:
            return False  # only one of them has a word that was asked for
        if known is None:
            keys = [str(s.passage.id) for s in scored if s.passage.kind in KINDS]
            known = meaning.store.vectors(PASSAGES, meaning.version, keys)
        left, right = known.get(str(one.passage.id), []), known.get(str(other.passage.id), [])
        if not left or len(left) != len(right):
            return False
        near = all(sum(map(mul, a, b)) >= SAME_MEANING for a, b in zip(left, right, strict=True))
        return near and all(_is_seen(meaning, term) for term in apart)

    return same


def _is_seen(meaning: Meaning, term: str) -> bool:
    """Whether a vector would show the term, if it mattered."""
    negations, empty = _little_words()
    if term in negations or any(map(str.isdigit, term)):
        return False
    # Larger models read names by their letters, and a server is not asked for every word.
    return term in empty or not meaning.embedder.warm or any(meaning.embedder.embed_query(term))


@lru_cache(maxsize=1)
def _little_words() -> tuple[frozenset[str], frozenset[str]]:
    """Negations and stop words, both as the index has them."""
    negations = frozenset(fts_text(_NEGATIONS).split())
    return negations, frozenset(fts_text(" ".join(STOP_WORDS)).split()) - negations
