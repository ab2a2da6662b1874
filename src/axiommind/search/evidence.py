"""Evidence: what a question found, before anything is made of it: its words with their worth, the passages that were
scored, and the sessions and documents that these pool to, best first.

For whoever decides by more than words; `find` makes hits of the same. Reads only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from axiommind.search import lexical, rank
from axiommind.search.find import Options, look_up
from axiommind.search.query import Query
from axiommind.search.relevance import Judged, judge
from axiommind.search.rows import Texts, index_version

__all__ = ["CLAUSES", "Evidence", "evidence", "is_repetition"]


# Clauses of a long question that are searched for: 39 of 56 prompts got what helps with 24, 36 with 12.
CLAUSES = 24
# A question of so many clauses is a text, and a passage with this share of them is the same text.
LONG = 16
REPEATED = 0.6


class Evidence(NamedTuple):
    asked: rank.Asked
    scored: tuple[rank.Scored, ...]
    judged: tuple[Judged, ...]  # the same passages with the chance that their session is meant, best first
    groups: tuple[rank.Group, ...]  # sessions and documents, best first
    method: str  # how it was searched, as `find` names it


def evidence(
    db: sqlite3.Connection,
    query: Query,
    now: int,
    without: frozenset[str] = frozenset(),
    known: lexical.KnownWords | None = None,
) -> Evidence | None:
    """None where there is no word to ask for, or no full-text index to ask."""
    index_version(db)  # one that another version made is refused
    options = Options(calibrated=True, clauses=CLAUSES)
    looked_up = look_up(db, query, options, now, None, known, Texts(db))
    asked = looked_up.asked
    if not asked.weighed:
        return None
    found = [one for one in looked_up.scored if one.passage.group not in without and not _repeats(asked, one)]
    return Evidence(asked, tuple(found), tuple(judge(asked, found)), _pooled(asked, found), looked_up.method)


def is_repetition(asked: int, held: int) -> bool:
    """Whether a text that holds so many clauses of a question is most of a long one: a plan's own draft, given back."""
    return asked >= LONG and held >= REPEATED * asked


def _repeats(asked: rank.Asked, one: rank.Scored) -> bool:
    return is_repetition(len(asked.weighed), sum(map(bool, one.words)))


def _pooled(asked: rank.Asked, found: Sequence[rank.Scored]) -> tuple[rank.Group, ...]:
    """By what was said: an entry repeats its session, and would count twice."""
    said = {one.passage.group for one in found if one.passage.kind != "insight"}
    kept = [one for one in found if one.passage.kind != "insight" or one.passage.group not in said]
    return tuple(rank.pool(asked, sorted(kept, key=lambda one: (-one.score, one.passage.id))))
