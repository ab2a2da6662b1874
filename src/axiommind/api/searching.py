"""Searching: by words, by meaning, by both; and what is like a thing that is already known."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.api._names import one_of
from axiommind.api.home import Home, Scope, now
from axiommind.errors import AxmError, NotFound

if TYPE_CHECKING:
    from axiommind.search.find import Page
    from axiommind.search.hits import Hit
    from axiommind.search.semantic import Meaning
    from axiommind.vectors.contract import Embedder, Vector

__all__ = ["Like", "Searching", "Similar"]

NO_VECTORS = "nothing is embedded yet"
_MAKE_THEM = "axm embed makes the vectors"


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


class Searching(Home):
    """What is asked of the index, in words."""

    _embedders: dict[str, Embedder] | None = None

    def search(
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
        from axiommind.search.find import Options, asked_at, connect, find
        from axiommind.search.query import Query

        if now is None:  # a further page is of the same moment as the first one
            now = asked_at(cursor) or _now()
        query = Query.parse(text, now=now, **flags)
        named = query.filters.project
        project = self.scope(project=named, db=db).project if named is not None else scope.project
        query = query._replace(filters=query.filters._replace(project=project))
        if documents:
            query = query._replace(filters=query.filters._replace(kinds=("doc",)))
        with self._reading(Scope(None), db) as connection, self._meaning(mode, db) as (meaning, note):
            connect(connection)
            connection.execute("pragma query_only=on")
            connection.execute("begin")  # one state of the index, whoever writes meanwhile
            options = Options(k, group, recency, cursor, mode)
            try:
                page = find(connection, query, options, now, meaning)
            except AxmError as error:
                if meaning is None or not _is_of_vectors(error):
                    raise
                note = error.message
                page = find(connection, query, options, now)
            return page._replace(note=note) if note else page

    def similar(self, name: str, *, k: int = 10) -> Similar:
        """What is nearest in meaning to a passage, an entry, a session or a task."""
        from axiommind.search.find import connect

        with self._reading(Scope(None), None) as db, self._meaning("semantic", None) as (meaning, note):
            if meaning is None:
                raise NotFound(note or NO_VECTORS, hint=_MAKE_THEM)
            connect(db)
            db.execute("begin")
            kind, key, title = _thing(db, name)
            if kind == "passage":
                return Similar(name, kind, title, hits=_passages_like(db, meaning, int(key), k))
            return Similar(key, kind, title, others=_others_like(db, meaning, kind, key, title, k))

    def tasks_near(self) -> Callable[[str, int], Iterable[tuple[str, float]]] | None:
        """Tasks by the meaning of their titles, with their distances; None where there are no vectors to compare."""
        from axiommind.vectors.contract import TASK_TITLES

        with self._meaning("auto", None) as (meaning, _note):
            if meaning is None or not meaning.embedder.warm:
                return None

        def near(text: str, k: int) -> list[tuple[str, float]]:
            with self._meaning("auto", None) as (meaning, _note):
                if meaning is None:
                    return []
                vector = meaning.embedder.embed_query(text)
                found = meaning.store.near(TASK_TITLES, meaning.version, vector, k) if any(vector) else []
                return [(one.key, 1 - one.similarity) for one in found]

        return near

    @contextlib.contextmanager
    def _meaning(self, mode: str, db: Path | None) -> Iterator[tuple[Meaning | None, str | None]]:
        """The vectors that answer now and what made them, if they are asked for and at hand; else perhaps why not."""
        if mode == "lexical" or (mode == "auto" and db is not None):
            yield None, None
            return
        if db is not None:
            yield None, "there are no vectors for --db"
            return
        nothing = None if mode == "auto" else f"{NO_VECTORS}: {_MAKE_THEM}"
        if not (self.config.home / "vectors").is_dir():  # then nothing of the kind need be imported
            yield None, nothing
            return
        from axiommind.search.semantic import Meaning
        from axiommind.vectors import versions

        store = None
        try:
            version = versions.active(self.config.home)
            if version is None:
                yield None, nothing
                return
            try:
                embedder = self._embedder_of(version.settings, version.embedder, cold=mode != "auto")
                if embedder is not None:
                    from axiommind.vectors.sweep import open_of

                    store = open_of(self.config.home, version, write=False)
            except AxmError as error:
                yield None, None if mode == "auto" else f"{error.message}; searched by words"
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
        import json

        from axiommind.errors import EmbedderError
        from axiommind.vectors.embedders import Settings, load, settings_of

        known = self._embedders = self._embedders or {}
        if version in known:
            return known[version]
        if not cold and json.loads(settings).get("name") != "static":
            return None
        config = self.config
        given = Settings("", "", "", "", config.embed_seconds, "", config.home)
        embedder = load(settings_of(settings, given))
        if embedder.version != version:
            raise EmbedderError(
                f"the vectors were made with {version}, and there is {embedder.version} now", hint="run: axm embed"
            )
        known[version] = embedder
        return embedder


_now = now


def _is_of_vectors(error: AxmError) -> bool:
    from axiommind.errors import EmbedderError, MissingExtra, VectorError, VectorsCorrupt

    return isinstance(error, EmbedderError | MissingExtra | VectorError | VectorsCorrupt)


# --- what is like a thing ------------------------------------------------------------------------------------


def _thing(db: sqlite3.Connection, name: str) -> tuple[str, str, str]:
    """What a name means: its kind, its key among the vectors, and its title."""
    from axiommind.ids import number_of
    from axiommind.projections.passages import KIND_BITS, KINDS
    from axiommind.text.summary import summary

    wanted = name.strip()
    if wanted.startswith("ent_"):
        rows = dict(db.execute("select entry_id, id from entries where entry_id glob ? || '*'", (wanted,)))
        row = rows[one_of(wanted, set(rows), "entry", "axm entries lists them")]
        return "passage", str(row << KIND_BITS | KINDS["insight"]), ""
    if wanted.startswith("task_"):
        tasks = dict(db.execute("select entity_id, title from entities where entity_type = 'task'"))
        task = one_of(wanted, set(tasks), "task", "axm tasks lists them")
        return "task", task, tasks[task]
    number = number_of(wanted.lower())
    if number is not None:
        row = db.execute("select title, text from passage_texts where id = ?", (number,)).fetchone()
        if row:
            return "passage", str(number), row[0] or summary(row[1] or "")
    sessions = dict(db.execute("select id, coalesce(title, '') from sessions where id glob ? || '*'", (wanted,)))
    if not sessions:
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
    scored = [rank.by_meaning(asked, rank.score(asked, p, (), 0), near[str(p.id)]) for p in passages]
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
