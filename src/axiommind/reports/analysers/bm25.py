"""BM25 over keyword sets: how well the words of a query are met by the best document.

A document is a set of content words, so a term occurs in it once or not at all. Every matched term of one document
then weighs the same function of its length, so the score is that times the sum of the idfs; a document is looked at
once, by the rarest of its matched words, and words that no better document can come from are not followed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log

from axiommind.reports.analysers.tuning import Tuning


class Corpus:
    """Documents as they were said (repeats weigh in the idf) with one posting per distinct document."""

    def __init__(self, documents: Iterable[Sequence[str]], tuning: Tuning | None = None) -> None:
        tuning = tuning or Tuning()
        said = Counter(frozenset(words) for words in documents)
        self._size = said.total()
        mean = sum(len(words) * n for words, n in said.items()) / max(1, self._size)
        self._documents = list(said)
        self._holding: Counter[str] = Counter()
        self._postings: dict[str, list[int]] = {}
        for i, (words, n) in enumerate(said.items()):
            for word in words:
                self._holding[word] += n
                self._postings.setdefault(word, []).append(i)
        k1, b = tuning.bm25_k1, tuning.bm25_b
        self._weights = {
            length: (k1 + 1) / (1 + k1 * (1 - b + b * length / mean)) for length in map(len, said) if length
        }

    def idf(self, word: str) -> float:
        holding = self._holding[word]
        return log((self._size - holding + 0.5) / (holding + 0.5) + 1)

    def score(self, query: Iterable[str]) -> float:
        """The score of the best document."""
        # Rarest first, and in one order whatever the query's: sums of floats depend on it.
        idfs = sorted(((self.idf(word), word) for word in set(query) if word in self._postings), reverse=True)
        most = max(self._weights.values(), default=0.0)
        left = sum(idf for idf, _ in idfs)
        best = 0.0
        seen: set[int] = set()
        for idf, word in idfs:
            if best >= left * most:  # all that a document without the words so far could reach
                break
            for i in self._postings[word]:
                if i not in seen:
                    seen.add(i)
                    document = self._documents[i]
                    met = sum(idf for idf, word in idfs if word in document)
                    best = max(best, met * self._weights[len(document)])
            left -= idf
        return best
