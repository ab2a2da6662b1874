"""Recalling: what an agent is given, in layers: an index, a timeline, details; within a budget, or nothing.

A hook imports this and no more of the library. One connection and one state of the index for each answer.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.errors import AxmError, BadQuery, IndexCorrupt, NotFound, UsageError
from axiommind.home import Home, Scope, now

if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Self

    from axiommind.recall.cache import Cache
    from axiommind.recall.disclosure import Detail, Disclosed, IndexItem, TimelineItem
    from axiommind.search.find import Page
    from axiommind.search.hits import Hit
    from axiommind.search.lexical import Known
    from axiommind.search.query import Query
    from axiommind.search.searching import Search
    from axiommind.search.semantic import Meaning

__all__ = ["Reader", "Recall", "Silence"]

_MOST_WINDOW = 100
# Of one session an agent is given no more lines than this, those that it was given before included: they are about the
# same, and `axm timeline` has the rest.
OF_ONE_SESSION = 3
# Nor lines so far behind the first: of what is given on the reported half of the sets 92 % is right, 90 % with them.
TRAILING = 0.1
# Of other projects only what stands out is given: fewer passages tell that, in half the time.
SCORED_ELSEWHERE = 80
_now = now


class Silence(NamedTuple):
    """Why an agent is given nothing for a prompt."""

    why: str  # nothing_to_ask, nothing_relevant, nothing_new, no_room
    best: float | None = None  # the relevance of what came nearest


class _Wanted(NamedTuple):
    """All that an index depends on, beside the index file."""

    query: Query
    top_k: int
    min_score: float
    not_session: str | None
    skip: frozenset[str]
    mode: str
    now: int
    of_one: int = 0  # most items of one session; 0 is any number
    how: str = ""  # whether it is plain text, and the flags beside it, as they were given


class Reader(NamedTuple):
    """A connection that can be searched, in one state of the index."""

    db: sqlite3.Connection
    meaning: Meaning | None
    state: Hashable  # of the index; None where nothing is kept
    known: dict[str, Known]  # what was read of the words of each question


class Recall:
    """What an agent is given. Call it with a prompt."""

    def __init__(self, home: Home, search: Search) -> None:
        self.home = home
        self.search = search

    cache: Cache | None = None

    def with_cache(self, clock: Callable[[], float] | None = None) -> Self:
        """Keep answers, for a process that stays: until they are old, or the index has changed."""
        from axiommind.recall.cache import Cache

        self.cache = Cache(self.home.config.disclosure) if clock is None else Cache(self.home.config.disclosure, clock)
        return self

    # --- the layers ------------------------------------------------------------------------------------

    def index(
        self,
        text: str,
        scope: Scope,
        *,
        top_k: int | None = None,
        min_score: float | None = None,
        plain: bool = False,
        not_session: str | None = None,
        skip: Collection[str] = frozenset(),
        mode: str = "lexical",
        now: int | None = None,
        **flags: Any,
    ) -> list[IndexItem]:
        """Layer 1: what may be meant, best first, and nothing that is less likely than `min_score`.

        `plain` text is no query: what looks like syntax in it is words. Nothing of `not_session` and its subagents,
        and nothing that is in `skip` (ids of passages or entries).
        """
        at = _now() if now is None else now
        query = self._query(text, scope, at, plain=plain, **flags)
        wanted = self._wanted(query, at, top_k, min_score, not_session, skip, mode)
        wanted = wanted._replace(how=repr((plain, sorted(flags.items()))))
        with self.reading(mode) as reader:
            return self._index(reader, wanted, is_now=now is None)

    def timeline(self, ids: Sequence[str], *, window: int = 3) -> list[TimelineItem]:
        """Layer 2: what was said around passages (or entries) in their sessions, `window` of them each side."""
        with self.reading() as reader:
            return self._timeline(reader, ids, max(min(window, _MOST_WINDOW), 0))

    def details(self, ids: Sequence[str]) -> list[Detail]:
        """Layer 3: passages (or entries) in full, in the order asked for."""
        with self.reading() as reader:
            return self._details(reader, ids)

    def smart_search(
        self,
        text: str,
        scope: Scope,
        *,
        budget: int | None = None,
        fenced: bool = True,
        top_k: int | None = None,
        min_score: float | None = None,
        plain: bool = False,
        not_session: str | None = None,
        skip: Collection[str] = frozenset(),
        mode: str = "lexical",
        now: int | None = None,
        **flags: Any,
    ) -> Disclosed:
        """The index, and of what is clearly meant the timeline and details, all within a budget of tokens, which pays
        for a fence around it unless none is needed."""
        at = _now() if now is None else now
        query = self._query(text, scope, at, plain=plain, **flags)
        wanted = self._wanted(query, at, top_k, min_score, not_session, skip, mode)
        wanted = wanted._replace(how=repr((plain, sorted(flags.items()))))
        with self.reading(mode) as reader:
            items = self._index(reader, wanted, is_now=now is None)
            tokens = self.home.config.disclosure.max_tokens if budget is None else budget
            return self._disclose(reader, items, query, tokens, fenced=fenced)

    # --- for an agent ----------------------------------------------------------------------------------

    def __call__(
        self,
        prompt: str,
        scope: Scope | str,
        *,
        budget: int | None = None,
        session: str | None = None,
        skip: Collection[str] = frozenset(),
        now: int | None = None,
    ) -> Disclosed | None:
        """What an agent in `session` is given for a prompt; None is silence."""
        found = self.answer(prompt, scope, budget=budget, session=session, skip=skip, now=now)
        return None if isinstance(found, Silence) else found

    def answer(
        self,
        prompt: str,
        scope: Scope | str,
        *,
        budget: int | None = None,
        session: str | None = None,
        skip: Collection[str] = frozenset(),
        now: int | None = None,
    ) -> Disclosed | Silence:
        """The same, with the reason of a silence. Instead of a scope, the folder that is worked in will do.

        The project's own memories come first. Only where it has none that are likely, and in a folder that is no known
        project, those of others are looked at, and they have to be more likely.
        """
        from axiommind.recall.question import to_ask

        asked = to_ask(prompt)
        if asked is None:
            return Silence("nothing_to_ask")
        at = _now() if now is None else now
        best: list[float] = []
        hooks = self.home.config.hooks
        with self.reading() as reader:
            mine = scope.project if isinstance(scope, Scope) else self.project_of(reader.db, scope)
            items: list[IndexItem] = []
            is_known = False  # what is likely was given before, or does not stand any more
            floors = [(mine, None)] if mine is not None else []
            for project, floor in [*floors, (None, hooks.other_projects)]:
                query = self._query(asked, Scope(project), at, plain=True)
                wanted = self._wanted(query, at, None, floor, session, skip, "lexical")._replace(of_one=OF_ONE_SESSION)
                items = self._index(reader, wanted, is_now=now is None, best=best)
                is_known |= bool(best) and best[-1] >= wanted.min_score
                if items:
                    beyond = project is None
                    items = [i._replace(elsewhere=beyond and i.project != mine) for i in items]
                    break
            if not items:
                return Silence("nothing_new" if is_known else "nothing_relevant", max(best, default=None))
            tokens = hooks.prompt_tokens if budget is None else budget
            found = self._disclose(reader, items, query, tokens, trailing=TRAILING)
        return found if found.matches else Silence("no_room", items[0].score)

    def passage_id(self, name: str) -> str | None:
        """The id of the passage that an id means: its own, or that of the entry which it names; None when unknown."""
        from axiommind.ids import short_id
        from axiommind.search.passage_ids import numbers

        with self.reading() as reader:
            found = numbers(reader.db, [name])
        return short_id(found[0]) if found else None

    # --- how -------------------------------------------------------------------------------------------

    def _query(self, text: str, scope: Scope, at: int, *, plain: bool = False, **flags: Any) -> Query:
        from axiommind.search.query import Query

        if plain:
            return Query.plain(text, now=at, project=scope.project)
        query = Query.parse(text, now=at, **flags)
        named = query.filters.project
        project = self.home.scope(project=named).project if named is not None else scope.project
        return query._replace(filters=query.filters._replace(project=project))

    def _wanted(
        self,
        query: Query,
        at: int,
        top_k: int | None,
        min_score: float | None,
        not_session: str | None,
        skip: Collection[str],
        mode: str,
    ) -> _Wanted:
        from axiommind.search.find import MODES

        if mode not in MODES:
            raise UsageError(f"there is no mode {mode!r}", hint=f"one of: {', '.join(MODES)}")
        settings = self.home.config.disclosure
        top_k = settings.top_k if top_k is None else top_k
        floor = settings.min_score if min_score is None else min_score
        return _Wanted(query, top_k, floor, not_session, frozenset(skip), mode, at)

    @contextlib.contextmanager
    def reading(self, mode: str = "lexical") -> Iterator[Reader]:
        """A connection that sees one state of the index, whoever writes meanwhile."""
        from axiommind.search.find import connect

        with self.home.reading(Scope(None), None) as db, self.search.vectors(mode, None) as (meaning, _reason):
            connect(db)
            db.execute("pragma query_only=on")
            db.execute("begin")
            yield Reader(db, meaning, None if self.cache is None else self._state(db), {})

    def project_of(self, db: sqlite3.Connection, folder: str) -> str | None:
        """The indexed project that a folder belongs to."""
        from axiommind.projections.scope import project_in

        return project_in(db, folder, stop=str(self.home.user))

    def _state(self, db: sqlite3.Connection) -> Hashable:
        """What changes whenever the index does: rulings, learning and forgetting are events, and move its position. A
        rebuilt or restored index is another file, or another length of one; vectors have files of their own."""
        positions = db.execute("select max(position), sum(position), sum(version) from projection_offsets").fetchone()
        path = self.home.config.index_path
        files = [path.stat()]
        with contextlib.suppress(FileNotFoundError), os.scandir(self.home.config.home / "vectors") as inside:
            # Readers touch -shm files.
            files += [one.stat() for one in sorted(inside, key=lambda one: one.name) if not one.name.endswith("-shm")]
        return (*positions, *((file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns) for file in files))

    def _index(
        self, reader: Reader, wanted: _Wanted, *, is_now: bool, best: list[float] | None = None
    ) -> list[IndexItem]:
        """`best` is told the relevance of the best hit, whether it was likely enough or not."""
        if wanted.top_k <= 0:
            return []
        if self.cache is None:
            return self._find(reader, wanted, best)
        from axiommind.recall.cache import index_key

        # As it was asked: what `since:7d` means moves on, and is kept for no longer than its time to live.
        options = wanted._asdict() | {"skip": sorted(wanted.skip), "now": None if is_now else wanted.now}
        options["query"] = wanted.query.filters.project
        key = index_key(reader.state, wanted.query.text, options)
        kept = self.cache.index.get(key)
        if kept is None:
            kept = tuple(self._find(reader, wanted, best))
            self.cache.index.put(key, kept)
        elif best is not None:
            best += [item.score for item in kept[:1]]
        return list(kept)

    def _find(self, reader: Reader, wanted: _Wanted, best: list[float] | None) -> list[IndexItem]:
        from axiommind.search.find import MAX_K

        items: list[IndexItem] = []
        # Seldom are all of them likely, and some of those served before or fallen: then more are looked at.
        for k in (min(wanted.top_k, MAX_K), MAX_K):
            page = _page(reader, wanted, k)
            likely = [hit for hit in page.hits if hit.score >= wanted.min_score]
            if best is not None:
                best += [hit.score for hit in page.hits[:1]] if page.best is None else [page.best]
            items = _served(reader.db, wanted, likely) if likely else []
            if len(items) >= wanted.top_k or len(likely) < k or (wanted.of_one and items):
                break
        return items[: wanted.top_k]

    def _timeline(
        self, reader: Reader, ids: Sequence[str], window: int = 3, *, is_served: bool = False
    ) -> list[TimelineItem]:
        from axiommind.recall.layers import timeline
        from axiommind.search.passage_ids import numbers

        wanted = numbers(reader.db, ids)
        if self.cache is None:
            return timeline(reader.db, wanted, window, is_served=is_served)
        from axiommind.recall.cache import timeline_key

        key = timeline_key((reader.state, is_served), wanted, window)
        kept = self.cache.timeline.get(key)
        if kept is None:
            kept = tuple(timeline(reader.db, wanted, window, is_served=is_served))
            self.cache.timeline.put(key, kept)
        return list(kept)

    def _details(self, reader: Reader, ids: Sequence[str]) -> list[Detail]:
        from axiommind.recall.layers import details
        from axiommind.search.passage_ids import numbers

        wanted = numbers(reader.db, ids)
        if self.cache is None:
            return details(reader.db, wanted)
        from axiommind.ids import short_id
        from axiommind.recall.cache import detail_key

        kept = {number: self.cache.details.get(detail_key(reader.state, short_id(number))) for number in wanted}
        read = {one.id: one for one in details(reader.db, [number for number, one in kept.items() if one is None])}
        for name, one in read.items():
            self.cache.details.put(detail_key(reader.state, name), one)
        found = [one if one is not None else read.get(short_id(number)) for number, one in kept.items()]
        return [one for one in found if one is not None]

    def _disclose(
        self,
        reader: Reader,
        items: list[IndexItem],
        query: Query,
        budget: int,
        *,
        fenced: bool = True,
        trailing: float = 1.0,
    ) -> Disclosed:
        """What follows from an index; lines more than `trailing` behind the first have a say in it, and no place."""
        from axiommind.recall.disclosure import FENCE_CHARS, Disclosed, Meta, decide, fit
        from axiommind.text.tokens import clauses

        settings = self.home.config.disclosure
        expansion = decide(items, settings)
        items = [item for item in items if item.score >= items[0].score - trailing]
        shown = {item.id for item in items}
        around = [name for name in expansion.timeline_ids if name in shown]
        timeline = self._timeline(reader, around, is_served=True) if around else []
        details = self._details(reader, expansion.detail_ids) if expansion.detail_ids else []
        meta = Meta(len(items), 0, 0, expansion.reason)
        found = Disclosed(tuple(items), tuple(timeline), tuple(details), meta)
        return fit(found, budget, settings, clauses(query.words) if details else (), FENCE_CHARS if fenced else 0)


def _page(reader: Reader, wanted: _Wanted, k: int) -> Page:
    from axiommind.search.candidates import SCORED
    from axiommind.search.find import Options, find
    from axiommind.search.lexical import FOLLOWING_FOR_A_CHANCE, Known

    without = frozenset((wanted.not_session,)) if wanted.not_session is not None else frozenset()
    scored = SCORED_ELSEWHERE if wanted.of_one and wanted.query.filters.project is None else SCORED
    options = Options(k, mode=wanted.mode, calibrated=True, without=without, floor=wanted.min_score, scored=scored)
    try:
        known = reader.known.setdefault(wanted.query.text, Known(FOLLOWING_FOR_A_CHANCE))
        return find(reader.db, wanted.query, options, wanted.now, reader.meaning, known)
    except AxmError as error:
        if reader.meaning is None or isinstance(error, BadQuery | IndexCorrupt | NotFound | UsageError):
            raise
        return find(reader.db, wanted.query, options, wanted.now)  # vectors failed: then by words


def _served(db: sqlite3.Connection, wanted: _Wanted, hits: Sequence[Hit]) -> list[IndexItem]:
    """What may be served of hits, or instead of them."""
    from axiommind.recall.withdrawn import standing, told

    unwanted = _sessions(db, wanted.not_session)
    items = [_item(hit) for hit in hits]
    known = told(db, wanted.skip, items) if wanted.skip else frozenset()
    if wanted.not_session is not None:
        known |= _own(db, items, wanted.not_session)

    def is_wanted(item: IndexItem) -> bool:
        entry = item.entry.entry_id if item.entry is not None else None
        return item.session_id not in unwanted and item.id not in known and entry not in known

    # Also of what takes the place of others.
    found = [item for item in standing(db, [one for one in items if is_wanted(one)]) if is_wanted(item)]
    return _spread(db, found, wanted) if wanted.of_one and found else found


def _own(db: sqlite3.Connection, items: Sequence[IndexItem], session: str) -> frozenset[str]:
    """The items whose words a session holds itself, as a fork does."""
    if db.execute("select 1 from sessions where id = ?", (session,)).fetchone() is None:
        return frozenset()  # it has just begun, and nothing is known of it
    from axiommind.recall.withdrawn import copied
    from axiommind.search.passage_ids import words_of

    words = {item.id: words_of(db, item.id) for item in items}
    own = copied(db, {passage for passages in words.values() for passage in passages}, session)
    return frozenset(name for name, passages in words.items() if not own.isdisjoint(passages))


def _spread(db: sqlite3.Connection, items: Sequence[IndexItem], wanted: _Wanted) -> list[IndexItem]:
    """The first items, no more than so many of one session, with those that were given before."""
    of_session: dict[str, int] = {}
    if wanted.skip:
        from axiommind.search.passage_ids import sessions_of

        of_session = sessions_of(db, wanted.skip)
    kept = []
    for item in items:
        if item.session_id is not None:
            of_session[item.session_id] = of_session.get(item.session_id, 0) + 1
        if item.session_id is None or of_session[item.session_id] <= wanted.of_one:
            kept.append(item)
    return kept


def _sessions(db: sqlite3.Connection, session: str | None) -> set[str]:
    """A session and its subagents."""
    if session is None:
        return set()
    return {session, *(row[0] for row in db.execute("select id from sessions where parent_session = ?", (session,)))}


def _item(hit: Hit) -> IndexItem:
    from axiommind.recall.disclosure import IndexItem
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
