"""Searching: by words, by meaning, by both; and what is like a thing that is already known."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.errors import AxmError, BadQuery, NotFound, UsageError, VectorsCorrupt
from axiommind.home import Home, Scope, now
from axiommind.ids import one_of

if TYPE_CHECKING:
    from axiommind.search.find import Page
    from axiommind.search.hits import Hit
    from axiommind.search.semantic import Meaning
    from axiommind.vectors.contract import Embedder, Vector

__all__ = ["Like", "Search", "Similar"]


class Like(NamedTuple):
    """A session or a task that is like another one."""

    id: str
    similarity: float
    title: str
    project: str | None
    timestamp: int | None
    status: str | None  # of a task


class Similar(NamedTuple):
    """What is nearest to a thing: passages (`hits`), or sessions or tasks (`others`)."""

    id: str
    kind: str  # passage, session, task
    title: str
    hits: tuple[Hit, ...] = ()
    others: tuple[Like, ...] = ()


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
        if now is None:  # a further page is of the same moment as the first one
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
                page = find(connection, query, options, now)  # also of the next page, where the first had no vectors
                reason = error if _is_of_vectors(error) else NotFound("the first page was without vectors")
            if mode == "semantic" and meaning is not None and page.search_method != "semantic":
                reason = reason or NotFound("the question says too little to be compared by its meaning")
            if reason is None or mode == "auto":  # who leaves it to us need not know
                return page
            return page._replace(note=f"{reason.message}; searched by words{reason.hint and f'; {reason.hint}'}")

    def similar(self, name: str, *, k: int = 10) -> Similar:
        """What is nearest in meaning to a passage, an entry, a session or a task."""
        from axiommind.search.find import connect

        with self.home.reading(Scope(None), None) as db, self.vectors("semantic", None) as (meaning, reason):
            if meaning is None:
                raise reason or _nothing()
            connect(db)
            db.execute("begin")
            kind, key, title = _thing(db, name)
            if kind == "passage":
                found = Similar(name.strip(), kind, title, hits=_passages_like(db, meaning, int(key), k))
            else:
                found = Similar(key, kind, title, others=_others_like(db, meaning, kind, key, title, k))
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
                    return []  # learning goes on by words, as searching does
                return [(one.key, 1 - one.similarity) for one in found]

        return near

    @contextlib.contextmanager
    def vectors(self, mode: str, db: Path | None) -> Iterator[tuple[Meaning | None, AxmError | None]]:
        """The vectors that answer now and what made them, if they are asked for and at hand; else perhaps why not."""
        if mode == "lexical" or (mode == "auto" and db is not None):
            yield None, None
            return
        if db is not None:
            yield None, NotFound("there are no vectors for --db")
            return
        if not (self.home.config.home / "vectors").is_dir():  # then nothing of the kind need be imported
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
        """The embedder that vectors were made with. One that takes long to load only if asked for, and once."""
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
    """Whether meaning was asked and its store, deleted since, had nothing at all to say."""
    if page.search_method not in ("hybrid", "semantic") or any("similarity" in hit.why for hit in page.hits):
        return False
    return not meaning.store.versions().get(meaning.version)


def _nothing() -> NotFound:
    return NotFound("nothing is embedded yet", hint="axm embed makes the vectors")


def _gone(meaning: Meaning) -> VectorsCorrupt:
    return VectorsCorrupt(f"the vectors of {meaning.version} are gone", hint="axm embed makes them anew")


# --- what is like a thing ------------------------------------------------------------------------------------


def _thing(db: sqlite3.Connection, name: str) -> tuple[str, str, str]:
    """What a name means: its kind, its key among the vectors, and its title."""
    from axiommind.ids import number_of
    from axiommind.projections.passages import KIND_BITS, KINDS
    from axiommind.text.summary import summary

    wanted = name.strip()
    if wanted.startswith("ent_"):
        entries = {entry: (row, title) for entry, row, title in db.execute("select entry_id, id, title from entries")}
        row, title = entries[one_of(wanted, set(entries), "entry", "axm entries lists them")]
        return "passage", str(row << KIND_BITS | KINDS["insight"]), title
    if wanted.startswith("tsk_"):
        tasks = dict(db.execute("select entity_id, title from entities where entity_type = 'task'"))
        task = one_of(wanted, set(tasks), "task", "axm tasks lists them")
        return "task", task, tasks[task]
    number = number_of(wanted.lower())
    if number is not None:
        row = db.execute("select title, text from passage_texts where id = ?", (number,)).fetchone()
        if row:
            return "passage", str(number), row[0] or summary(row[1] or "")
    sessions = dict(db.execute("select id, coalesce(title, '') from sessions"))
    if not any(session.startswith(wanted) for session in sessions):
        raise NotFound(
            f"there is no passage, entry, task or session {name!r}", hint="axm search prints the ids of its hits"
        )
    session = one_of(wanted, set(sessions), "session")
    return "session", session, sessions[session]


def _passages_like(db: sqlite3.Connection, meaning: Meaning, row: int, k: int) -> tuple[Hit, ...]:
    from axiommind.search import candidates, hits, lexical, rank
    from axiommind.search.query import Query
    from axiommind.search.rows import Texts
    from axiommind.vectors.contract import PASSAGES

    near = _nearest(meaning, PASSAGES, str(row), lambda: _text_of(db, row), k * 4)
    near.pop(str(row), None)
    texts = Texts(db)
    query = Query.parse("", now=now())
    asked = rank.Asked((), lexical.statistics(db), 0.0)
    passages = candidates.passing(db, query, [int(key) for key in near], texts, k * 4)
    stands = candidates.standing(db, passages)
    scored = [
        rank.by_meaning(asked, rank.score(asked, p, (), 0, 0, stands.get(p.id, 1.0)), near[str(p.id)]) for p in passages
    ]
    scored.sort(key=lambda one: (-one.score, one.passage.id))
    found = hits.single(scored, k, texts)[:k]
    return hits.hits_of(db, asked, found, texts, "semantic")


def _text_of(db: sqlite3.Connection, row: int) -> str:
    title, text = db.execute("select title, text from passage_texts where id = ?", (row,)).fetchone() or ("", "")
    return f"{title}\n{text}" if title else text or ""


def _others_like(db: sqlite3.Connection, meaning: Meaning, kind: str, key: str, title: str, k: int) -> tuple[Like, ...]:
    from axiommind.vectors.contract import SESSIONS, TASK_TITLES

    near = _nearest(meaning, SESSIONS if kind == "session" else TASK_TITLES, key, lambda: title, k + 1)
    near.pop(key, None)
    sql = {
        "session": "select coalesce(title, ''), project, started_at, null from sessions where id = ?",
        "task": "select title, project, null, json_extract(current_json, '$.status') from entities where entity_id = ?",
    }[kind]
    found = []
    for other, similarity in near.items():
        row = db.execute(sql, (other,)).fetchone()
        if row:
            found.append(Like(other, round(similarity, 4), *row))
    return tuple(found[:k])


def _nearest(meaning: Meaning, collection: str, key: str, text: Callable[[], str], k: int) -> dict[str, float]:
    """The keys nearest to a key by any of its parts, best first; of one without a vector, by its text."""
    vectors: list[Vector] = meaning.store.vectors(collection, meaning.version, [key]).get(key, [])
    if not vectors:
        vector = meaning.embedder.embed_query(text())
        vectors = [vector] if any(vector) else []
    near: dict[str, float] = {}
    for vector in vectors:
        for one in meaning.store.near(collection, meaning.version, vector, k):
            near[one.key] = max(near.get(one.key, -1.0), one.similarity)
    return dict(sorted(near.items(), key=lambda item: (-item[1], item[0])))
