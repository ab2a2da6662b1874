"""Search without the full-text index, where that is damaged: the texts themselves are read, the newest first.

The last resort (R4.2): slower, and within a second, so that of a large index only the newest passages are read. What is
found is scored as always; how common a word is, is counted among what was read.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from math import log

from axiommind.search import filters, rank
from axiommind.search.candidates import OF_ONE_GROUP, SCORED, entry_weights
from axiommind.search.lexical import Statistics, Weighed
from axiommind.search.query import Query
from axiommind.search.rank import Asked
from axiommind.search.rows import Texts, passages_where
from axiommind.text.query_terms import Clause, phrase

__all__ = ["DAMAGED", "scored"]

DAMAGED = "the full-text index is damaged: texts were read instead; run: axm index (it makes the full-text index anew)"
_SECONDS = 1.0
_HURRIED_SECONDS = 0.1  # a hook has a third of a second for everything, and may ask twice
_CHARS = 20_000  # of one text
# Letters of a term that stand in every form of its word.
_STEM = 3

_Places = list[list[int]]


def scored(
    db: sqlite3.Connection,
    query: Query,
    wanted: Sequence[Clause],
    must: Sequence[Clause],
    asked: Asked,
    texts: Texts,
    *,
    in_a_hurry: bool = False,
) -> tuple[Asked, list[rank.Scored]]:
    """The question weighed by what was read, and the passages that hold some of it, best first."""
    clauses = [*wanted, *must]
    refused = [clause for clause in map(phrase, query.excluded) if clause is not None]
    held: list[tuple[rank.Passage, _Places, int]] = []
    passages = terms = 0
    seconds = _HURRIED_SECONDS if in_a_hurry else _SECONDS
    for passage, places, without, length in _read(db, query, clauses, refused, texts, time.monotonic() + seconds):
        passages, terms = passages + 1, terms + length
        if any(places) and all(places[len(wanted) :]) and not without:
            held.append((passage, places, length))
    stats = Statistics(passages, terms / passages if passages and terms else 1.0)
    counts = [sum(bool(places[i]) for _, places, _ in held) for i in range(len(clauses))]
    known = [i for i, count in enumerate(counts) if count]
    weighed = [Weighed(clauses[i], counts[i], counts[i], _worth(clauses[i], counts[i], passages)) for i in known]
    unknown = tuple(clause for clause, count in zip(clauses, counts, strict=True) if not count)
    total, steps = sum(w.worth for w in weighed), rank.steps_of(query.words, weighed)
    asked = asked._replace(weighed=weighed, stats=stats, total=total, unknown=unknown, steps=steps)
    weights = entry_weights(db, [passage for passage, _, _ in held])
    found = [
        rank.score(asked, passage, [places[i] for i in known], length, 0, weights.get(passage.id, 1.0))
        for passage, places, length in held
    ]
    found.sort(key=lambda one: (-one.score, one.passage.id))
    return asked, _spread(found, SCORED if query.filters.session else OF_ONE_GROUP)


def _read(
    db: sqlite3.Connection,
    query: Query,
    clauses: Sequence[Clause],
    refused: Sequence[Clause],
    texts: Texts,
    deadline: float,
) -> Iterator[tuple[rank.Passage, _Places, bool, int]]:
    """Passages with the places of each clause, whether they hold what they must not, and how many terms they have."""
    condition, values = filters.conditions(query.filters)
    literal = [text for text in query.phrases if phrase(text) is None]
    looked_for = [Weighed(clause, 0, 0, 0.0) for clause in clauses]
    looked_out = [Weighed(clause, 0, 0, 0.0) for clause in refused]
    beginnings = {clause.terms[-1][:_STEM] for clause in clauses}
    nothing: _Places = [[] for _ in clauses]
    for row in db.execute(f"{passages_where(condition)} order by p.timestamp desc, p.id desc", values):
        if time.monotonic() > deadline:
            return
        passage = rank.Passage(*row)
        title, text = texts(passage)
        text = text[:_CHARS]
        lowered = f"{title} {text}".lower()
        length = len(lowered) // 6 + 1
        if not any(beginning in lowered for beginning in beginnings) or not all(part in text for part in literal):
            yield passage, nothing, False, length
        else:
            places = rank.places_in([*looked_for, *looked_out], text, title)
            yield passage, places[: len(clauses)], any(places[len(clauses) :]), length


def _worth(clause: Clause, count: int, passages: int) -> float:
    return log(1 + (passages - count + 0.5) / (count + 0.5)) * clause.weight


def _spread(found: Sequence[rank.Scored], of_one: int) -> list[rank.Scored]:
    """The best, not too many of one session."""
    of_group: dict[str, int] = {}
    kept = []
    for one in found:
        of_group[one.passage.group] = of_group.get(one.passage.group, 0) + 1
        if of_group[one.passage.group] <= of_one:
            kept.append(one)
    return kept[:SCORED]
