"""A prompt as several queries: its words, its clauses, its rarest words, the things it names.

There is no tagger here, so nouns are what remains of the content words without the verbs that prompts begin with
(`fix`, `update`) and without words that end as English verbs and adverbs do. Words of other scripts stay: the
tokeniser has already cut particles from them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from axiommind.reports.analysers.bm25 import Corpus
from axiommind.reports.analysers.depth import Combine, Depth
from axiommind.reports.analysers.stopwords import NO_MORE, StopWords
from axiommind.reports.analysers.tuning import Tuning

CLAUSE = re.compile(r"[.!?。！？\n]+|\s(?:그리고|그런데|하지만|또한|and|but|also)\s", re.IGNORECASE)
_VERBS = """
add allow analyse analyze apply ask avoid begin build call change check clean commit compare configure continue convert
copy create debug delete deploy describe do document draft edit enable ensure explain explore extend extract find fix
follow generate go handle help implement import improve include install investigate keep know look make merge move need
open optimise optimize plan prepare print proceed publish push put read refactor remove rename replace rerun review
rewrite run save search see send set show simplify start stop summarise summarize take tell test think try turn
understand update upgrade use verify want work write
"""
VERBS = frozenset(_VERBS.split())
ENDINGS = ("ing", "ed", "ly")


def nouns(words: Iterable[str]) -> list[str]:
    """The words that name things, in their order."""
    return [word for word in words if word not in VERBS and not (word.isascii() and word.endswith(ENDINGS))]


def decompose(corpus: Corpus, text: str, depth: Depth, stop: StopWords = NO_MORE) -> list[list[str]]:
    """The whole text as content words, its clauses if it is long, its rarest words, its nouns; each query once."""
    distinct: dict[tuple[str, ...], list[str]] = {}
    for query in _queries(corpus, text, depth, stop):
        if query:
            distinct.setdefault(tuple(sorted(query)), query)
        if len(distinct) == depth.most_queries:  # a long prompt has hundreds of clauses
            break
    return list(distinct.values())


def _queries(corpus: Corpus, text: str, depth: Depth, stop: StopWords) -> Iterator[list[str]]:
    whole = stop.words(text)
    yield whole
    if len(whole) >= depth.split_from_words:
        yield from (stop.words(clause) for clause in CLAUSE.split(text) if clause and clause.strip())
    yield sorted(whole, key=lambda word: (-corpus.idf(word), word))[: depth.rare_words]
    if depth.nouns:
        yield nouns(whole)


def combine(scores: Sequence[float], how: Combine, tuning: Tuning) -> float:
    """One score of several; the first query weighs most where they are weighed."""
    if how is Combine.MAX or not scores:
        return max(scores, default=0.0)
    fall = tuning.multi_query_decay if how is Combine.WEIGHTED else 1.0
    weights = [fall**i for i in range(len(scores))]
    return sum(s * w for s, w in zip(scores, weights, strict=True)) / sum(weights)


def meet(corpus: Corpus, text: str, depth: Depth, tuning: Tuning, stop: StopWords = NO_MORE) -> float:
    """How well the corpus meets what a text asks for."""
    return combine([corpus.score(query) for query in decompose(corpus, text, depth, stop)], depth.combine, tuning)
