"""Find: a query in, ranked hits with their citations out. Reads only; the same index and query give the same hits.

Candidates come from the postings (`lexical`), those that pass the filters are read and scored (`rank`), near-duplicates
are folded, and sessions are pooled when asked for. Text without a word in it (an emoji, `->`) is looked up with LIKE.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Sequence
from operator import neg
from typing import Any, NamedTuple

from axiommind.errors import BadQuery, IndexCorrupt
from axiommind.ids import dedupe_key, number_of, short_id
from axiommind.model import Citation
from axiommind.projections.passages import VERSION
from axiommind.search import filters, lexical, rank
from axiommind.search.citations import locate
from axiommind.search.dates import matches, mentions
from axiommind.search.query import Filters, Query
from axiommind.search.snippets import Snippet, cut
from axiommind.text.summary import summary
from axiommind.text.tokens import FTS_TOKENIZE, Clause, clauses, phrase, search_method, terms
from axiommind.text.tools import tool_text

__all__ = ["Hit", "Options", "Page", "Shown", "asked_at", "connect", "find", "index_version", "show"]

# Passages that are read and scored, and how many of one session: hit@1 of every set is the same with 300 and 5,000.
SCORED = 240
OF_ONE_GROUP = 12
# Rows that are looked at before filters are taken to leave nothing more.
_LOOKED_AT = 40_000
_READ = 4_000  # when their text has to be read for it
_CHUNK = 400
# The best passages whose texts are read when a word was too common for its places to be gathered.
READ = 30
_READ_CHARS = 2_000
_LIKE_SECONDS = 1.0
_LIKE_ROWS = 200
MAX_K = 100
_END_OF_TIME = 1 << 42  # milliseconds: the year 2109

_ROWS = """
    select p.id, p.kind, p.ref, p.session_id, p.doc_id, p.timestamp, coalesce(s.parent_session, p.session_id, p.doc_id)
    from passages p
    left join sessions s on s.id = p.session_id
"""
# Joined only where a filter asks for them: each costs a lookup for every candidate.
_MORE_ROWS = {
    "d.": " left join documents d on d.id = p.doc_id",
    "t.": " left join tool_uses t on p.kind = 'tool' and t.id = p.ref",
}
_TEXT = {
    "prompt": "select '', text from prompts where id = ?",
    "response": "select '', text from responses where id = ?",
    "tool": "select '', axm_tool_text(tool_name, input_json, error, output) from tool_uses where id = ?",
    "doc": "select heading, text from chunks where id = ?",
}


def _rows(condition: str) -> str:
    joins = "".join(join for name, join in _MORE_ROWS.items() if name in condition)
    return f"{_ROWS}{joins} where {condition}"


class Options(NamedTuple):
    k: int = 10
    group: bool = False  # rank sessions and documents instead of passages
    recency: bool = True
    cursor: str | None = None


class Hit(NamedTuple):
    """A passage, or with `passages` a session or document shown by its best one."""

    id: str
    doc_id: str | None
    kind: str
    score: float
    score_kind: str
    summary: str
    snippet: Snippet
    session_id: str | None
    project: str | None
    timestamp: int | None
    citation: Citation | None
    heading: str
    title: str | None  # of the session
    agent: str | None
    same: int  # others that say the same and were folded into this one
    passages: int  # of a session or document, those that matched
    why: dict[str, Any]


class Page(NamedTuple):
    query: str
    search_method: str
    took_ms: float
    index_version: str
    hits: tuple[Hit, ...]
    total: int
    next_cursor: str | None


def connect(db: sqlite3.Connection) -> None:
    """What searching needs of a reading connection."""
    db.create_function("axm_tool_text", 4, tool_text, deterministic=True)
    filters.connect(db)
    lexical.prepare(db)


def index_version(db: sqlite3.Connection) -> str:
    """The shape of the index: its schema's version, and a hash of how texts become terms."""
    (schema,) = db.execute("select max(value) from meta where key = 'schema_version'").fetchone()
    versions = db.execute(
        "select projector_name, version from projection_offsets where projector_name in ('passages', 'documents')"
    ).fetchall()
    if ("passages", VERSION) not in versions:
        raise IndexCorrupt("the index was made by another version of this program", hint="run: axm index")
    made = dedupe_key(FTS_TOKENIZE, *(str(part) for row in sorted(versions) for part in row))
    return f"{schema}-{made[:12]}"


def find(db: sqlite3.Connection, query: Query, options: Options, now: int) -> Page:
    """The best passages (or sessions) for a query, as of `now` (epoch ms)."""
    started = time.perf_counter()
    k = max(min(options.k, MAX_K), 0)
    version = index_version(db)
    offset = _offset(db, query, options, now)
    wanted = clauses(query.words)
    must = [c for c in map(phrase, query.phrases) if c is not None]
    asked = _asked(db, query, wanted + must, options, now)
    texts = _Texts(db)
    if wanted or must:
        method = search_method(query.text)
        scored = _scored(db, query, asked, must, texts)
    else:
        method = "like"
        scored = [rank.score(asked, p, (), 0) for p in _like(db, query, texts)]
    found = _grouped(asked, scored) if options.group else _single(scored, offset + k, texts)
    page = found[offset : offset + k]
    hits = _hits(db, asked, page, texts, grouped=options.group)
    total = len(found) if options.group else max(len(found), len(scored) - sum(same for _, same, _ in found))
    more = offset + k < total and k > 0 and len(page) == k
    cursor = _cursor(db, query, options, now, offset + k) if more else None
    took = (time.perf_counter() - started) * 1000
    return Page(query.text, method, round(took, 2), version, hits, total, cursor)


def _asked(db: sqlite3.Connection, query: Query, wanted: list[Clause], options: Options, now: int) -> rank.Asked:
    stats = lexical.statistics(db)
    weighed = lexical.weigh(db, wanted, stats)
    total = sum(w.worth for w in weighed)
    named = mentions(query.words, now)
    dates = None
    if named:

        def dates(at: int) -> float:
            return max(rank.DATE_WEIGHT[m.level] if matches(m, at) else 0.0 for m in named)

    return rank.Asked(weighed, stats, total, dates, now if options.recency else None)


# --- candidates ------------------------------------------------------------------------------------------


def _scored(
    db: sqlite3.Connection,
    query: Query,
    asked: rank.Asked,
    must: list[Clause],
    texts: _Texts,
) -> list[rank.Scored]:
    gathered = lexical.gather(db, list(asked.weighed), _within(db, query))
    found = gathered.worths
    for clause in must:
        having = lexical.rows_with(db, clause)
        found = {row: worth for row, worth in found.items() if row in having}
    for text in query.excluded:
        if (without := phrase(text)) is not None:
            having = lexical.rows_with(db, without)
            found = {row: worth for row, worth in found.items() if row not in having}
    # Ties go to the newer row: ids grow with the log.
    order = [-row for _, row in sorted(zip(map(neg, found.values()), map(neg, found), strict=True))]
    passages = _passing(db, query, order, texts)
    places = _places(asked, gathered, passages)
    sizes = lexical.lengths(db, places)
    titles = _titles(db, passages)

    def scored(some: Iterable[rank.Passage]) -> list[rank.Scored]:
        found = [
            rank.score(asked, p, places[p.id], sizes.get(p.id, 0), titles[p.ref] if p.kind == "doc" else 0)
            for p in some
        ]
        found.sort(key=lambda one: (-one.score, one.passage.id))
        return found

    first = scored(passages)
    unplaced = [i for i, known in enumerate(gathered.placed) if not known]
    if not unplaced:
        return first
    best = [one.passage for one in first[:READ]]
    for passage in best:
        title, text = texts(passage)
        read = rank.places_in([asked.weighed[i] for i in unplaced], text[:_READ_CHARS], title)
        for i, at in zip(unplaced, read, strict=True):
            places[passage.id][i] = at or places[passage.id][i]
    return scored(best) + first[READ:]


def _within(db: sqlite3.Connection, query: Query) -> lexical.Within | None:
    """The events that a project's or a session's passages come from; None when neither is asked for."""
    wanted = Filters(project=query.filters.project, session=query.filters.session)
    if wanted == Filters():
        return None
    condition, values = filters.conditions(wanted)
    rows = db.execute(
        f"""
        select g.position
        from segments g
        join sessions s on s.id = g.session_id
        left join documents d on false
        where {condition}
        union all
        select d.position
        from documents d
        left join sessions s on false
        where {condition}
        """,
        values,
    )
    return lexical.Within({row[0] for row in rows})


def _titles(db: sqlite3.Connection, passages: Sequence[rank.Passage]) -> dict[int, int]:
    """How many terms of a document's passages are their headings'."""
    chunks = ", ".join(str(p.ref) for p in passages if p.kind == "doc")
    rows = db.execute(f"select id, heading from chunks where id in ({chunks})").fetchall()
    known = {heading: len(terms(heading)) for _, heading in rows}
    return {chunk: known[heading] for chunk, heading in rows}


def _places(
    asked: rank.Asked, gathered: lexical.Gathered, passages: Sequence[rank.Passage]
) -> dict[int, list[list[int]]]:
    """Where each clause is in each passage."""
    found: dict[int, list[list[int]]] = {p.id: [[] for _ in asked.weighed] for p in passages}
    for i, places in enumerate(gathered.places):
        for row, place in places:
            if row in found:
                found[row][i].append(place)
    return found


def _passing(db: sqlite3.Connection, query: Query, order: Sequence[int], texts: _Texts) -> list[rank.Passage]:
    """The first candidates that pass the filters, not too many of one session, unless it was asked for."""
    condition, values = filters.conditions(query.filters)
    literal = [text for text in query.phrases if phrase(text) is None]
    looked_at = _READ if literal or query.filters.lang else _LOOKED_AT
    of_one = SCORED if query.filters.session else OF_ONE_GROUP
    of_group: dict[str, int] = {}
    taken: list[rank.Passage] = []
    for start in range(0, min(len(order), looked_at), _CHUNK):
        ids = order[start : start + _CHUNK]
        places = ", ".join(map(str, ids))  # numbers of ours, not words of a user
        rows = {row[0]: row for row in db.execute(f"{_rows(condition)} and p.id in ({places})", values)}
        for passage in (rank.Passage(*rows[i]) for i in ids if i in rows):
            if of_group.get(passage.group, 0) < of_one and _suits(db, query, literal, passage, texts):
                of_group[passage.group] = of_group.get(passage.group, 0) + 1
                taken.append(passage)
                if len(taken) >= SCORED:
                    return taken
    return taken


class _Texts:
    """Title and text of passages, each read once."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._known: dict[int, tuple[str, str]] = {}

    def __call__(self, passage: rank.Passage) -> tuple[str, str]:
        found = self._known.get(passage.id)
        if found is None:
            row = self._db.execute(_TEXT[passage.kind], (passage.ref,)).fetchone()
            found = self._known[passage.id] = (row[0], row[1] or "") if row else ("", "")
        return found


def _like(db: sqlite3.Connection, query: Query, texts: _Texts) -> list[rank.Passage]:
    """The newest passages that hold the query as it stands; with no query at all, the newest that pass the filters."""
    condition, values = filters.conditions(query.filters)
    literal = [text for text in (query.words.strip(), *query.phrases) if text]
    if not literal and not query.filters.lang and condition == "true":
        return []
    refused = set().union(*(lexical.rows_with(db, c) for c in map(phrase, query.excluded) if c is not None))
    deadline = time.monotonic() + _LIKE_SECONDS
    found: list[rank.Passage] = []
    for row in db.execute(f"{_rows(condition)} order by p.timestamp desc, p.id desc", values):
        passage = rank.Passage(*row)
        if passage.id in refused or not _suits(db, query, literal, passage, texts):
            if time.monotonic() > deadline:
                break
            continue
        found.append(passage)
        if len(found) >= _LIKE_ROWS:
            break
    return found


def _suits(db: sqlite3.Connection, query: Query, literal: Sequence[str], passage: rank.Passage, texts: _Texts) -> bool:
    """What only its text can tell of a passage: that it holds what has no words, and its language."""
    if not all(any(text in part for part in texts(passage)) for text in literal):
        return False
    return query.filters.lang is None or _speaks(db, passage, query.filters.lang, texts)


def _speaks(db: sqlite3.Connection, passage: rank.Passage, lang: str, texts: _Texts) -> bool:
    from axiommind.text.language import detect

    if passage.doc_id is not None:
        row = db.execute("select lang from documents where id = ?", (passage.doc_id,)).fetchone()
        return bool(row) and row[0] == lang
    return detect(texts(passage)[1]) == lang


# --- results ---------------------------------------------------------------------------------------------

_Found = tuple[rank.Scored, int, "rank.Group | None"]


def _single(scored: Sequence[rank.Scored], wanted: int, texts: _Texts) -> list[_Found]:
    return [(one, same, None) for one, same in rank.fold(scored, wanted, lambda passage: texts(passage)[1])]


def _grouped(asked: rank.Asked, scored: Sequence[rank.Scored]) -> list[_Found]:
    return [(group.best[0], 0, group) for group in rank.pool(asked, scored)]


def _hits(
    db: sqlite3.Connection, asked: rank.Asked, page: Sequence[_Found], texts: _Texts, *, grouped: bool
) -> tuple[Hit, ...]:
    wanted = [w.clause for w in asked.weighed]
    where = locate(db, [(one.passage.id, one.passage.kind, one.passage.ref) for one, _, _ in page])
    hits = []
    for one, same, group in page:
        passage = one.passage
        heading, text = texts(passage)
        project, title, agent = _owner(db, passage)
        worth = group.score if group else one.score
        hits.append(
            Hit(
                id=short_id(passage.id),
                doc_id=passage.doc_id,
                kind=passage.kind,
                score=round(worth / (1 + abs(worth)), 6),
                score_kind="session" if grouped else "bm25",
                summary=summary(text),
                snippet=cut(text, wanted),
                session_id=passage.group if group and passage.session_id else passage.session_id,
                project=project,
                timestamp=passage.timestamp,
                citation=where.get(passage.id),
                heading=heading,
                title=title,
                agent=agent,
                same=same,
                passages=len(group.best) if group else 1,
                why=_why(asked, one, group),
            )
        )
    return tuple(hits)


def _owner(db: sqlite3.Connection, passage: rank.Passage) -> tuple[str | None, str | None, str | None]:
    """The project of a passage, and its session's title and agent."""
    if passage.doc_id is not None:
        row = db.execute("select project, null, null from documents where id = ?", (passage.doc_id,)).fetchone()
    else:
        # The session that a person would open, or where that is not in the index the subagent's own.
        row = db.execute(
            "select project, title, agent from sessions where id in (:group, :own) order by id = :group desc",
            {"group": passage.group, "own": passage.session_id},
        ).fetchone()
    return row or (None, None, None)


def _why(asked: rank.Asked, one: rank.Scored, group: rank.Group | None) -> dict[str, Any]:
    """Which clauses matched where, and what each part of the score gave."""
    matched = [
        {
            "clause": " ".join(w.clause.terms) + ("*" if w.clause.prefix else ""),
            "in_passages": w.passages,
            "worth": round(w.worth, 3),
            "gave": round(gave, 3),
        }
        for w, gave in zip(asked.weighed, one.words, strict=True)
        if gave
    ]
    why: dict[str, Any] = {
        "matched": matched,
        "missing": [" ".join(w.clause.terms) for w, gave in zip(asked.weighed, one.words, strict=True) if not gave],
        "words": round(sum(one.words), 3),
        "near": round(one.near, 3),
        "kind_weight": one.kind,
        "date": round(one.date, 3),
        "recency": round(one.recency, 4),
        "passage": round(one.score, 3),
    }
    if group:
        why |= {
            "passages": [round(s.score, 3) for s in group.best[: rank.POOLED]],
            "covered": round(group.covered, 3),
            "session_date": round(group.date, 3),
            "session": round(group.score, 3),
        }
    return why


# --- one passage -----------------------------------------------------------------------------------------


class Shown(NamedTuple):
    """A passage in full, where it is, and what was said before and after it."""

    id: str
    kind: str
    session_id: str | None
    doc_id: str | None
    project: str | None
    title: str | None
    timestamp: int | None
    heading: str
    text: str
    citation: Citation | None
    before: tuple[tuple[str, str, str], ...]  # (id, kind, text)
    after: tuple[tuple[str, str, str], ...]


_BESIDE = """
    select p.id, p.kind, p.ref, p.session_id, p.doc_id, p.timestamp, p.session_id
    from passages p
    where p.session_id = :session and (coalesce(p.timestamp, 0), p.id) {sign} (:at, :id)
    order by coalesce(p.timestamp, 0) {order}, p.id {order}
    limit :count
"""


def show(db: sqlite3.Connection, number: int, context: int = 1) -> Shown | None:
    """One passage by its number; None when there is none."""
    index_version(db)  # another version's index is said to be one
    row = db.execute(f"{_ROWS} where p.id = ?", (number,)).fetchone()
    if row is None:
        return None
    passage = rank.Passage(*row)
    texts = _Texts(db)
    heading, text = texts(passage)
    project, title, _ = _owner(db, passage)
    beside: dict[str, tuple[tuple[str, str, str], ...]] = {}
    for sign, order in (("<", "desc"), (">", "asc")):
        values = {"session": passage.session_id, "at": passage.timestamp or 0, "id": number, "count": context}
        rows = db.execute(_BESIDE.format(sign=sign, order=order), values).fetchall()
        near = [(short_id(p.id), p.kind, texts(p)[1]) for p in (rank.Passage(*row) for row in rows)]
        beside[sign] = tuple(near[::-1] if sign == "<" else near)
    return Shown(
        short_id(number),
        passage.kind,
        passage.session_id,
        passage.doc_id,
        project,
        title,
        passage.timestamp,
        heading,
        text,
        locate(db, [(number, passage.kind, passage.ref)]).get(number),
        beside["<"],
        beside[">"],
    )


# --- pages -----------------------------------------------------------------------------------------------


def asked_at(cursor: str | None) -> int | None:
    """When the first page was asked for: `since:7d`, and what is recent, mean the same on every page."""
    parts = (cursor or "").split("-")
    at = number_of(parts[1]) if len(parts) == 3 else None
    return at if at is not None and at < _END_OF_TIME else None


def _state(db: sqlite3.Connection, query: Query, options: Options, now: int) -> str:
    (position,) = db.execute("select coalesce(min(position), 0) from projection_offsets").fetchone()
    what = dedupe_key(query.text, repr(query.filters), int(options.group), int(options.recency), position)
    return f"{short_id(max(now, 0))}-{what[:12]}"


def _cursor(db: sqlite3.Connection, query: Query, options: Options, now: int, offset: int) -> str:
    return f"{offset}-{_state(db, query, options, now)}"


def _offset(db: sqlite3.Connection, query: Query, options: Options, now: int) -> int:
    if not options.cursor:
        return 0
    offset, _, state = options.cursor.partition("-")
    if not offset.isdecimal() or len(offset) > 6 or state != _state(db, query, options, now):
        raise BadQuery(
            "the cursor is of another query, or the index has changed since",
            hint="search again without --cursor",
        )
    return int(offset)
