"""Versions of the vectors: which one answers, which one is being made, and with what. In `vectors/state.db`.

A version is an embedder and a store. It is searched once it is complete, and from then on until another one is: a
half-made one answers nothing.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from axiommind import db as sqlite

if TYPE_CHECKING:
    from axiommind.vectors.contract import Store

__all__ = [
    "Place",
    "Version",
    "active",
    "begin",
    "complete",
    "folder_of",
    "name_of",
    "open_of",
    "open_state",
    "read",
    "reading",
    "remove",
    "retire",
]

_DDL = (
    """
    create table if not exists versions (
        version text primary key,
        embedder text not null,
        settings text not null,
        dimension integer not null,
        store text not null,
        place text not null,
        state text not null check (state in ('building', 'active', 'retired')),
        created_at integer not null,
        completed_at integer
    ) without rowid
    """,
    "create unique index if not exists idx_versions_active on versions(state) where state = 'active'",
    """
    create table if not exists writer (
        one integer primary key check (one = 1),
        token text not null,
        pid integer not null,
        host text not null,
        started_at integer not null,
        beat_at integer not null
    )
    """,
)
_COLUMNS = "version, embedder, settings, dimension, store, place, state, created_at, completed_at"
# The store that is not part of a version's name.
_USUAL = "local"


class Version(NamedTuple):
    version: str  # as the store and the outbox have it
    embedder: str  # the embedder's own version: a vector of another one cannot be compared
    settings: str  # what the embedder is loaded with: see `embedders.spec`
    dimension: int
    store: str
    place: str  # where the store is, if not in the home
    state: str
    created_at: int
    completed_at: int | None


def folder_of(home: Path) -> Path:
    return home / "vectors"


class Place(NamedTuple):
    """A store, and where it is if not in the home."""

    store: str
    place: str

    def __str__(self) -> str:
        return f"{self.store} at {self.place}" if self.place else self.store


def open_of(home: Path, of: Version | Place, *, write: bool) -> Store:
    """The store that a version's vectors are in."""
    from axiommind.vectors.stores import open_store

    return open_store(of.store, of.place or folder_of(home), write=write)


def name_of(embedder: str, store: str, place: str = "") -> str:
    """The name of the version that an embedder makes in a store: in another one it is another version."""
    if place:
        import hashlib  # a search does not need it

        return f"{embedder}.{store}-{hashlib.sha256(place.encode()).hexdigest()[:6]}"
    return embedder if store == _USUAL else f"{embedder}.{store}"


def open_state(home: Path) -> sqlite3.Connection:
    """The state, to be written; closing it is the caller's business."""
    try:
        return _opened(home)
    except sqlite3.DatabaseError as error:
        if not sqlite.is_damage(error):
            raise
    for suffix in ("", "-wal", "-shm"):  # all it says is found again by the vectors that are there
        (folder_of(home) / f"state.db{suffix}").unlink(missing_ok=True)
    return _opened(home)


def _opened(home: Path) -> sqlite3.Connection:
    db = sqlite.open_write(folder_of(home) / "state.db")
    try:
        with sqlite.atomic(db):
            for statement in _DDL:
                db.execute(statement)
    except BaseException:
        db.close()
        raise
    return db


@contextlib.contextmanager
def reading(home: Path) -> Iterator[sqlite3.Connection | None]:
    """The state, to be read; None where there is none yet, or nothing that can be read."""
    try:
        db = sqlite.open_read(folder_of(home) / "state.db")
    except (FileNotFoundError, sqlite3.DatabaseError):
        yield None
        return
    try:
        yield db
    finally:
        db.close()


def read(home: Path) -> list[Version]:
    """Every version there was, newest first."""
    with reading(home) as db:
        if db is None:
            return []
        try:
            rows = db.execute(f"select {_COLUMNS} from versions order by created_at desc, version").fetchall()
        except sqlite3.DatabaseError:
            return []
    return [Version(*row) for row in rows]


def active(home: Path) -> Version | None:
    """The version that is searched."""
    return next((one for one in read(home) if one.state == "active"), None)


def begin(state: sqlite3.Connection, version: Version) -> None:
    """Make a version, or go on with it; one that answers goes on answering."""
    with sqlite.atomic(state):
        state.execute(
            f"""
            insert into versions({_COLUMNS}) values (?, ?, ?, ?, ?, ?, 'building', ?, null)
            on conflict(version) do update set
                embedder = excluded.embedder,
                settings = excluded.settings,
                dimension = excluded.dimension,
                place = excluded.place,
                created_at = case state when 'retired' then excluded.created_at else created_at end,
                completed_at = case state when 'retired' then null else completed_at end,
                state = case state when 'retired' then 'building' else state end
            """,
            (
                version.version,
                version.embedder,
                version.settings,
                version.dimension,
                version.store,
                version.place,
                version.created_at,
            ),
        )


def complete(state: sqlite3.Connection, version: str, at: int) -> None:
    """From this moment on this version answers, and no other one. All others are retired."""
    with sqlite.atomic(state):
        state.execute("update versions set state = 'retired' where version <> ?", (version,))
        state.execute(
            "update versions set state = 'active', completed_at = ? where version = ? and state <> 'active'",
            (at, version),
        )


def remove(state: sqlite3.Connection, names: Sequence[str]) -> None:
    """Forget versions whose vectors are gone, unless one of them is used again by now."""
    with sqlite.atomic(state):
        state.executemany("delete from versions where version = ? and state = 'retired'", [(name,) for name in names])


def retire(state: sqlite3.Connection, version: str) -> None:
    """Take a version out of use: its vectors were lost."""
    with sqlite.atomic(state):
        state.execute("update versions set state = 'retired' where version = ?", (version,))
