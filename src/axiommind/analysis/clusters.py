"""Clusters of prompts that ask for the same thing in other words.

Prompts are grouped by their text without case, spacing and shared endings; the largest groups then take in
those that resemble them by their character bigrams. Each cluster gets a BM25 score of how well the corpus
meets its words, and a confidence from its share of all meaningful prompts, the regularity of its intervals
and that score. Ages are measured from the newest prompt, not from the clock, so the same data gives the
same answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from math import exp, sqrt
from typing import NamedTuple

from axiommind.analysis.bm25 import Corpus
from axiommind.analysis.suffixes import mine, strip
from axiommind.text.tokens import keywords

LEAST_CHARS = 5
CONTINUED = "session is being continued"
MOST_GROUPS = 500
EXACT_BELOW = 4  # characters; a shorter text merges with nothing
EXACT_ABOVE = 300  # nor a longer one: two long texts of one language share most bigrams whatever they say
EXAMPLES = 5
QUERY_DECAY = 0.6
SIGMOID_K = 5.0
HALF_LIFE_MS = 14 * 86_400_000

CLAUSE = re.compile(r"[.!?。！？\n]+|\s(?:그리고|그런데|하지만|또한|and|but|also)\s", re.IGNORECASE)


class Combine(Enum):
    MAX = "max"
    WEIGHTED = "weighted"
    MEAN = "mean"


@dataclass(frozen=True, slots=True)
class Depth:
    """How far to look: when to cut a text into clauses, how many queries to make, what still resembles."""

    split_from_words: int
    rare_words: int
    most_queries: int
    similarity: float
    combine: Combine


DEPTHS = {
    "narrow": Depth(12, 3, 2, 0.8, Combine.MAX),
    "normal": Depth(8, 5, 4, 0.7, Combine.WEIGHTED),
    "wide": Depth(5, 8, 8, 0.5, Combine.MEAN),
}


class Prompt(NamedTuple):
    text: str
    at: int
    session: str


@dataclass(frozen=True, slots=True)
class Cluster:
    pattern: str
    normalized: str
    count: int
    weighted_count: float
    sessions: int
    bm25_score: float
    confidence: float
    last_at: int
    examples: list[str]


class _Group(NamedTuple):
    normalized: str
    prompts: list[Prompt]


def normalise(text: str) -> str:
    """A text without its case and spacing."""
    return " ".join(text.casefold().split())


def clusters(prompts: Iterable[Prompt], depth: Depth, at_least: int, decay: bool = False) -> list[Cluster]:
    """Clusters of at least so many prompts, largest first; with decay by the weight of their recency."""
    ordered = sorted(prompts, key=lambda p: (p.at, p.session, p.text))
    words = {text: keywords(text) for text in dict.fromkeys(p.text for p in ordered) if _may_mean(text)}
    meaningful = [p for p in ordered if words.get(p.text)]
    if not meaningful:
        return []
    merged = [c for c in _merge(_group(meaningful), depth.similarity) if _size(c) >= max(1, at_least)]
    corpus = Corpus(words[p.text] for p in meaningful)
    now = meaningful[-1].at
    found = [_describe(groups, len(meaningful), corpus, depth, now if decay else None) for groups in merged]
    return sorted(found, key=lambda c: (-c.weighted_count, -c.count, -c.confidence, c.normalized))


def _may_mean(text: str) -> bool:
    stripped = text.strip()
    return len(stripped) >= LEAST_CHARS and stripped[0] != "<" and CONTINUED not in stripped[:200].lower()


def _group(prompts: Sequence[Prompt]) -> list[_Group]:
    """Prompts of one normalised text together; the largest groups, largest first."""
    texts = {text: normalise(text) for text in {p.text for p in prompts}}
    endings = mine(texts.values())
    groups: dict[str, list[Prompt]] = {}
    for prompt in prompts:
        groups.setdefault(strip(texts[prompt.text], endings), []).append(prompt)
    largest = sorted(groups.items(), key=lambda g: (-len(g[1]), g[0]))[:MOST_GROUPS]
    return [_Group(*group) for group in largest]


def _merge(groups: Sequence[_Group], similarity: float) -> list[list[_Group]]:
    """Each group joins the leader it resembles most, or leads; leaders are met through shared bigrams."""
    merged: list[list[_Group]] = []
    sizes: list[int] = []
    leading: dict[str, list[int]] = {}
    for group in groups:
        text = group.normalized
        bigrams = {text[i : i + 2] for i in range(len(text) - 1)} if EXACT_BELOW <= len(text) <= EXACT_ABOVE else set()
        shared = Counter(i for bigram in bigrams for i in leading.get(bigram, ()))
        alike, leader = max(((n / (len(bigrams) + sizes[i] - n), -i) for i, n in shared.items()), default=(0.0, 0))
        if alike >= similarity:
            merged[-leader].append(group)
            continue
        for bigram in bigrams:
            leading.setdefault(bigram, []).append(len(merged))
        sizes.append(len(bigrams))
        merged.append([group])
    return merged


def _size(groups: Sequence[_Group]) -> int:
    return sum(len(group.prompts) for group in groups)


def _describe(groups: Sequence[_Group], meaningful: int, corpus: Corpus, depth: Depth, now: int | None) -> Cluster:
    members = sorted((p for group in groups for p in group.prompts), key=lambda p: (p.at, p.session, p.text))
    times = [p.at for p in members if p.at > 0]
    share = len(members) / meaningful
    said = Counter(p.text for p in groups[0].prompts).most_common(1)[0][0]  # the first of equals
    score = _meet(corpus, said, depth)
    met = 1 / (1 + exp(-score / SIGMOID_K))
    if now is None:
        weight = float(len(members))
        confidence = 0.40 * share + 0.20 * _regularity(times) + 0.40 * met
    else:
        weight = sum(_recency(at, now) for at in times)
        recent = _recency(max(times), now) if times else 0.0
        confidence = 0.30 * share + 0.15 * _regularity(times) + 0.35 * met + 0.20 * recent
    return Cluster(
        pattern=" ".join(said.split()),
        normalized=groups[0].normalized,
        count=len(members),
        weighted_count=weight,
        sessions=len({p.session for p in members}),
        bm25_score=score,
        confidence=confidence,
        last_at=members[-1].at,
        examples=list(dict.fromkeys(p.text for p in members))[:EXAMPLES],
    )


def _recency(at: int, now: int) -> float:
    return float(0.5 ** (max(0, now - at) / HALF_LIFE_MS))


def _regularity(times: Sequence[int]) -> float:
    """1 / (1 + coefficient of variation) of the intervals; two intervals at least, or nothing is known."""
    gaps = [later - earlier for earlier, later in pairwise(times)]
    mean = sum(gaps) / len(gaps) if len(gaps) > 1 else 0.0
    if mean == 0:
        return 0.0
    deviation = sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps))
    return 1 / (1 + deviation / mean)


def _meet(corpus: Corpus, text: str, depth: Depth) -> float:
    """The scores of the queries made of a text, combined as the depth says."""
    scores = [corpus.score(query) for query in decompose(corpus, text, depth)]
    if depth.combine is Combine.MAX:
        return max(scores, default=0.0)
    fall = QUERY_DECAY if depth.combine is Combine.WEIGHTED else 1.0
    weights = [fall**i for i in range(len(scores))]
    return sum(s * w for s, w in zip(scores, weights, strict=True)) / sum(weights)


def decompose(corpus: Corpus, text: str, depth: Depth) -> list[list[str]]:
    """The whole text as content words, its clauses if it is long, and its rarest words; each query once.

    The query of nouns that the original made is the first one here: keywords are content words already.
    """
    whole = keywords(text)
    queries = [whole]
    if len(whole) >= depth.split_from_words:
        queries += [keywords(clause) for clause in CLAUSE.split(text) if clause and clause.strip()]
    rarest = sorted(whole, key=lambda word: (-corpus.idf(word), word))[: depth.rare_words]
    queries.append(rarest)
    distinct = {tuple(sorted(query)): query for query in reversed(queries) if query}
    return list(reversed(distinct.values()))[: depth.most_queries]
