"""Which hits an agent is given: those likely enough to be meant, and of those what it may be given (`permission`); for
a prompt in its own project, what answers it (`answers`). Reads only.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from axiommind.errors import AxmError, BadQuery, IndexCorrupt, NotFound, UsageError
from axiommind.recall.disclosure import IndexItem
from axiommind.recall.request import IndexRequest, Selection

if TYPE_CHECKING:
    from axiommind.search.find import Page
    from axiommind.search.hits import Hit
    from axiommind.search.lexical import KnownWords
    from axiommind.search.semantic import Meaning

__all__ = ["select"]

# Of other projects only what stands out is given: scoring fewer passages shows that, in half the time.
SCORED_ELSEWHERE = 80


def select(
    db: sqlite3.Connection, request: IndexRequest, meaning: Meaning | None, known: dict[str, KnownWords]
) -> Selection:
    """`known` keeps what was read of the words of each question, for whoever asks again with other options."""
    from axiommind.recall.permission import allowed, weighed
    from axiommind.search.find import MAX_K

    if request.top_k <= 0:
        return Selection()
    if request.answers:
        from axiommind.recall.answers import answers

        try:
            return answers(db, request, known)
        except sqlite3.DatabaseError as error:
            from axiommind.projections.full_text import is_of_full_text

            if not is_of_full_text(error):
                raise  # otherwise what can be found by reading the texts has to do
    items: list[IndexItem] = []
    best: float | None = None
    method = note = version = ""
    # Seldom are all of them likely, and some of those told before or withdrawn: then more are looked at.
    for k in (min(request.top_k, MAX_K), MAX_K):
        page = _page(db, request, k, meaning, known)
        method, note, version = page.search_method, page.note or "", page.index_version
        read = weighed(db, request, [_item(hit) for hit in page.hits])
        likely = [item for item in read if item.score >= request.min_score]
        best = page.best if page.best is not None else page.hits[0].score if page.hits else best
        items = allowed(db, request, likely) if likely else []
        if len(items) >= request.top_k or len(likely) < k or (request.of_one and items):
            break
    return Selection(tuple(items[: request.top_k]), best, method, note, version)


def _page(
    db: sqlite3.Connection, request: IndexRequest, k: int, meaning: Meaning | None, known: dict[str, KnownWords]
) -> Page:
    from axiommind.search.candidates import SCORED
    from axiommind.search.evidence import CLAUSES
    from axiommind.search.find import MOST_CLAUSES, Options, find
    from axiommind.search.lexical import FOLLOWING_FOR_A_CHANCE, KnownWords

    without = frozenset((request.not_session,)) if request.not_session is not None else frozenset()
    scored = SCORED_ELSEWHERE if request.of_one and request.query.filters.project is None else SCORED
    # A prompt's words are known from its own project, as many of them as were asked there.
    most = CLAUSES if request.of_one else MOST_CLAUSES
    options = Options(
        k, mode=request.mode, calibrated=True, without=without, floor=request.min_score, scored=scored, clauses=most
    )
    query = request.query
    if not query.filters.kinds:  # a summary repeats what its session says, and may call pending what was finished later
        query = query._replace(filters=query.filters._replace(not_kinds=(*query.filters.not_kinds, "summary")))
    try:
        words = known.setdefault(query.text, KnownWords(FOLLOWING_FOR_A_CHANCE))
        return find(db, query, options, request.now, meaning, words)
    except AxmError as error:
        if meaning is None or isinstance(error, BadQuery | IndexCorrupt | NotFound | UsageError):
            raise
        return find(db, query, options, request.now)  # vectors failed: then by words


def _item(hit: Hit) -> IndexItem:
    from axiommind.search.snippets import telling
    from axiommind.text.summary import SUMMARY_CHARS, preview

    said = telling(hit.snippet, hit.summary)
    return IndexItem(
        hit.id,
        preview(f"{hit.tool}: {said}", SUMMARY_CHARS) if hit.tool is not None else said,
        hit.score,
        hit.kind,
        hit.timestamp,
        hit.session_id,
        hit.citation,
        hit.project,
        hit.entry,
        provenance=hit.provenance,
        chunk_id=hit.chunk_id,
    )
