"""Which hits an agent is given: those likely enough to be meant, and of those none that was withdrawn, that it was told
before, or that its own session said.

A claim that was superseded gives way to the one that took its place. Reads only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from axiommind.errors import AxmError, BadQuery, IndexCorrupt, NotFound, UsageError
from axiommind.recall.disclosure import IndexItem

if TYPE_CHECKING:
    from axiommind.search.find import Page
    from axiommind.search.hits import Hit
    from axiommind.search.lexical import KnownWords
    from axiommind.search.query import Query
    from axiommind.search.semantic import Meaning

__all__ = ["OF_ONE_SESSION", "IndexRequest", "Selection", "select"]

# Of one session an agent is given no more lines than this, those that it was given before included: they are about the
# same, and `axm timeline` has the rest.
OF_ONE_SESSION = 3
# Of other projects only what stands out is given: scoring fewer passages shows that, in half the time.
SCORED_ELSEWHERE = 80


class IndexRequest(NamedTuple):
    """All that an index of matches depends on, beside the index file."""

    query: Query
    top_k: int
    min_score: float
    not_session: str | None
    skip: frozenset[str]
    mode: str
    now: int
    is_now: bool  # nobody asked for another time
    of_one: int = 0  # most items of one session; 0 is any number
    how: str = ""  # whether it is plain text, and the flags beside it, as they were given


class Selection(NamedTuple):
    """What may be given, best first, and the relevance of the best hit, whether it may be given or not."""

    items: tuple[IndexItem, ...] = ()
    best: float | None = None


def select(
    db: sqlite3.Connection, request: IndexRequest, meaning: Meaning | None, known: dict[str, KnownWords]
) -> Selection:
    """`known` keeps what was read of the words of each question, for whoever asks again with other options."""
    from axiommind.search.find import MAX_K

    if request.top_k <= 0:
        return Selection()
    items: list[IndexItem] = []
    best: float | None = None
    # Seldom are all of them likely, and some of those told before or withdrawn: then more are looked at.
    for k in (min(request.top_k, MAX_K), MAX_K):
        page = _page(db, request, k, meaning, known)
        likely = [hit for hit in page.hits if hit.score >= request.min_score]
        best = page.best if page.best is not None else page.hits[0].score if page.hits else best
        items = _may_be_given(db, request, likely) if likely else []
        if len(items) >= request.top_k or len(likely) < k or (request.of_one and items):
            break
    return Selection(tuple(items[: request.top_k]), best)


def _page(
    db: sqlite3.Connection, request: IndexRequest, k: int, meaning: Meaning | None, known: dict[str, KnownWords]
) -> Page:
    from axiommind.search.candidates import SCORED
    from axiommind.search.find import Options, find
    from axiommind.search.lexical import FOLLOWING_FOR_A_CHANCE, KnownWords

    without = frozenset((request.not_session,)) if request.not_session is not None else frozenset()
    scored = SCORED_ELSEWHERE if request.of_one and request.query.filters.project is None else SCORED
    options = Options(k, mode=request.mode, calibrated=True, without=without, floor=request.min_score, scored=scored)
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


def _may_be_given(db: sqlite3.Connection, request: IndexRequest, hits: Sequence[Hit]) -> list[IndexItem]:
    """What may be given of hits, or instead of them."""
    from axiommind.recall.withdrawn import already_told, without_withdrawn

    unwanted = _sessions(db, request.not_session)
    items = [_item(hit) for hit in hits]
    known = already_told(db, request.skip, items) if request.skip else frozenset()
    if request.not_session is not None:
        known |= _own(db, items, request.not_session)

    def is_wanted(item: IndexItem) -> bool:
        entry = item.entry.entry_id if item.entry is not None else None
        return item.session_id not in unwanted and item.id not in known and entry not in known

    # Asked again, because others may have taken the place of what was withdrawn.
    found = [item for item in without_withdrawn(db, [one for one in items if is_wanted(one)]) if is_wanted(item)]
    found = _still_there(db, found)
    return _spread(db, found, request) if request.of_one and found else found


def _still_there(db: sqlite3.Connection, items: list[IndexItem]) -> list[IndexItem]:
    """Without the entries whose files are gone; those whose files changed say so."""
    entries = {item.entry.entry_id for item in items if item.entry is not None}
    if not entries:  # most prompts meet none
        return items
    from axiommind.freshness.state import GONE, Freshness, freshness_of

    states = freshness_of(db, entries)
    told = [(item, states.get(item.entry.entry_id, Freshness()) if item.entry else Freshness()) for item in items]
    return [item._replace(changed=state.label) for item, state in told if state.state != GONE]


def _own(db: sqlite3.Connection, items: Sequence[IndexItem], session: str) -> frozenset[str]:
    """The items whose words a session holds itself, as a fork does."""
    if db.execute("select 1 from sessions where id = ?", (session,)).fetchone() is None:
        return frozenset()  # it has just begun, and nothing of it is indexed
    from axiommind.recall.withdrawn import copied
    from axiommind.search.reading.passage_ids import words_of

    words = {item.id: words_of(db, item.id) for item in items}
    own = copied(db, {passage for passages in words.values() for passage in passages}, session)
    return frozenset(name for name, passages in words.items() if not own.isdisjoint(passages))


def _spread(db: sqlite3.Connection, items: Sequence[IndexItem], request: IndexRequest) -> list[IndexItem]:
    """The first items, no more than so many of one session, counting those that were given before."""
    of_session: dict[str, int] = {}
    if request.skip:
        from axiommind.search.reading.passage_ids import sessions_of

        of_session = sessions_of(db, request.skip)
    kept = []
    for item in items:
        if item.session_id is not None:
            of_session[item.session_id] = of_session.get(item.session_id, 0) + 1
        if item.session_id is None or of_session[item.session_id] <= request.of_one:
            kept.append(item)
    return kept


def _sessions(db: sqlite3.Connection, session: str | None) -> set[str]:
    """A session and its subagents."""
    if session is None:
        return set()
    return {session, *(row[0] for row in db.execute("select id from sessions where parent_session = ?", (session,)))}


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
    )
