"""Clusters of prompts that ask for the same thing in other words.

Prompts are grouped by their text without case, spacing and shared endings; the largest groups then take in
those that resemble them by their character bigrams. Each cluster gets a BM25 score of how well the corpus
meets its words, and a confidence from its share of all meaningful prompts, the regularity of its intervals
and that score. Ages are measured from the newest prompt, not from the clock, so the same data gives the
same answer. The work grows with the prompts, not with their square: only so many groups (`max_clusters`)
are compared, and the bigrams of each are taken once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, sqrt
from typing import NamedTuple

from axiommind.reports.analysers.bm25 import Corpus
from axiommind.reports.analysers.depth import Depth
from axiommind.reports.analysers.prompt_frequency import PromptText, in_order, normalised, recency
from axiommind.reports.analysers.queries import meet
from axiommind.reports.analysers.stopwords import NO_MORE, StopWords
from axiommind.reports.analysers.tuning import Tuning
from axiommind.text.tokens import holds_unspaced

LEAST_CHARS = 5  # of letters that stand for sounds
SYLLABLES = 2.5  # as many of them is a character of Korean, Chinese or Japanese: 続けて says as much as `go on`
CONTINUED = "session is being continued"
EXACT_BELOW = 4  # characters; a shorter text merges with nothing
# Nor a longer one, where little likeness is asked for: two long texts of one language share half their bigrams whatever
# they say. Of 42 different real prompts of 2,000 to 4,000 characters 61 % of the pairs are alike by 0.5, none by 0.7.
EXACT_ABOVE = 300
LONG_FROM = 0.7
EXAMPLES = 5
PATTERN_CHARS = 80  # of a pattern that are shown


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
    members: tuple[PromptText, ...]


class _Group(NamedTuple):
    normalized: str
    prompts: list[PromptText]


def clusters(
    prompts: Iterable[PromptText],
    depth: Depth,
    at_least: int,
    decay: bool = False,
    tuning: Tuning | None = None,
    stop: StopWords = NO_MORE,
) -> list[Cluster]:
    """Clusters of at least so many prompts, largest first; with decay by the weight of their recency."""
    tuning = tuning or Tuning()
    ordered = in_order(prompts)
    words = {text: stop.words(text) for text in dict.fromkeys(p.text for p in ordered) if _may_mean(text, stop)}
    meaningful = [p for p in ordered if words.get(p.text)]
    if not meaningful:
        return []
    groups = _group(meaningful, tuning.max_clusters)
    merged = [c for c in _merge(groups, depth.similarity) if _size(c) >= max(1, at_least)]
    corpus = Corpus((words[p.text] for p in meaningful), tuning)
    now = meaningful[-1].at
    found = []
    for members in merged:
        said = Counter(p.text for p in members[0].prompts).most_common(1)[0][0]  # the first of equals
        score = meet(corpus, said, depth, tuning, stop)
        found.append(_describe(members, said, score, len(meaningful), now if decay else None, tuning))
    return sorted(found, key=lambda c: (-c.weighted_count, -c.count, -c.confidence, c.normalized))


def _may_mean(text: str, stop: StopWords) -> bool:
    stripped = text.strip()
    if _width(stripped) < LEAST_CHARS or stripped[0] == "<" or stripped in stop:
        return False
    return CONTINUED not in stripped[:200].lower()


def _width(text: str) -> float:
    """The length of a text, as if it were written in letters."""
    if len(text) >= LEAST_CHARS or not holds_unspaced(text):
        return len(text)
    return sum(SYLLABLES if holds_unspaced(char) else 1 for char in text)


def _group(prompts: Sequence[PromptText], most: int) -> list[_Group]:
    """Prompts of one normalised text together; the largest groups, largest first."""
    texts = normalised({p.text for p in prompts})
    groups: dict[str, list[PromptText]] = {}
    for prompt in prompts:
        groups.setdefault(texts[prompt.text], []).append(prompt)
    largest = sorted(groups.items(), key=lambda g: (-len(g[1]), g[0]))[:most]
    return [_Group(*group) for group in largest]


def _merge(groups: Sequence[_Group], similarity: float) -> list[list[_Group]]:
    """Each group joins the leader it resembles most, the first of equals, or leads."""
    places: dict[str, int] = {}  # of each bigram in a number that stands for a set of them
    merged: list[list[_Group]] = []
    leaders: list[tuple[int, int]] = []
    for group in groups:
        bigrams = _bigrams(group.normalized, similarity)
        size, held = len(bigrams), 0
        for bigram in bigrams:
            held |= 1 << places.setdefault(bigram, len(places))
        best, at = 0.0, -1
        for i, (other, holds) in enumerate(leaders):
            if min(size, other) >= similarity * max(size, other) and size:
                shared = (held & holds).bit_count()
                alike = shared / (size + other - shared)
                if alike >= similarity and alike > best:
                    best, at = alike, i
        if at < 0:
            leaders.append((size, held))
            merged.append([group])
        else:
            merged[at].append(group)
    return merged


def _bigrams(text: str, similarity: float) -> set[str]:
    """The pairs of neighbouring characters; none of a text that merges with nothing."""
    if len(text) < EXACT_BELOW or (len(text) > EXACT_ABOVE and similarity < LONG_FROM):
        return set()
    return {text[i : i + 2] for i in range(len(text) - 1)}


def _size(groups: Sequence[_Group]) -> int:
    return sum(len(group.prompts) for group in groups)


def _describe(
    groups: Sequence[_Group], said: str, score: float, meaningful: int, now: int | None, tuning: Tuning
) -> Cluster:
    members = in_order(p for group in groups for p in group.prompts)
    times = [p.at for p in members if p.at > 0]
    share = len(members) / meaningful
    met = 1 / (1 + exp(-score / tuning.bm25_sigmoid_k))
    if now is None:
        weight = float(len(members))
        confidence = (
            tuning.weight_frequency * share + tuning.weight_consistency * _regularity(times) + tuning.weight_bm25 * met
        )
    else:
        weight = sum(recency(at, now, tuning) for at in times)
        confidence = (
            tuning.decay_weight_frequency * share
            + tuning.decay_weight_consistency * _regularity(times)
            + tuning.decay_weight_bm25 * met
            + tuning.decay_weight_recency * (recency(max(times), now, tuning) if times else 0.0)
        )
    return Cluster(
        pattern=" ".join(said.split()),
        normalized=groups[0].normalized,
        count=len(members),
        weighted_count=weight,
        sessions=len({p.session for p in members}),
        bm25_score=score,
        confidence=min(1.0, confidence),
        last_at=members[-1].at,
        examples=list(dict.fromkeys(p.text for p in members))[:EXAMPLES],
        members=tuple(members),
    )


def _regularity(times: Sequence[int]) -> float:
    """1 / (1 + coefficient of variation) of the intervals; 0 where there is none, or all are 0."""
    gaps = [later - earlier for earlier, later in pairwise(times)]
    mean = sum(gaps) / len(gaps) if gaps else 0.0
    if mean == 0:
        return 0.0
    deviation = sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps))
    return 1 / (1 + deviation / mean)
