"""Relevance: the probability, 0 to 1, that a passage found by words is from the session or document that is meant.

A worth says which passage is better, not whether any is good: something always comes first. What tells is how much of
the question a session holds, how much that is, and how far it stands out from the others: a prompt about something else
shares a few common words with many sessions, and none of them leads. More of any sign never lowers the chance.
Weights and offset are what bench/relevance.py fitted on half of the questions; docs/benchmarks.md has the other half.
Meaning has no part in it: where vectors were asked, `calibrate.chance` says what a hit is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import NamedTuple

from axiommind.search import rank
from axiommind.search.lexical import Weighed

__all__ = ["Judged", "Signs", "judge", "rarity", "relevance"]


class Signs(NamedTuple):
    """What speaks for a passage; all but `own` are of its session or document. That words are side by side is in every
    worth; as a sign of its own it was fitted at 0."""

    covered: float  # share of the question, by worth, that is there at all
    strength: float  # its pooled worth, as a share of the question's
    amount: float  # its pooled worth in absolute terms, as a logarithm: two common words say little
    lead: float  # how far it is ahead of the next, in absolute terms; behind the best below 0
    beyond: float  # how far it is above the fifth, as a share of its own worth
    passages: float  # how many of its passages were found, as a logarithm
    own: float  # the passage's worth to a reader, as a share of the best of its session


class Judged(NamedTuple):
    one: rank.Scored
    chance: float
    signs: Signs


# What bench/relevance.py fitted; `own` alone is set by hand. Sets label sessions, not passages, so nothing could be
# fitted to it, but a reader wants the passage: what is worth half of its session's best loses one logit.
WEIGHTS = Signs(covered=2.32, strength=1.02, amount=1.01, lead=1.42, beyond=5.55, passages=1.05, own=2.0)
OFFSET = -12.67
# A document has one passage or two, however much it says: it counts like a session of so many.
DOCUMENT_PASSAGES = 3.5
# What a word is worth in absolute terms: as if there were so many passages more, of which this share holds it; so ten
# passages can say something too. Recall is the same within half a point at 300 and 3,000, and at 0.003 and 0.01.
SMOOTHED_BY = 300.0
SMOOTHED_RATE = 0.003
# Bigrams of one run overlap, so each says less. From 0.35 to 0.7, Korean, Chinese and Japanese gain four to seven
# points of recall, and one absent question in a hundred more finds something.
BIGRAM = 0.6
LEAD_UNIT = 20.0
NEXT_ONES = 5
# Where there are fewer sessions than that, the fifth is taken to be worth so much of the best: without, one prompt in
# twenty about something else finds something in a store of a few sessions; with, one in fifty.
FEW = 0.35
# An entry that is contested or superseded is hardly meant, however well it fits; one of a low stage may be.
LEAST_STAGE_WEIGHT = min(rank.STAGE_WEIGHT.values())


def relevance(signs: Signs) -> float:
    at = OFFSET + sum(weight * sign for weight, sign in zip(WEIGHTS, signs, strict=True))
    return 1.0 / (1.0 + exp(-max(min(at, 30.0), -30.0)))


def judge(asked: rank.Asked, scored: Sequence[rank.Scored]) -> list[Judged]:
    """Passages with the chance that they are meant, best first; of one session, what tells a reader most."""
    evidence = sorted((_as_evidence(asked, one) for one in scored), key=lambda one: (-one.score, one.passage.id))
    # An entry repeats what its session says: that would count twice.
    said = {one.passage.group for one in evidence if one.passage.kind != "insight"}
    groups = rank.pool(asked, [e for e in evidence if e.passage.kind != "insight" or e.passage.group not in said])
    scale = _told(asked) / (asked.total or 1.0)
    whole = asked.whole or 1.0
    best: dict[str, float] = {}
    for one in scored:
        best[one.passage.group] = max(best.get(one.passage.group, 0.0), one.score)
    of_group = {group.key: _of_group(asked, groups, place, scale, whole) for place, group in enumerate(groups)}
    judged = []
    for one in scored:
        own = one.score / (best[one.passage.group] or 1.0)
        signs = of_group[one.passage.group]._replace(own=max(own, 0.0))
        stage = min(one.kind / asked.kinds[one.passage.kind] / LEAST_STAGE_WEIGHT, 1.0)
        judged.append(Judged(one, relevance(signs) * stage, signs))
    judged.sort(key=lambda j: (-j.chance, -j.one.score, j.one.passage.id))
    return judged


def _as_evidence(asked: rank.Asked, one: rank.Scored) -> rank.Scored:
    """A passage scored for a reader, scored as evidence of its session."""
    kind = one.kind * rank.KIND_WEIGHT[one.passage.kind] / asked.kinds[one.passage.kind]
    return one._replace(kind=kind, score=((sum(one.words) + one.near) * kind + one.date) * (1 + one.recency))


def _told(asked: rank.Asked) -> float:
    """What all clauses that are known are worth in absolute terms."""
    return sum(
        rarity(asked.stats.passages, one) * (1.0 if one.clause.terms[0].isascii() else BIGRAM) for one in asked.weighed
    )


def rarity(passages: int, one: Weighed) -> float:
    """What a clause is worth in absolute terms, whatever the size of the store."""
    return one.clause.weight * log((passages + SMOOTHED_BY) / (one.passages + SMOOTHED_BY * SMOOTHED_RATE))


def _of_group(asked: rank.Asked, groups: Sequence[rank.Group], place: int, scale: float, whole: float) -> Signs:
    group = groups[place]
    by_clause = zip(*(one.words for one in group.best), strict=True)
    held = sum(w.worth for w, gave in zip(asked.weighed, by_clause, strict=True) if any(gave))
    other = groups[0].score if place else groups[1].score if len(groups) > 1 else 0.0
    fifth = groups[NEXT_ONES - 1].score if len(groups) >= NEXT_ONES else FEW * groups[0].score
    is_document = group.best[0].passage.kind == "doc"
    return Signs(
        covered=held / whole,
        strength=group.score / whole,
        amount=log(1 + max(group.score, 0.0) * scale),
        lead=(group.score - other) * scale / LEAD_UNIT,
        beyond=max(1 - fifth / group.score, -1.0) if group.score > 0 else -1.0,
        passages=log(DOCUMENT_PASSAGES if is_document else len(group.best)),
        own=0.0,
    )
