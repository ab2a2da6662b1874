"""Search by words, by meaning, or both: opens the index and the vectors, and says why where it has to do without."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from axiommind.errors import AxmError, BadQuery, NotFound, UsageError, VectorsCorrupt
from axiommind.home import Home, Scope, now

if TYPE_CHECKING:
    from axiommind.search.find import Page
    from axiommind.search.semantic import Meaning
    from axiommind.search.similar import Similar
    from axiommind.vectors.contract import Embedder

__all__ = ["Search"]


class Search:
    """Search by words, by meaning, or both. Call it with a text."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self._embedders: dict[str, Embedder] = {}

    def __call__(
        self,
        text: str,
        scope: Scope,
        *,
        k: int = 10,
        group: bool = False,
        recency: bool = True,
        cursor: str | None = None,
        now: int | None = None,
        db: Path | None = None,
        documents: bool = False,
        mode: str = "auto",
        **flags: Any,
    ) -> Page:
        """Passages (or with `group` sessions and documents) that answer a text, best first."""
        from axiommind.search.find import MODES, Options, asked_at, connect, find
        from axiommind.search.query import Query

        if mode not in MODES:
            raise UsageError(f"there is no mode {mode!r}", hint=f"one of: {', '.join(MODES)}")
        if now is None:  # further pages are as of the same moment as the first one
            now = asked_at(cursor) or _now()
        query = Query.parse(text, now=now, **flags)
        named = query.filters.project
        project = self.home.scope(project=named, db=db).project if named is not None else scope.project
        query = query._replace(filters=query.filters._replace(project=project))
        if documents:
            query = query._replace(filters=query.filters._replace(kinds=("doc",)))
        with self.home.reading(Scope(None), db) as connection, self.vectors(mode, db) as (meaning, reason):
            connect(connection)
            connection.execute("pragma query_only=on")
            connection.execute("begin")  # one state of the index, whoever writes meanwhile
            options = Options(k, group, recency, cursor, mode)
            try:
                page = find(connection, query, options, now, meaning)
                if meaning is not None and _is_without_vectors(page, meaning):
                    raise _gone(meaning)
            except AxmError as error:
                if meaning is None or not (_is_of_vectors(error) or (cursor and isinstance(error, BadQuery))):
                    raise
                page = find(connection, query, options, now)  # also for the next page, if the first one had no vectors
                reason = error if _is_of_vectors(error) else NotFound("the first page was without vectors")
            if mode == "semantic" and meaning is not None and page.search_method != "semantic":
                reason = reason or NotFound("the question says too little to be compared by its meaning")
            if reason is None or mode == "auto":  # in auto mode nobody needs to know
                return page
            said = f"{reason.message}; searched by words{reason.hint and f'; {reason.hint}'}"
            return page._replace(note=f"{said}; {page.note}" if page.note else said)

    def similar(self, name: str, *, k: int = 10) -> Similar:
        """What is nearest in meaning to a passage, an entry, a session or a task."""
        from axiommind.search.find import connect
        from axiommind.search.similar import nearest_to

        with self.home.reading(Scope(None), None) as db, self.vectors("semantic", None) as (meaning, reason):
            if meaning is None:
                raise reason or _nothing()
            connect(db)
            db.execute("begin")
            found = nearest_to(db, meaning, name, k)
            if not found.hits and not found.others and not meaning.store.versions().get(meaning.version):
                raise _gone(meaning)
            return found

    def tasks_near(self) -> Callable[[str, int], Iterable[tuple[str, float]]] | None:
        """Tasks by the meaning of their titles, with their distances; None where there are no vectors to compare."""
        from axiommind.vectors.contract import TASK_TITLES

        with self.vectors("auto", None) as (meaning, _reason):
            if meaning is None or not meaning.embedder.warm:
                return None

        def near(text: str, k: int) -> list[tuple[str, float]]:
            with self.vectors("auto", None) as (meaning, _reason):
                if meaning is None:
                    return []
                try:
                    vector = meaning.embedder.embed_query(text)
                    found = meaning.store.near(TASK_TITLES, meaning.version, vector, k) if any(vector) else []
                except AxmError:
                    return []  # learning falls back to words, as search does
                return [(one.key, 1 - one.similarity) for one in found]

        return near

    @contextlib.contextmanager
    def vectors(self, mode: str, db: Path | None) -> Iterator[tuple[Meaning | None, AxmError | None]]:
        """The active vectors and their embedder, if wanted and available; otherwise the reason, if it matters."""
        if mode == "lexical" or (mode == "auto" and db is not None):
            yield None, None
            return
        if db is not None:
            yield None, NotFound("there are no vectors for --db")
            return
        if not (self.home.config.home / "vectors").is_dir():  # nothing of vectors needs to be imported
            yield None, _nothing()
            return
        from axiommind.search.semantic import Meaning
        from axiommind.vectors import versions

        store = None
        try:
            version = versions.active(self.home.config.home)
            if version is None:
                yield None, _nothing()
                return
            try:
                embedder = self._embedder_of(version.settings, version.embedder, cold=mode != "auto")
                if embedder is not None:
                    store = versions.open_of(self.home.config.home, version, write=False)
            except AxmError as error:
                yield None, error
                return
            if embedder is None or store is None:
                yield None, None
                return
            yield Meaning(embedder, store, version.version), None
        finally:
            if store is not None:
                store.close()

    def _embedder_of(self, settings: str, version: str, *, cold: bool) -> Embedder | None:
        """The embedder that vectors were made with, loaded once; a slow one only if `cold` allows it."""
        from axiommind.vectors.embedders import Settings, check, load, settings_of

        known = self._embedders
        if version in known:
            return known[version]
        config = self.home.config
        chosen = settings_of(settings, Settings("", "", "", "", config.embed_seconds, "", config.home))
        if not cold and chosen.name != "static":
            return None
        embedder = load(chosen)
        check(embedder, version)
        known[version] = embedder
        return embedder


_now = now


def _is_of_vectors(error: AxmError) -> bool:
    """Whether words can still answer: what is wrong is neither the question nor the index."""
    from axiommind.errors import IndexCorrupt

    return not isinstance(error, BadQuery | IndexCorrupt | NotFound | UsageError)


def _is_without_vectors(page: Page, meaning: Meaning) -> bool:
    """Whether vectors were asked and their store, deleted since, is empty."""
    if page.search_method not in ("hybrid", "semantic") or any("similarity" in hit.why for hit in page.hits):
        return False
    return not meaning.store.versions().get(meaning.version)


def _nothing() -> NotFound:
    return NotFound("nothing is embedded yet", hint="axm embed makes the vectors")


def _gone(meaning: Meaning) -> VectorsCorrupt:
    return VectorsCorrupt(f"the vectors of {meaning.version} are gone", hint="axm embed makes them anew")
