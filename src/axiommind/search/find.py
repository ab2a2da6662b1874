"""Find: a query in, ranked hits with their citations out. Reads only; the same index and query give the same hits.

Candidates come from the postings (`lexical`), those that pass the filters are read and scored (`rank`), what is near in
meaning is added where there are vectors (`semantic`), near-duplicates are folded, and sessions are pooled when asked
for; so is the chance that a passage is meant (`relevance`). Text without a word in it (an emoji, `->`) is looked up
with LIKE.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from axiommind.errors import BadQuery
from axiommind.ids import dedupe_key, number_of, short_id
from axiommind.search import candidates, filters, hits, lexical, rank
from axiommind.search.dates import matches, mentions
from axiommind.search.hits import Hit
from axiommind.search.query import Query
from axiommind.search.rows import Texts, index_version
from axiommind.text.query_terms import MOST_QUERY_CLAUSES, Clause, clauses, clauses_left_out, phrase, search_method
from axiommind.tools.call_text import tool_text

if TYPE_CHECKING:
    from axiommind.search.semantic import Meaning

__all__ = ["MODES", "MOST_CLAUSES", "LookedUp", "Options", "Page", "asked_at", "connect", "find", "look_up"]

# auto: by words and meaning where that costs little, by words alone where they are enough.
MODES = ("auto", "lexical", "semantic", "hybrid")

MAX_K = 100
# How many clauses of a long prompt are searched for: those that are worth most.
MOST_CLAUSES = 12
# A question with all the words of another, and no more than so many times as long, asks the same.
ASKS_AGAIN = 1.2
_END_OF_TIME = 1 << 42  # milliseconds: the year 2109


class Options(NamedTuple):
    k: int = 10
    group: bool = False  # rank sessions and documents instead of passages
    recency: bool = True
    cursor: str | None = None
    mode: str = "lexical"
    calibrated: bool = False  # passages by the chance that they are meant, where words alone were asked; one page
    without: frozenset[str] = frozenset()  # sessions and documents that are left out, such as the one that asks
    floor: float = 0.0  # calibrated passages that are less likely than this are left out
    scored: int = candidates.SCORED  # passages that are looked at
    clauses: int = MOST_CLAUSES  # of a long question that is calibrated, those that are searched for


class Page(NamedTuple):
    query: str
    search_method: str
    took_ms: float
    index_version: str
    hits: tuple[Hit, ...]
    total: int
    truncated: bool  # more may match than were ranked
    next_cursor: str | None
    note: str | None = None  # why it was not searched as asked for
    best: float | None = None  # of calibrated passages, the chance of the first, whether it is above the floor or not
    score_kind: str = "bm25"  # what the scores of its hits say: see `hits.score_kind`


def connect(db: sqlite3.Connection) -> None:
    """What searching needs of a reading connection."""
    db.create_function("axm_tool_text", 4, tool_text, deterministic=True)
    filters.connect(db)
    lexical.prepare(db)


def find(
    db: sqlite3.Connection,
    query: Query,
    options: Options,
    now: int,
    meaning: Meaning | None = None,
    known: lexical.KnownWords | None = None,
) -> Page:
    """The best passages (or sessions) for a query, as of `now` (epoch ms). `known` keeps what was read about its words,
    for a caller that asks them again, of another project or with other options, in the same state of the index."""
    started = time.perf_counter()
    k = max(min(options.k, MAX_K), 0)
    if options.group and not query.filters.kinds:  # what repeats what its session says would count twice
        repeating = (*query.filters.not_kinds, "insight", "summary")
        query = query._replace(filters=query.filters._replace(not_kinds=repeating))
    version = index_version(db)
    vectors = "" if meaning is None else meaning.version
    offset = _offset(options.cursor, _state(db, query, options, now, vectors)) if options.cursor else 0
    texts = Texts(db)
    method, asked, scored, notes = look_up(db, query, options, now, meaning, known, texts)
    if options.without:
        scored = [one for one in scored if one.passage.group not in options.without]
    chances, best = None, None
    if options.calibrated and not options.group and method not in ("hybrid", "semantic"):
        from axiommind.search.relevance import judge

        judged = judge(asked, [one for one in scored if not _asks_again(asked, one, query, texts)])
        best = judged[0].chance if judged else None
        chances = {one.one.passage.id: one for one in judged if one.chance >= options.floor}
        scored = [one.one for one in chances.values()]
    if options.group:
        found = hits.grouped(asked, scored)
    else:
        alike = _alike(method, scored[: rank.FOLDED_FROM * (offset + k)], meaning)
        found = hits.single(scored, offset + k, texts, alike)
    page = found[offset : offset + k]
    shown = hits.hits_of(db, asked, page, texts, method, version, chances)
    total = len(found) if options.group else max(len(found), len(scored) - sum(same for _, same, _ in found))
    # Recall takes one page: making a cursor would load OpenSSL.
    more = offset + k < total and k > 0 and len(page) == k and not options.calibrated
    cursor = f"{offset + k}-{_state(db, query, options, now, vectors)}" if more else None
    took = (time.perf_counter() - started) * 1000
    cut_off = len(scored) >= options.scored
    kind = hits.score_kind(method, is_group=options.group, is_calibrated=chances is not None)
    return Page(
        query.text,
        method,
        round(took, 2),
        version,
        shown,
        total,
        cut_off,
        cursor,
        note="; ".join(notes) or None,
        best=best,
        score_kind=kind,
    )


class LookedUp(NamedTuple):
    method: str
    asked: rank.Asked
    scored: list[rank.Scored]
    notes: list[str]


def look_up(
    db: sqlite3.Connection,
    query: Query,
    options: Options,
    now: int,
    meaning: Meaning | None,
    known: lexical.KnownWords | None,
    texts: Texts,
) -> LookedUp:
    """The passages that may answer, best first; where the full-text index is damaged, by reading the texts."""
    wanted = clauses(query.words)
    must = [c for c in map(phrase, query.phrases) if c is not None]
    notes = []
    if len(wanted) == MOST_QUERY_CLAUSES and (more := clauses_left_out(query.words)):
        notes.append(f"the first {len(wanted)} words of the query were searched for, {more} more were left out")
    try:
        found = _by_index(db, query, wanted, must, options, now, meaning, known, texts)
        if found.scored or not (wanted or must) or _is_sound(db):
            return found._replace(notes=notes)
    except sqlite3.DatabaseError as error:
        from axiommind.projections.full_text import is_of_full_text

        if not is_of_full_text(error):
            raise
    from axiommind.projections.full_text import mark_damaged
    from axiommind.search import unindexed

    mark_damaged(db)
    asked = _question(query, [], lexical.Statistics(0, 1.0), (), options, now)
    asked, scored = unindexed.scored(db, query, wanted, must, asked, texts, in_a_hurry=options.floor > 0)
    asked = asked._replace(found=rank.coverage(asked, scored))
    return LookedUp("like", asked, scored, [*notes, unindexed.DAMAGED])


def _is_sound(db: sqlite3.Connection) -> bool:
    from axiommind.projections.full_text import is_sound

    return is_sound(db)


def _by_index(
    db: sqlite3.Connection,
    query: Query,
    wanted: list[Clause],
    must: list[Clause],
    options: Options,
    now: int,
    meaning: Meaning | None,
    known: lexical.KnownWords | None,
    texts: Texts,
) -> LookedUp:
    if known is None and options.calibrated:
        known = lexical.KnownWords(lexical.FOLLOWING_FOR_A_CHANCE)
    asked = _asked(db, query, wanted + must, options, now, known)
    if not (wanted or must):
        found = [rank.score(asked, p, (), 0) for p in candidates.literally(db, query, texts)]
        return LookedUp("like", asked, found, [])
    method = search_method(query.text)
    by_words = options.mode != "semantic" or not meaning
    scored = candidates.scored(db, query, asked, must, texts, known, options.scored) if by_words else []
    asked = asked._replace(found=rank.coverage(asked, scored))
    if meaning is not None:
        method, scored = _by_meaning(db, query, asked, must, method, scored, options, meaning, texts)
    return LookedUp(method, asked, scored, [])


def _by_meaning(
    db: sqlite3.Connection,
    query: Query,
    asked: rank.Asked,
    must: list[Clause],
    method: str,
    scored: list[rank.Scored],
    options: Options,
    meaning: Meaning,
    texts: Texts,
) -> tuple[str, list[rank.Scored]]:
    """The search method, and the passages that words found, fused with those near in meaning."""
    from axiommind.search import semantic

    if options.mode == "auto" and (asked.found or 0.0) >= semantic.ALL_FOUND:
        return method, scored
    vector = meaning.vector(query)
    if vector is None:  # it says too little: then by words, even in semantic mode
        return method, scored or candidates.scored(db, query, asked, must, texts)
    if options.mode == "semantic":
        return "semantic", semantic.nearest(db, query, asked, must, meaning, vector, texts)
    fused = semantic.fuse(db, query, asked, must, scored, meaning, vector, texts, group=options.group)
    return "hybrid", fused


def _alike(method: str, scored: Sequence[rank.Scored], meaning: Meaning | None) -> rank.Alike | None:
    """In a search by meaning, passages are also folded by meaning."""
    if meaning is None or method not in ("hybrid", "semantic"):
        return None
    from axiommind.search.overlap import alike

    return alike(meaning, scored)


def _asks_again(asked: rank.Asked, one: rank.Scored, query: Query, texts: Texts) -> bool:
    """Whether a passage is the same question again: it is no answer, and would hide the one that there is."""
    if one.passage.kind != "prompt" or asked.unknown or not all(one.words):
        return False
    said = texts(one.passage)[1].rstrip()
    return said.endswith(("?", "？")) and len(said) <= ASKS_AGAIN * len(query.text)


def _asked(
    db: sqlite3.Connection,
    query: Query,
    wanted: list[Clause],
    options: Options,
    now: int,
    known: lexical.KnownWords | None = None,
) -> rank.Asked:
    """What a question's clauses are worth in this index, and what passages are scored against."""
    stats = lexical.statistics(db)
    read = known.weighed if known is not None else None
    weighed = lexical.weigh(db, wanted, stats) if read is None else read
    if known is not None:
        known.weighed = weighed
    found = {w.clause for w in weighed}
    unknown = tuple(clause for clause in wanted if clause not in found)
    if options.calibrated and len(weighed) > options.clauses:
        unknown = unknown[: len(unknown) * options.clauses // len(weighed)]  # as large a share as before
        kept = set(sorted(range(len(weighed)), key=lambda i: -weighed[i].worth)[: options.clauses])
        weighed = [w for i, w in enumerate(weighed) if i in kept]
    return _question(query, weighed, stats, unknown, options, now)


def _question(
    query: Query,
    weighed: list[lexical.Weighed],
    stats: lexical.Statistics,
    unknown: tuple[Clause, ...],
    options: Options,
    now: int,
) -> rank.Asked:
    named = mentions(query.words, now)
    dates = None
    if named:

        def dates(at: int) -> float:
            return max(rank.DATE_WEIGHT[m.level] if matches(m, at) else 0.0 for m in named)

    total = sum(w.worth for w in weighed)
    kinds = rank.KIND_WEIGHT if options.group else rank.PASSAGE_WEIGHT
    steps = rank.steps_of(query.words, weighed)
    return rank.Asked(weighed, stats, total, dates, now if options.recency else None, unknown, kinds, steps)


# --- pages -----------------------------------------------------------------------------------------------


def asked_at(cursor: str | None) -> int | None:
    """When the first page was asked for: `since:7d`, and what is recent, mean the same on every page."""
    parts = (cursor or "").split("-")
    at = number_of(parts[1]) if len(parts) == 3 else None
    return at if at is not None and at < _END_OF_TIME else None


def _state(db: sqlite3.Connection, query: Query, options: Options, now: int, vectors: str) -> str:
    (position,) = db.execute("select coalesce(min(position), 0) from projection_offsets").fetchone()
    how = (int(options.group), int(options.recency), int(options.calibrated), options.mode, vectors)
    left_out = repr(sorted(options.without))
    key = dedupe_key(query.text, repr(query.filters), *how, left_out, position)
    return f"{short_id(max(now, 0))}-{key[:12]}"


def _offset(cursor: str, current: str) -> int:
    offset, _, state = cursor.partition("-")
    if not offset.isdecimal() or len(offset) > 6 or state != current:
        raise BadQuery(
            "the cursor is of another query, or the index has changed since",
            hint="search again without --cursor",
        )
    return int(offset)
