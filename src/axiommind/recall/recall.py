"""What an agent is given: an index of matches, a timeline, details; within a budget, or nothing.

The way through: a prompt's question (`question`), the hits that may be given (`selection`, through a `reader` that sees
one state of the index), and as much of them as the budget allows (`disclosure`). Surfaces render and fence it.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.errors import UsageError
from axiommind.home import Home, Scope, now
from axiommind.recall.disclosure import FENCE_CHARS, Disclosed, Meta, decide
from axiommind.recall.reader import Reader
from axiommind.recall.request import OF_ONE_SESSION, IndexRequest

if TYPE_CHECKING:
    from typing import Self

    from axiommind.recall.cache import Cache
    from axiommind.recall.disclosure import Detail, IndexItem, TimelineItem
    from axiommind.recall.request import Selection
    from axiommind.search.query import Query
    from axiommind.search.search import Search

__all__ = ["Recall", "Recalled", "Silence"]

_MOST_WINDOW = 100
# Lines so far behind the first are left out: of what is given on the reported half of the sets 92 % is right, else 90.
TRAILING = 0.1
_LASTS = ("insight", "doc")  # what other projects are asked for: never what was asked, answered or called there
_now = now


class Silence(NamedTuple):
    """Why an agent is given nothing for a prompt."""

    why: str  # nothing_to_ask, nothing_relevant, nothing_new, no_room
    best: float | None = None  # the relevance of what came nearest
    search_method: str = ""  # how it was searched for, where it was


class Recalled(NamedTuple):
    """What an agent is given for a question, and the project that it was asked in, if that is known."""

    disclosed: Disclosed
    project: str | None


def _from_elsewhere(items: Iterable[IndexItem], mine: str | None) -> tuple[IndexItem, ...]:
    """What other projects say: what was learned and written down there, as far as a person stands behind it, which was
    asked of the search (`_crossing_into`)."""
    return tuple(item._replace(elsewhere=True, excerpt=item.summary) for item in items if item.project != mine)


def _quoted(items: Sequence[IndexItem], budget: int, method: str) -> Disclosed:
    """Excerpts are what answers: neither what was around them nor the whole of them is given beside them."""
    from axiommind.recall.quotations import fitting, quotation
    from axiommind.text.estimate import estimate_tokens

    kept = fitting(items, budget)
    cost = sum(estimate_tokens(quotation(item)) for item in kept)
    return Disclosed(tuple(kept), (), (), Meta(len(kept), 0, cost, "excerpts", method))


def _crossing_into(query: Query, project: str | None, kinds: tuple[str, ...] = ()) -> Query:
    """The same question, answered by a project and by what may cross into it; of these kinds, if any are named."""
    filters = query.filters._replace(into=project or "")
    return query._replace(filters=filters._replace(kinds=kinds) if kinds else filters)


class Recall:
    """What an agent is given. Call it with a prompt."""

    def __init__(self, home: Home, search: Search) -> None:
        self.home = home
        self.search = search
        self.cache: Cache | None = None

    def with_cache(self, clock: Callable[[], float] | None = None) -> Self:
        """Keep answers, for a resident process: until they are old, or the index has changed."""
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
        mode: str = "auto",
        now: int | None = None,
        **flags: Any,
    ) -> list[IndexItem]:
        """Layer 1: the items of `select`."""
        return list(
            self.select(
                text,
                scope,
                top_k=top_k,
                min_score=min_score,
                plain=plain,
                not_session=not_session,
                skip=skip,
                mode=mode,
                now=now,
                **flags,
            ).items
        )

    def select(
        self,
        text: str,
        scope: Scope,
        *,
        top_k: int | None = None,
        min_score: float | None = None,
        plain: bool = False,
        not_session: str | None = None,
        skip: Collection[str] = frozenset(),
        mode: str = "auto",
        now: int | None = None,
        into: str | None = None,
        **flags: Any,
    ) -> Selection:
        """What may be meant, best first, and nothing that is less likely than `min_score`; and how it was found.

        `plain` text is no query: what looks like syntax in it is words. Nothing of `not_session` and its subagents,
        and nothing that is in `skip` (ids of passages or entries). With `into`, a project or empty, of other projects
        only what may cross into it.
        """
        at = _now() if now is None else now
        query = self._query(text, scope, at, plain=plain, **flags)
        if into is not None:
            query = _crossing_into(query, into)
        request = self._request(query, at, top_k, min_score, not_session, skip, mode, is_now=now is None)
        with self.reading(mode) as reader:
            return reader.index(request._replace(how=repr((plain, sorted(flags.items())))))

    def timeline(self, ids: Sequence[str], *, window: int = 3) -> list[TimelineItem]:
        """Layer 2: what was said around passages (or entries) in their sessions, `window` of them each side."""
        with self.reading() as reader:
            return reader.timeline(ids, max(min(window, _MOST_WINDOW), 0))

    def details(self, ids: Sequence[str]) -> list[Detail]:
        """Layer 3: passages (or entries) in full, in the order asked for."""
        with self.reading() as reader:
            return reader.details(ids)

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
        mode: str = "auto",
        now: int | None = None,
        **flags: Any,
    ) -> Disclosed:
        """The index, and of what is clearly meant the timeline and details, all within a budget of tokens, which pays
        for a fence around it unless none is needed."""
        at = _now() if now is None else now
        query = self._query(text, scope, at, plain=plain, **flags)
        request = self._request(query, at, top_k, min_score, not_session, skip, mode, is_now=now is None)
        with self.reading(mode) as reader:
            found = reader.index(request._replace(how=repr((plain, sorted(flags.items())))))
            tokens = self.home.config.disclosure.max_tokens if budget is None else budget
            return self._disclose(reader, found.items, query, tokens, fenced=fenced, method=found.method)

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
        """The same, with the reason for a silence."""
        from axiommind.recall.question import question_of

        question = question_of(prompt)
        answer = self.answer_order if question is None else self.answer_question
        found = answer(question or prompt, scope, budget=budget, session=session, skip=skip, now=now)
        return found if isinstance(found, Silence) else found.disclosed

    def answer_order(
        self,
        prompt: str,
        scope: Scope | str,
        *,
        budget: int | None = None,
        session: str | None = None,
        skip: Collection[str] = frozenset(),
        now: int | None = None,
    ) -> Recalled | Silence:
        """What an agent is given for a prompt that asks for nothing: how what it orders usually fails there."""
        from axiommind.recall.usual_failure import orders_in, usual_failures

        orders = orders_in(prompt)
        if not orders:
            return Silence("nothing_to_ask")
        at, hooks = _now() if now is None else now, self.home.config.hooks
        with self.telling() as reader:
            mine = scope.project if isinstance(scope, Scope) else self.project_of(reader.db, scope)
            query = self._query(prompt, Scope(mine), at, plain=True)
            request = self._request(query, at, None, hooks.prompt_chance, session, skip, "lexical", is_now=now is None)
            items = usual_failures(reader.db, request._replace(of_one=OF_ONE_SESSION), orders) if mine else []
        disclosed = _quoted(items, hooks.prompt_tokens if budget is None else budget, "fts5")
        return Recalled(disclosed, mine) if disclosed.matches else Silence("no_room" if items else "nothing_to_ask")

    def answer_question(
        self,
        question: str,
        scope: Scope | str,
        *,
        budget: int | None = None,
        session: str | None = None,
        skip: Collection[str] = frozenset(),
        now: int | None = None,
    ) -> Recalled | Silence:
        """What an agent is given for a prompt's question. Instead of a scope, the folder that is worked in will do.

        The project's own memories come first. Only where it has none that are likely, and in a folder that is no known
        project, those of others are looked at, and they have to be more likely.
        """
        at = _now() if now is None else now
        hooks = self.home.config.hooks
        best: list[float] = []
        with self.telling() as reader:
            mine = scope.project if isinstance(scope, Scope) else self.project_of(reader.db, scope)
            items: tuple[IndexItem, ...] = ()
            is_known = False  # what is likely was given before, or was withdrawn
            own = [(mine, hooks.prompt_chance)] if mine is not None else []
            for project, floor in [*own, (None, hooks.other_projects)]:
                query = self._query(question, Scope(project), at, plain=True)
                if project is None:
                    query = _crossing_into(query, mine, _LASTS)
                request = self._request(query, at, None, floor, session, skip, "lexical", is_now=now is None)
                found = reader.index(request._replace(of_one=OF_ONE_SESSION, answers=project is not None))
                items = found.items if project is not None else _from_elsewhere(found.items, mine)
                if found.best is not None and (mine is None or project is not None):
                    best.append(found.best)
                    is_known |= found.best >= floor
                if items:
                    break
            if not items:
                why = "nothing_new" if is_known else "nothing_relevant"
                return Silence(why, max(best, default=None), found.method)
            tokens = hooks.prompt_tokens if budget is None else budget
            if project is not None:
                disclosed = _quoted(items, tokens, found.method)
            else:
                disclosed = self._disclose(reader, items, query, tokens, trailing=TRAILING, method=found.method)
        return Recalled(disclosed, mine) if disclosed.matches else Silence("no_room", items[0].score, found.method)

    def unknown(self, ids: Sequence[str]) -> list[str]:
        """Those of some ids that mean no passage and no entry, each once."""
        from axiommind.search.reading.passage_ids import unknown

        with self.reading() as reader:
            return unknown(reader.db, ids)

    def passage_id(self, name: str) -> str | None:
        """The id of the passage that an id means: its own, or that of the entry which it names; None when unknown."""
        from axiommind.ids import short_id
        from axiommind.search.reading.passage_ids import numbers

        with self.reading() as reader:
            found = numbers(reader.db, [name])
        return short_id(found[0]) if found else None

    def prepare_starts(self) -> int:
        """Prepare what the next start of a session is told, so that it costs a read; returns of how many projects."""
        from axiommind.recall.packets.session_start import prepare_starts

        return prepare_starts(self.home.config, self.telling, now())

    # --- how -------------------------------------------------------------------------------------------

    def telling(self) -> contextlib.AbstractContextManager[Reader]:
        """A reader for what an agent is given without having asked: of team mates, only if the settings say so."""
        return self.reading(teammates=self.home.config.hooks.teammates)

    @contextlib.contextmanager
    def reading(self, mode: str = "lexical", *, teammates: bool = True) -> Iterator[Reader]:
        """A reader that sees one state of the index, whoever writes meanwhile."""
        from axiommind.search.find import connect

        with self.home.reading(Scope(None), None) as db, self.search.vectors(mode, None) as (meaning, _reason):
            connect(db)
            if not teammates:
                from axiommind.recall.others import hide_teammates

                hide_teammates(db)
            db.execute("pragma query_only=on")
            db.execute("begin")
            if self.cache is None:
                yield Reader(db, meaning)
            else:
                from axiommind.recall.cache import CachedReader, state_of

                yield CachedReader(db, meaning, self.cache, state_of(db, self.home.config))

    def project_of(self, db: sqlite3.Connection, folder: str) -> str | None:
        """The indexed project that a folder belongs to."""
        from axiommind.projections.scope import project_in

        return project_in(db, folder, stop=str(self.home.user))

    def _query(self, text: str, scope: Scope, at: int, *, plain: bool = False, **flags: Any) -> Query:
        from axiommind.search.query import Query

        if plain:
            return Query.plain(text, now=at, project=scope.project)
        query = Query.parse(text, now=at, **flags)
        named = query.filters.project
        project = self.home.scope(project=named).project if named is not None else scope.project
        return query._replace(filters=query.filters._replace(project=project))

    def _request(
        self,
        query: Query,
        at: int,
        top_k: int | None,
        min_score: float | None,
        not_session: str | None,
        skip: Collection[str],
        mode: str,
        *,
        is_now: bool,
    ) -> IndexRequest:
        from axiommind.search.find import MODES

        if mode not in MODES:
            raise UsageError(f"there is no mode {mode!r}", hint=f"one of: {', '.join(MODES)}")
        settings = self.home.config.disclosure
        top_k = settings.top_k if top_k is None else top_k
        floor = settings.min_score if min_score is None else min_score
        return IndexRequest(query, top_k, floor, not_session, frozenset(skip), mode, at, is_now)

    def _disclose(
        self,
        reader: Reader,
        items: Sequence[IndexItem],
        query: Query,
        budget: int,
        *,
        fenced: bool = True,
        trailing: float = 1.0,
        method: str = "",
    ) -> Disclosed:
        """What follows from an index; lines more than `trailing` behind the first have a say in it, and no place."""
        from axiommind.recall.layer_budget import fit
        from axiommind.text.query_terms import clauses

        settings = self.home.config.disclosure
        expansion = decide(items, settings)
        items = [item for item in items if item.score >= items[0].score - trailing]
        # What was said around a claim of another project stays there.
        around = [item.id for item in items if item.id in expansion.timeline_ids and not item.elsewhere]
        timeline = reader.timeline(around, is_served=True) if around else []
        details = reader.details(expansion.detail_ids) if expansion.detail_ids else []
        meta = Meta(len(items), 0, 0, expansion.reason, method)
        found = Disclosed(tuple(items), tuple(timeline), tuple(details), meta)
        return fit(found, budget, settings, clauses(query.words) if details else (), FENCE_CHARS if fenced else 0)
