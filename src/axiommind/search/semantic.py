"""Meaning beside words: how near passages stand to a question, and what that is worth.

Words lead. The less of a question any passage holds, the more its meaning counts: little where all of it is found, most
of all where nothing is, as with a question in another language. Passages that no word would have found are added.
The constants are frozen here; bench/fusion.py fits them, and docs/benchmarks.md has the measurements.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from axiommind.search import candidates, lexical, rank
from axiommind.search.query import Filters, Query
from axiommind.search.rows import Texts
from axiommind.text.tokens import Clause, phrase
from axiommind.vectors.contract import PASSAGES, Embedder, Store, Vector

__all__ = ["ALL_FOUND", "Meaning", "fuse", "nearest", "weight"]

# What a similarity counts for is its share of the question's worth: WEIGHT where every word is found, and up to ALONE
# more where none is, falling with the POWER of what is missing. Fitted on all development sets together
# (bench/fusion.py): hit@1 of LoCoMo 77.2 → 78.3, welfare-ko 73.5 → 74.5, lme-pooled 62.1 → 62.6, commits 79.5 → 80.3,
# jaquad-ja 85.4 → 85.2, cmrc-zh 97.9 → 97.6, cross-lingual 0 → 20.0 (hit@5 3.8 → 55), paraphrase 0 → 6.9 (0 → 26).
# With 0.08 instead of 0.04 LoCoMo is 77.7 and jaquad-ja 84.3; with a POWER of 4 cross-lingual is 15.6.
WEIGHT = 0.04
ALONE = 0.7
POWER = 6
# One standard deviation of the similarities of a question to all passages: 0.07 to 0.12 on every set.
SPREAD = 0.1
# A question all of whose words stand in one passage needs no vectors (mode auto): a fifth of LoCoMo's, half of the
# commits' are such. It costs 0.2 points of LoCoMo, 0.5 of lme-pooled and nothing elsewhere.
ALL_FOUND = 0.999
# How many of the nearest are looked at, and how many that no word found are taken; with filters that a store does not
# know, more must be looked at. The same hit@1 with 60 and 400.
NEAREST = 100
FILTERED = 1_000
ADDED = 60


class Meaning(NamedTuple):
    """What questions and passages are compared with: vectors of one version, and what makes them."""

    embedder: Embedder
    store: Store
    version: str

    def vector(self, query: Query) -> Vector | None:
        """The vector of what is asked; None when it says nothing."""
        vector = self.embedder.embed_query(" ".join((query.words, *query.phrases)))
        return vector if any(vector) else None


def weight(covered: float) -> float:
    return WEIGHT + ALONE * (1.0 - covered) ** POWER


def fuse(
    db: sqlite3.Connection,
    query: Query,
    asked: rank.Asked,
    must: Sequence[Clause],
    scored: Sequence[rank.Scored],
    meaning: Meaning,
    vector: Vector,
    texts: Texts,
) -> list[rank.Scored]:
    """The passages that words found and the nearest in meaning, best first."""
    near = _near(db, query, must, meaning, vector)
    known = {one.passage.id for one in scored}
    store = meaning.store
    others = store.similarities(PASSAGES, meaning.version, vector, [str(row) for row in known - near.keys()])
    similar = near | {int(key): similarity for key, similarity in others.items()}
    added = _unread(db, query, asked, [row for row in near if row not in known], texts)
    worth = weight(asked.found or 0.0) * (asked.whole or 1.0) / SPREAD
    return _ordered(rank.with_meaning(asked, one, similar.get(one.passage.id), worth) for one in [*scored, *added])


def nearest(
    db: sqlite3.Connection,
    query: Query,
    asked: rank.Asked,
    must: Sequence[Clause],
    meaning: Meaning,
    vector: Vector,
    texts: Texts,
) -> list[rank.Scored]:
    """The passages nearest in meaning, whatever their words."""
    near = _near(db, query, must, meaning, vector)
    found = _unread(db, query, asked, list(near), texts)
    return _ordered(rank.by_meaning(asked, one, near[one.passage.id]) for one in found)


def _ordered(scored: Iterable[rank.Scored]) -> list[rank.Scored]:
    return sorted(scored, key=lambda one: (-one.score, one.passage.id))


def _near(
    db: sqlite3.Connection, query: Query, must: Sequence[Clause], meaning: Meaning, vector: Vector
) -> dict[int, float]:
    """The nearest passages that hold what they must and nothing that they must not, nearest first."""
    places = candidates.within(db, query)
    known_to_the_store = Filters(project=query.filters.project, session=query.filters.session)
    k = NEAREST if query.filters._replace(not_kinds=()) == known_to_the_store and not must else FILTERED
    found = meaning.store.near(PASSAGES, meaning.version, vector, k, None if places is None else places.positions)
    near = {int(one.key): one.similarity for one in found}
    for clause in must:
        having = lexical.rows_with(db, clause)
        near = {row: similarity for row, similarity in near.items() if row in having}
    for clause in filter(None, map(phrase, query.excluded)):
        having = lexical.rows_with(db, clause)
        near = {row: similarity for row, similarity in near.items() if row not in having}
    return near


def _unread(
    db: sqlite3.Connection, query: Query, asked: rank.Asked, rows: Sequence[int], texts: Texts
) -> list[rank.Scored]:
    """Passages that were not found by their words: if they hold any, too few to tell."""
    passages = candidates.passing(db, query, rows, texts, ADDED)
    stands = candidates.standing(db, passages)
    nowhere: list[list[int]] = [[] for _ in asked.weighed]
    return [rank.score(asked, p, nowhere, 0, 0, stands.get(p.id, 1.0)) for p in passages]
