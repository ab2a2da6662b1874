"""Candidates: the passages that may answer a query, filtered and scored, best first."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Sequence
from operator import neg

from axiommind.projections import PLACE_BITS
from axiommind.search import filters, lexical, rank
from axiommind.search.query import Query
from axiommind.search.rows import Texts, passages_where
from axiommind.text.query_terms import Clause, phrase
from axiommind.text.tokens import terms

__all__ = ["OF_ONE_GROUP", "SCORED", "entry_weights", "literally", "passing", "scored", "within"]

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


def scored(
    db: sqlite3.Connection,
    query: Query,
    asked: rank.Asked,
    must: list[Clause],
    texts: Texts,
    known: lexical.KnownWords | None = None,
    most: int = SCORED,
) -> list[rank.Scored]:
    gathered = lexical.gather(db, list(asked.weighed), within(db, query), known)
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
    passages = passing(db, query, order, texts, most)
    titles = _titles(db, passages)
    if must:
        passages = [p for p in passages if p.ref not in titles or _in_one_part(p, must, titles[p.ref], texts)]
    places = _places(asked, gathered, passages)
    sizes = lexical.lengths(db, places)
    weights = entry_weights(db, passages)

    def ranked(some: Iterable[rank.Passage]) -> list[rank.Scored]:
        found = [
            rank.score(
                asked,
                p,
                places[p.id],
                sizes.get(p.id, 0),
                titles.get(p.ref, 0),
                weights.get(p.id, 1.0),
            )
            for p in some
        ]
        found.sort(key=lambda one: (-one.score, one.passage.id))
        return found

    first = ranked(passages)
    unplaced = [i for i, known in enumerate(gathered.placed) if not known]
    if not unplaced:
        return first
    best = [one.passage for one in first[:READ]]
    for passage in best:
        title, text = texts(passage)
        read = rank.places_in(
            [asked.weighed[i] for i in unplaced], text[:_READ_CHARS], title, each=passage.kind == "pad"
        )
        for i, at in zip(unplaced, read, strict=True):
            places[passage.id][i] = at or places[passage.id][i]
    return ranked(best) + first[READ:]


def within(db: sqlite3.Connection, query: Query) -> lexical.Within | None:
    """The events that a project's or a session's passages come from, or those of scratchpads; None if not asked for."""
    project, session, scratchpads = query.filters.project, query.filters.session, query.filters.scratchpads
    if project is None and not session and not (scratchpads and any(scratchpads)):
        return None if scratchpads is None else lexical.OfKind("pad")
    of_sessions, of_documents, of_workflows, values = filters.owners(query.filters)
    rows = db.execute(
        f"""
        select g.position
        from sessions s
        join segments g on g.session_id = s.id
        where {of_sessions}
        union all
        select d.position
        from documents d
        where {of_documents}
        union all
        select e.id >> {PLACE_BITS}
        from sessions s
        join entries e on e.session_id = s.id
        where {of_sessions}
        union all
        select c.id >> {PLACE_BITS}
        from workflows w
        join pad_chunks c on c.workflow_id = w.id
        where {of_workflows}
        """,
        values,
    )
    return lexical.Within({row[0] for row in rows})


def _titles(db: sqlite3.Connection, passages: Sequence[rank.Passage]) -> dict[int, int]:
    """How many terms of documents' and scratchpads' passages are their headings', by the row they refer to: no event
    brings both, so no two rows have one id."""
    chunks = ", ".join(str(p.ref) for p in passages if p.kind == "doc")
    rows = db.execute(f"select id, heading from chunks where id in ({chunks})").fetchall()
    known = {heading: len(terms(heading)) for _, heading in rows}
    found = {chunk: known[heading] for chunk, heading in rows}
    of_scratchpads = ", ".join(str(p.ref) for p in passages if p.kind == "pad")
    if of_scratchpads:
        found.update(db.execute(f"select id, title_terms from pad_owners where id in ({of_scratchpads})").fetchall())
    return found


def _in_one_part(passage: rank.Passage, must: Sequence[Clause], titled: int, texts: Texts) -> bool:
    """Whether each phrase stands in the title or in the text: where they meet, there is none."""
    title, text = texts(passage)
    wanted = [lexical.Weighed(clause, 0, 0, 0.0) for clause in must]
    found = zip(must, rank.places_in(wanted, text, title, each=passage.kind == "pad"), strict=True)
    return all(any(at >= titled or at + len(clause.terms) <= titled for at in places) for clause, places in found)


def entry_weights(db: sqlite3.Connection, passages: Sequence[rank.Passage]) -> dict[int, float]:
    """How much entries count, by their stage and status."""
    refs = {p.ref: p.id for p in passages if p.kind == "insight"}
    rows = db.execute(f"select id, stage, status from entries where id in ({', '.join(map(str, refs))})")
    return {refs[ref]: rank.STAGE_WEIGHT[stage] * rank.STATUS_WEIGHT[status] for ref, stage, status in rows}


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


def passing(db: sqlite3.Connection, query: Query, order: Sequence[int], texts: Texts, most: int) -> list[rank.Passage]:
    """The first candidates that pass the filters, not too many of one session, unless it was asked for."""
    condition, values = filters.conditions(query.filters)
    literal = [text for text in query.phrases if phrase(text) is None]
    looked_at = _READ if literal or query.filters.lang else _LOOKED_AT
    of_one = most if query.filters.session else OF_ONE_GROUP
    of_group: dict[str, int] = {}
    taken: list[rank.Passage] = []
    for start in range(0, min(len(order), looked_at), _CHUNK):
        ids = order[start : start + _CHUNK]
        places = ", ".join(map(str, ids))  # numbers of ours, not words of a user
        rows = {row[0]: row for row in db.execute(f"{passages_where(condition)} and p.id in ({places})", values)}
        for passage in (rank.Passage(*rows[i]) for i in ids if i in rows):
            if of_group.get(passage.group, 0) < of_one and _suits(db, query, literal, passage, texts):
                of_group[passage.group] = of_group.get(passage.group, 0) + 1
                taken.append(passage)
                if len(taken) >= most:
                    return taken
    return taken


def literally(db: sqlite3.Connection, query: Query, texts: Texts) -> list[rank.Passage]:
    """The newest passages that hold the query literally; with no query at all, the newest that pass the filters."""
    condition, values = filters.conditions(query.filters)
    literal = [text for text in (query.words.strip(), *query.phrases) if text]
    if not literal and not query.filters.lang and condition == "true":
        return []
    refused = set().union(*(lexical.rows_with(db, c) for c in map(phrase, query.excluded) if c is not None))
    deadline = time.monotonic() + _LIKE_SECONDS
    found: list[rank.Passage] = []
    for row in db.execute(f"{passages_where(condition)} order by p.timestamp desc, p.id desc", values):
        passage = rank.Passage(*row)
        if passage.id in refused or not _suits(db, query, literal, passage, texts):
            if time.monotonic() > deadline:
                break
            continue
        found.append(passage)
        if len(found) >= _LIKE_ROWS:
            break
    return found


def _suits(db: sqlite3.Connection, query: Query, literal: Sequence[str], passage: rank.Passage, texts: Texts) -> bool:
    """What only its text can tell of a passage: that it holds what has no words, and its language."""
    if not all(any(text in part for part in texts(passage)) for text in literal):
        return False
    return query.filters.lang is None or _speaks(db, passage, query.filters.lang, texts)


def _speaks(db: sqlite3.Connection, passage: rank.Passage, lang: str, texts: Texts) -> bool:
    from axiommind.text.language import detect

    if passage.kind == "doc":
        row = db.execute("select lang from documents where id = ?", (passage.doc_id,)).fetchone()
        found = row[0] if row else "und"
    else:
        found = detect(texts(passage)[1])
    # A few Latin words may be of any language; asked for English, they count.
    return bool(found == lang or (lang == "en" and found == "und"))
