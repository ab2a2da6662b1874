"""BM25 over keyword sets: how well the words of a query are met by the best document.

A document is a set of content words, so a term occurs in it once or not at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log

K1 = 1.5
B = 0.75


class Corpus:
    """Documents as they were said (repeats weigh in the idf) with one posting per distinct document."""

    def __init__(self, documents: Iterable[Sequence[str]]) -> None:
        said = Counter(tuple(sorted(set(words))) for words in documents)
        self._size = said.total()
        self._mean = sum(len(words) * n for words, n in said.items()) / max(1, self._size)
        self._lengths = [len(words) for words in said]
        self._holding: Counter[str] = Counter()
        self._postings: dict[str, list[int]] = {}
        for i, (words, n) in enumerate(said.items()):
            for word in words:
                self._holding[word] += n
                self._postings.setdefault(word, []).append(i)

    def idf(self, word: str) -> float:
        holding = self._holding[word]
        return log((self._size - holding + 0.5) / (holding + 0.5) + 1)

    def score(self, query: Iterable[str]) -> float:
        """The score of the best document."""
        scores: dict[int, float] = {}
        for word in sorted(set(query)):
            idf = self.idf(word)
            for i in self._postings.get(word, ()):
                norm = K1 * (1 - B + B * self._lengths[i] / self._mean)
                scores[i] = scores.get(i, 0.0) + idf * (K1 + 1) / (1 + norm)
        return max(scores.values(), default=0.0)
