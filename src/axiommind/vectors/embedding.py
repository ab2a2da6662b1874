"""Embedding: vectors for what is in the index, made by the outbox's only writer."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.distribution import extra_command
from axiommind.errors import AxmError, MissingExtra, UsageError, VectorsCorrupt
from axiommind.home import Home, Scope, now

if TYPE_CHECKING:
    from axiommind.vectors.contract import Embedder, Store
    from axiommind.vectors.coverage import Counts
    from axiommind.vectors.lock import Owner
    from axiommind.vectors.outbox import OutboxWork, Worked
    from axiommind.vectors.versions import Version

__all__ = ["EmbedStatus", "Embedded", "Embeddings", "Failure", "VersionStatus"]

_LOOK_AGAIN_S = 2.0
_SHOWN = 5


class Embedded(NamedTuple):
    """What a run did."""

    done: int
    failed: int
    kept: int  # that had their vectors already, or that mean nothing
    removed: int  # whose items are gone
    waiting: int
    over_budget: int
    version: str
    active: bool  # whether this version answers now
    seconds: float
    texts: int  # that were embedded, parts counted each
    stopped: AxmError | None = None
    notes: tuple[str, ...] = ()

    @property
    def texts_per_s(self) -> float:
        return self.texts / self.seconds if self.seconds else 0.0


class VersionStatus(NamedTuple):
    version: str
    embedder: str
    store: str
    state: str
    created_at: int
    completed_at: int | None
    vectors: int | None  # None where its store cannot be opened


class Failure(NamedTuple):
    kind: str
    id: str
    error: str
    attempts: int


class EmbedStatus(NamedTuple):
    """The state of the vectors: embedder, versions, coverage, failures."""

    embedder: str
    store: str
    version: str | None  # that jobs are written for; None while nothing was embedded
    versions: tuple[VersionStatus, ...]
    coverage: Mapping[str, Counts]
    failures: tuple[Failure, ...]  # the first few
    writer: Owner | None
    is_writer_gone: bool
    bytes: int


_BY_ITSELF = 2  # of `embed.background`


class Embeddings:
    """Vectors of what is in the index."""

    def __init__(self, home: Home) -> None:
        self.home = home

    @property
    def goes_by_itself(self) -> bool:
        """Whether what is new is embedded without being asked for: with the built-in embedder, where it can run."""
        config = self.home.config
        if config.embed_background < _BY_ITSELF or config.embed_embedder not in ("", "static"):
            return False
        from importlib.util import find_spec

        return find_spec("numpy") is not None

    def make(
        self,
        *,
        limit: int | None = None,
        kinds: Sequence[str] = (),
        wait: bool = False,
        retry: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> Embedded:
        """Make the vectors that are missing, and delete those of items that are gone."""
        again: Any = {"limit": limit, "kinds": kinds, "wait": wait, "retry": retry, "progress": progress}
        try:
            return self._make(**again)
        except VectorsCorrupt as error:  # found while writing: the next writer moves the file aside
            done = self._make(**again)
            return done._replace(
                notes=(f"{error.message}: it was moved aside, and the vectors are made anew", *done.notes)
            )

    def _make(
        self,
        *,
        limit: int | None,
        kinds: Sequence[str],
        wait: bool,
        retry: bool,
        progress: Callable[[int, int], None] | None,
    ) -> Embedded:
        from axiommind.vectors import versions
        from axiommind.vectors.lock import Lock
        from axiommind.vectors.outbox import OutboxWork
        from axiommind.vectors.outbox import retry as retry_failed
        from axiommind.vectors.sweep import drop_retired, sweep

        started = time.monotonic()
        home = self.home.config.home
        wanted = self._kinds_to_embed()
        unknown = set(kinds) - set(wanted)
        if unknown:
            raise UsageError(f"embed.kinds has no {min(unknown)!r}", hint=f"it has: {', '.join(wanted)}")
        embedder, settings = self._embedder()
        version = self._version(embedder, settings)
        notes: list[str] = []
        with Lock(home, wait=wait) as lock, self.home.writing(notes) as (_log, _key, index):
            state = versions.open_state(home)
            store = versions.open_of(home, version, write=True)
            try:
                answering = versions.active(home)
                if _is_lost(index.db, store, version.version):
                    versions.retire(state, version.version)
                    notes.append("the vectors were gone: they are made anew")
                versions.begin(state, version)
                drop_retired(index.db, home)
                removed = sweep(index.db, store)
                if retry:
                    retry_failed(index.db)
                work = OutboxWork(
                    index.db,
                    embedder,
                    store,
                    version.version,
                    kinds or wanted,
                    self.home.config.embed_budget,
                    () if answering is None else (answering.version,),
                    lock.check,
                    progress or (lambda _done, _total: None),
                )
                worked, answers = self._work(work, state, wanted, limit)
                if worked.done or removed:
                    store.tidy()
            finally:
                store.close()
                state.close()
        if answers and not embedder.warm:
            notes.append(f"axm search asks {embedder.name} with --mode hybrid; by itself it stays with words")
        return _embedded(worked, removed, version.version, answers, time.monotonic() - started, notes)

    def _work(
        self, work: OutboxWork, state: sqlite3.Connection, wanted: Sequence[str], limit: int | None
    ) -> tuple[Worked, bool]:
        """Do the jobs of the outbox, and activate the version when it is complete. Returns whether it is active."""
        from axiommind.vectors import versions
        from axiommind.vectors.coverage import is_complete
        from axiommind.vectors.outbox import reconcile
        from axiommind.vectors.sweep import drop_retired

        home = self.home.config.home
        worked = reconcile(work, limit=limit, patient=True)
        answers = any(one.state == "active" and one.version == work.version for one in versions.read(home))
        if not answers and not worked.stopped and is_complete(work.db, work.version, wanted):
            work.check()
            versions.complete(state, work.version, now())
            drop_retired(work.db, home)
            answers = True
        return worked, answers

    def _version(self, embedder: Embedder, settings: str) -> Version:
        """The version that this embedder and this store make."""
        from axiommind.vectors.versions import Version, name_of

        config = self.home.config
        return Version(
            name_of(embedder.version, config.embed_store, config.embed_store_uri),
            embedder.version,
            settings,
            embedder.dimension,
            config.embed_store,
            config.embed_store_uri,
            "building",
            now(),
            None,
        )

    def watch(self, *, stop: Any = None, **options: Any) -> Iterator[Embedded]:
        """Embed, then again whenever the index has changed and something waits. Sleeps in between."""
        from axiommind import db as sqlite
        from axiommind.vectors.coverage import waiting

        first = self.make(**options)
        db = sqlite.open_read(self.home.config.index_path)
        try:
            seen = _changes(db)
            yield first
            while stop is None or not stop.is_set():
                time.sleep(_LOOK_AGAIN_S)
                if _changes(db) == seen:
                    continue
                seen = _changes(db)
                if waiting(db):
                    done = self.make(**{**options, "wait": True})
                    seen = _changes(db)
                    yield done
        finally:
            db.close()

    def status(self) -> EmbedStatus:
        """The state of the vectors; no embedder is asked."""
        from axiommind.projections.outbox import UNCHOSEN
        from axiommind.projections.outbox import wanted as wanted_version
        from axiommind.vectors import versions
        from axiommind.vectors.coverage import coverage
        from axiommind.vectors.lock import owner

        known = versions.read(self.home.config.home)
        writer = owner(self.home.config.home)
        vectors, size = self._stored(known)
        with self.home.reading(Scope(None), None) as db:
            jobs = wanted_version(db)
            failures = db.execute(
                """
                select item_kind, cast(item_id as text), error, attempts from vector_outbox
                where status = 'failed' order by updated_at desc, job_id limit ?
                """,
                (_SHOWN,),
            ).fetchall()
            covered = coverage(db)
        return EmbedStatus(
            self.home.config.embed_embedder or "static",
            self.home.config.embed_store,
            None if jobs == UNCHOSEN else jobs,
            tuple(
                VersionStatus(
                    one.version,
                    _name_in(one.settings),
                    one.store,
                    one.state,
                    one.created_at,
                    one.completed_at,
                    vectors.get((one.store, one.place), {}).get(one.version, 0)
                    if (one.store, one.place) in vectors
                    else None,
                )
                for one in known
            ),
            covered,
            tuple(Failure(*row) for row in failures),
            writer,
            writer is not None and writer.is_gone(now()),
            size,
        )

    def _stored(self, known: Sequence[Version]) -> tuple[dict[tuple[str, str], Mapping[str, int]], int]:
        """How many vectors of each version there are in each store, and the bytes of them all."""
        from axiommind.vectors.versions import open_of

        vectors: dict[tuple[str, str], Mapping[str, int]] = {}
        size = 0
        for one in known:
            if (one.store, one.place) in vectors:
                continue
            try:
                store = open_of(self.home.config.home, one, write=False)
                try:
                    vectors[one.store, one.place] = store.versions()
                    size += store.size()
                finally:
                    store.close()
            except AxmError:
                continue  # `doctor` says why
        return vectors, size

    def _kinds_to_embed(self) -> tuple[str, ...]:
        from axiommind.projections.outbox import KINDS

        unknown = set(self.home.config.embed_kinds) - set(KINDS)
        if unknown:
            raise UsageError(f"embed.kinds: {min(unknown)!r} is no kind", hint=f"the kinds are: {', '.join(KINDS)}")
        return tuple(kind for kind in KINDS if kind in self.home.config.embed_kinds)

    def _embedder(self) -> tuple[Embedder, str]:
        """The embedder that was chosen, and what to load it with again when its vectors are searched."""
        from axiommind.vectors.embedders import Settings, load, spec

        name = self.home.config.embed_embedder or "static"
        if name == "static":  # which asks for it only when there is a text
            from importlib.util import find_spec

            if find_spec("numpy") is None:
                raise MissingExtra(
                    "embedding needs numpy, which is not installed", hint=f"run: {extra_command('embed')}"
                )
        config = self.home.config
        settings = Settings(
            name,
            config.embed_model,
            config.embed_url,
            config.embed_key_env,
            config.embed_seconds,
            config.embed_path,
            config.home,
            threads=0,
        )
        return load(settings), spec(settings)


def _embedded(
    worked: Worked, removed: int, version: str, is_active: bool, seconds: float, notes: Sequence[str]
) -> Embedded:
    return Embedded(
        worked.done,
        worked.failed,
        worked.kept,
        removed,
        worked.waiting,
        worked.over_budget,
        version,
        is_active,
        seconds,
        worked.texts,
        worked.stopped,
        tuple(notes),
    )


def _name_in(settings: str) -> str:
    import json

    return str(json.loads(settings).get("name", ""))


def _changes(db: sqlite3.Connection) -> int:
    return int(db.execute("pragma data_version").fetchone()[0])


def _is_lost(db: sqlite3.Connection, store: Store, version: str) -> bool:
    """Whether vectors that were made are gone from the store; then their jobs become pending again."""
    from axiommind.db import atomic

    if store.versions().get(version):
        return False
    with atomic(db):
        done = db.execute(
            """
            update vector_outbox set status = 'pending', attempts = 0
            where status = 'done' and embedding_version = ?
            """,
            (version,),
        ).rowcount
    return done > 0
