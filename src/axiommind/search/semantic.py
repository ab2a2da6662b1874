"""Semantic search: how similar passages are to a query, and how much that counts beside words.

Words lead. The less of a question any passage holds, the more its meaning counts: little where all of it is found, most
of all where nothing is, as with a question in another language. Passages that no word would have found are added.
The constants are frozen here; bench/fusion.py fits them, and docs/benchmarks.md has the measurements.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from axiommind.search import candidates, lexical, rank
from axiommind.search.query import Filters, Query
from axiommind.search.rows import Texts
from axiommind.text.language import detect
from axiommind.text.query_terms import Clause, phrase
from axiommind.vectors.contract import PASSAGES, Embedder, Store, Vector

__all__ = ["ALL_FOUND", "Meaning", "fuse", "nearest"]

# What a similarity counts for is its share of the question's worth: WEIGHT where every word is found, and up to ALONE
# more where none is, falling with the POWER of what is missing. hit@1 of LoCoMo · lme-pooled · commits · paraphrase:
# 78.0 · 62.4 · 80.2 · 10.0 without WEIGHT, 78.8 · 62.8 · 81.0 · 12.5 with it, 78.4 · 63.2 · 82.8 · 12.5 at 0.1, where
# jaquad-ja loses 0.6. ALONE: 78.6 · 62.4 · 81.0 · 10.0 without, 78.2 · 62.8 · 81.0 · 12.5 at 0.7.
WEIGHT = 0.05
ALONE = 0.3
POWER = 6
# Where words find little, holding one or two of them says little: a near passage that holds none is taken to hold
# UNSAID of what is missing. LoCoMo · paraphrase, hit@5 in brackets: 78.8 · 5.6 (22) without, 78.9 · 8.1 (32) at 0.3,
# 78.8 · 12.5 (46) here, 77.3 · 18.8 (59) at 0.9. Not for questions in Korean, Chinese or Japanese, whose bigrams are
# never all found: cmrc-zh would fall by 0.7.
UNSAID = 0.5
# A passage in a language whose words cannot be the question's is found by its meaning or not at all: there it counts
# ACROSS more, falling with the square of what words found. Cross-lingual hit@1 9.4 (hit@5 42) without, 45.6 (69) here,
# 48.8 (74) at 0.5; but in a mixed index a question whose words are half found should meet its own language first.
ACROSS = 0.3
ACROSS_POWER = 2
# All that is for sessions and documents, whose worth adds up. The best passage is worth half as much (median of LoCoMo
# 0.87 of the question, of sessions 1.58), and so is meaning there: hit@1 of LoCoMo's turns 40.8 → 41.6, and 38.7 if it
# were not halved.
OF_A_PASSAGE = 0.5
# One standard deviation of the similarities of a question to all passages: 0.07 to 0.12 on every set.
SPREAD = 0.1
# A question all of whose words stand in one passage needs no vectors (mode auto): a fifth of LoCoMo's, half of the
# commits' are such. It costs 0.2 points of LoCoMo, 0.5 of lme-pooled and nothing elsewhere.
ALL_FOUND = 0.999
# How many of the nearest are looked at, and how many that no word found are taken; with filters that a store does not
# know, more must be looked at. The same hit@1 with 60 and 400.
NEAREST = 100
# What is less near than this was not meant. Higher would cost answers: right passages of the paraphrase set stand at
# 0.19 to 0.47, and at 0.3 its hit@5 is 34, not 46; questions about something else altogether have something at 0.26 to
# 0.39. How sure a hit is, its score says.
NEAR_ENOUGH = 0.2
FILTERED = 400
ADDED = 60
_SAMPLE = 300  # characters that tell a passage's language


class Meaning(NamedTuple):
    """What questions and passages are compared with: vectors of one version, and what makes them."""

    embedder: Embedder
    store: Store
    version: str

    def vector(self, query: Query) -> Vector | None:
        """The vector of what is asked; None when it says nothing."""
        vector = self.embedder.embed_query(_text(query))
        return vector if any(vector) else None


def fuse(
    db: sqlite3.Connection,
    query: Query,
    asked: rank.Asked,
    must: Sequence[Clause],
    scored: Sequence[rank.Scored],
    meaning: Meaning,
    vector: Vector,
    texts: Texts,
    *,
    group: bool,
) -> list[rank.Scored]:
    """The passages that words found and the nearest in meaning, best first; with `group` as evidence for sessions."""
    near = _near(db, query, must, meaning, vector)
    known = {one.passage.id for one in scored}
    store = meaning.store
    others = store.similarities(PASSAGES, meaning.version, vector, [str(row) for row in known - near.keys()])
    similar = near | {int(key): similarity for key, similarity in others.items()}
    added = _unread(db, query, asked, [row for row in near if row not in known], texts)
    return _ordered(_weighed(query, asked, [*scored, *added], similar, near.keys(), texts, group=group))


def _weighed(
    query: Query,
    asked: rank.Asked,
    scored: Sequence[rank.Scored],
    similar: Mapping[int, float],
    near: Collection[int],
    texts: Texts,
    *,
    group: bool,
) -> Iterator[rank.Scored]:
    """Passages with what their meaning is worth: more where words cannot tell."""
    missing = 1.0 - (asked.found or 0.0)
    usual = WEIGHT + ALONE * missing**POWER
    across = usual + ACROSS * missing**ACROSS_POWER
    whole = (asked.whole or 1.0) * (1.0 if group else OF_A_PASSAGE)
    writing = _writing(_text(query))
    held = {one.passage.group if group else one.passage.id for one in scored if any(one.words)}
    for one in scored:
        row = one.passage.id
        share, more = usual, 0.0
        if missing and row in near:
            if _writing(texts(one.passage)[1][:_SAMPLE]) != writing:
                share = across
            elif not writing and (one.passage.group if group else row) not in held:
                more = UNSAID * missing
        yield rank.with_meaning(asked, one, similar.get(row), share * whole / SPREAD, more * whole)


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


def _text(query: Query) -> str:
    return " ".join((query.words, *query.phrases))


def _writing(text: str) -> str:
    """How a text is written; Chinese and Japanese share words."""
    return {"ko": "Hangul", "zh": "Han", "ja": "Han"}.get(detect(text), "")


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
    near = {int(one.key): one.similarity for one in found if one.similarity >= NEAR_ENOUGH}
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
    weights = candidates.entry_weights(db, passages)
    nowhere: list[list[int]] = [[] for _ in asked.weighed]
    return [rank.score(asked, p, nowhere, 0, 0, weights.get(p.id, 1.0)) for p in passages]
