"""Lexical candidates: which passages contain the words of a query, read from FTS5's own postings.

FTS5's `bm25()` of an OR of common words over 200,000 passages takes 115 ms, because every posting is scored. Here rare
clauses lead: their postings are read, until `POSTINGS` are spent; commoner clauses are only looked up where a leading
one is, which takes 1 to 3 ms for all of them. The places of words come along, so no text is read to score a passage.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable
from math import log
from operator import itemgetter
from typing import NamedTuple

from axiommind.projections import PLACE_BITS
from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.text.query_terms import Clause

__all__ = [
    "Gathered",
    "KnownWords",
    "OfKind",
    "Statistics",
    "Weighed",
    "Within",
    "gather",
    "lengths",
    "prepare",
    "rows_with",
    "statistics",
    "weigh",
]

# Places that the leading clauses of a query may have. With 24,000 instead, which take 12 ms, lme-pooled and LoCoMo gave
# the same hit@1 within half a point, context-evaluator one question more.
POSTINGS = 3_000
# Commoner clauses that are looked up where a leading one is; the most common ones say nothing.
FOLLOWING = 4
# For a chance, half of them are enough: the figures of bench/relevance.py are the same, and it takes a third less time.
FOLLOWING_FOR_A_CHANCE = 2
# Words of a query that are looked up among the common ones; SQLite binds no more than some thousands at once.
_COUNTED = 500
# A clause with more places than this never leads.
POSTINGS_OF_ONE = 6_000


class Statistics(NamedTuple):
    """How many passages there are, and how many terms they have on average."""

    passages: int
    average: float


class Weighed(NamedTuple):
    """A clause, in how many passages and at how many places it occurs, and what it is worth."""

    clause: Clause
    passages: int
    places: int
    worth: float


# (passage, the place of the word in it); the place is -1 where only the passage is known.
Places = list[tuple[int, int]]


class KnownWords:
    """What was read about the words of a question, to be used again when it is asked of another project: the weighed
    words, and their places by their number in it."""

    def __init__(self, following: int = FOLLOWING) -> None:
        self.following = following
        self.weighed: list[Weighed] | None = None
        self.places: dict[int, Places] | None = None


class Gathered(NamedTuple):
    """Candidates with a first estimate of their worth, and the places of each clause that was looked up."""

    worths: dict[int, float]
    places: list[Places]
    placed: list[bool]  # by clause: whether its places are known, and not only its passages


_FIRST = itemgetter(0)
# FTS5 walks through all that hold a phrase to count them; one that is so common never leads anyway.
_COUNT = f"""
    select count(*), count(*)
    from (select 1 from passages_fts where passages_fts match ? limit {2 * POSTINGS_OF_ONE})
"""
_POSITION_BITS = PLACE_BITS + KIND_BITS  # what of a passage's id stands below the position of its event


class Within:
    """Passages of some events of the log: a project's, or a session's. What an id says needs no lookup."""

    def __init__(self, positions: set[int]) -> None:
        self.positions = positions

    def holds(self, row: int) -> bool:
        return row >> _POSITION_BITS in self.positions


class OfKind(Within):
    """Passages of one kind, whatever they come from."""

    def __init__(self, kind: str) -> None:
        super().__init__(set())
        self._kind = KINDS[kind]

    def holds(self, row: int) -> bool:
        return row & ((1 << KIND_BITS) - 1) == self._kind


def prepare(db: sqlite3.Connection) -> None:
    """The views of FTS5's postings that everything here reads; temporary, so a read-only index will do."""
    db.execute("create virtual table if not exists temp.passage_terms using fts5vocab('main', 'passages_fts', 'row')")
    db.execute(
        "create virtual table if not exists temp.passage_places using fts5vocab('main', 'passages_fts', 'instance')"
    )


def statistics(db: sqlite3.Connection) -> Statistics:
    """Read from FTS5's own record of averages (row 1 of its data): counting 200,000 rows takes 10 ms."""
    row = db.execute("select block from passages_fts_data where id = 1").fetchone()
    if row is None or not row[0]:
        return Statistics(0, 1.0)
    try:
        rows, at = _varint(row[0], 0)
        size, _ = _varint(row[0], at)
    except IndexError:
        raise sqlite3.DatabaseError("fts5: the record of averages is malformed") from None
    return Statistics(rows, size / rows if rows and size else 1.0)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """SQLite's variable-length integer: seven bits a byte, the ninth whole."""
    value = 0
    for place in range(at, min(at + 8, len(data))):
        value = value << 7 | data[place] & 127
        if data[place] < 128:
            return value, place + 1
    return value << 8 | data[at + 8], at + 9


def weigh(db: sqlite3.Connection, clauses: list[Clause], stats: Statistics) -> list[Weighed]:
    """Every clause that occurs at all, in the query's order."""
    found = []
    common = _common(db, [clause.terms[0] for clause in clauses if _is_word(clause)], stats)
    for clause in clauses:
        if _is_word(clause):
            row = common.get(clause.terms[0])
            row = row or db.execute("select doc, cnt from temp.passage_terms where term = ?", clause.terms).fetchone()
        else:
            row = db.execute(_COUNT, (clause.match,)).fetchone()
        if row and row[0]:
            # Of BM25's two usual forms the one that is never negative: in a small index a word may be in most passages.
            others = max(stats.passages - row[0], 0)
            worth = log(1 + (others + 0.5) / (row[0] + 0.5)) * clause.weight
            found.append(Weighed(clause, row[0], row[1], worth))
    return found


def _common(db: sqlite3.Connection, words: list[str], stats: Statistics) -> dict[str, tuple[int, int]]:
    """In how many passages and at how many places the words are that are everywhere, as they were counted last, scaled
    to the index of now. Counting them would take longer than all the rest."""
    words = words[:_COUNTED]
    places = ", ".join("?" * len(words))
    sql = f"select term, passages, places, of_passages from common_terms where term in ({places})"
    found = {}
    for term, passages, spots, then in db.execute(sql, words):
        grown = stats.passages / then
        found[term] = (min(round(passages * grown), stats.passages), round(spots * grown))
    return found


def _is_word(clause: Clause) -> bool:
    return len(clause.terms) == 1 and not clause.prefix


def gather(
    db: sqlite3.Connection, weighed: list[Weighed], within: Within | None = None, known: KnownWords | None = None
) -> Gathered:
    """Candidates, what is known of their worth so far, and where the words are; only rows `within`, if given. What was
    read for the same words before is in `known`, and need not be read again."""
    rarest_first = sorted(range(len(weighed)), key=lambda i: (weighed[i].places, i))
    if rarest_first and weighed[rarest_first[0]].places > POSTINGS_OF_ONE:
        return _of_common(db, weighed, rarest_first, within)
    read = known.places if known is not None else None
    if read is None:
        read = _read(db, weighed, rarest_first, FOLLOWING if known is None else known.following)
    if known is not None:
        known.places = read
    places: list[Places] = [[] for _ in weighed]
    for i, rows in read.items():
        places[i] = rows if within is None else [row for row in rows if within.holds(row[0])]
    worths: dict[int, float] = {}
    for i, rows in enumerate(places):
        worth = weighed[i].worth
        for row, times in Counter(map(_FIRST, rows)).items():
            # Saturates like BM25, without the passage's length: that is known when it is scored.
            worths[row] = worths.get(row, 0.0) + worth * times / (times + 1)
    placed = [any(place >= 0 for _, place in read.get(i, [])[:1]) for i in range(len(weighed))]
    return Gathered(worths, places, placed)


def _read(
    db: sqlite3.Connection, weighed: list[Weighed], rarest_first: list[int], most_following: int
) -> dict[int, Places]:
    """The places of the leading clauses, and the passages of those that follow them."""
    read: dict[int, Places] = {}
    leading: list[str] = []
    following = 0
    spent = 0
    for i in rarest_first:
        clause, _, count, _ = weighed[i]
        if not leading or spent + count <= POSTINGS:
            read[i] = _postings(db, clause)
            leading.append(clause.match)
            spent += count
        elif following < most_following:
            # FTS5 leaps from one of the leading to the next, and reads nothing between.
            read[i] = _match(db, f"{clause.match} AND ({' OR '.join(leading)})")
            following += 1
        else:
            break
    return read


def _of_common(
    db: sqlite3.Connection, weighed: list[Weighed], rarest_first: list[int], within: Within | None
) -> Gathered:
    """When every clause is common: the passages with the most of them, rarest first, and the newest of the rarest.
    FTS5 leaps through an AND, so each step costs no more than the rows it gives."""
    worths: dict[int, float] = {}
    places: list[Places] = [[] for _ in weighed]
    for count in range(len(rarest_first), 0, -1):
        together = rarest_first[:count]
        room = POSTINGS - len(worths)
        if room <= 0:
            break
        # Of other projects there may be many more, so the newest of all would leave out the wanted ones.
        newest = _match(db, " AND ".join(weighed[i].clause.match for i in together), room if within is None else -1)
        for row, _ in newest:
            if row not in worths and (within is None or within.holds(row)):
                worths[row] = sum(weighed[i].worth for i in together) / 2
                for i in together:
                    places[i].append((row, -1))
    return Gathered(worths, places, [False] * len(weighed))


def _match(db: sqlite3.Connection, expression: str, limit: int = -1) -> Places:
    newest = " order by rowid desc" if limit >= 0 else ""  # backwards is slower
    sql = f"select rowid, -1 from passages_fts where passages_fts match ?{newest} limit ?"
    return db.execute(sql, (expression, limit)).fetchall()


def _postings(db: sqlite3.Connection, clause: Clause) -> Places:
    if _is_word(clause):
        return db.execute("select doc, offset from temp.passage_places where term = ?", clause.terms).fetchall()
    return _match(db, clause.match)


def lengths(db: sqlite3.Connection, rows: Iterable[int]) -> dict[int, int]:
    """How many terms passages have, from FTS5's own record of sizes."""
    wanted = ", ".join(map(str, rows))  # numbers of ours, not words of a user
    found = db.execute(f"select id, sz from passages_fts_docsize where id in ({wanted})")
    return {row: _varint(size, 0)[0] for row, size in found}


def rows_with(db: sqlite3.Connection, clause: Clause) -> set[int]:
    """Every passage that holds the clause: for phrases that must occur and words that must not."""
    rows = db.execute("select rowid from passages_fts where passages_fts match ?", (clause.match,))
    return set(map(_FIRST, rows))
