"""Deletes vectors of what is gone, and of versions no longer in use. Needs no embedder."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from axiommind.db import atomic
from axiommind.errors import AxmError, StoreError, VectorsCorrupt
from axiommind.vectors.contract import PASSAGES, Store
from axiommind.vectors.items import collection_of, gone, read
from axiommind.vectors.versions import Place, Version, folder_of, open_of, open_state, remove
from axiommind.vectors.versions import read as read_versions

__all__ = ["absent", "drop_passages", "drop_retired", "places", "purge", "sweep"]

# Kinds of items that are no passages, each with a collection of its own.
_NAMED = ("summary", "task_title")


def places(home: Path) -> list[Place]:
    """Every store of a home: those of known versions, and those without one."""
    found = dict.fromkeys(Place(one.store, one.place) for one in read_versions(home))
    for store, name in (("local", "local.db"), ("lance", "lance")):
        if (folder_of(home) / name).exists():
            found[Place(store, "")] = None
    return list(found)


def sweep(db: sqlite3.Connection, store: Store) -> int:
    """Delete the vectors of items that are no longer there, in every version; returns how many items those are."""
    removed = 0
    for version in store.versions():
        left = gone(db, store.keys(PASSAGES, version))
        removed += len(left)
        if left:
            store.delete(PASSAGES, version, left)
        for kind in _NAMED:
            removed += _sweep_changed(db, store, kind, version)
    return removed


def _sweep_changed(db: sqlite3.Connection, store: Store, kind: str, version: str) -> int:
    """A passage goes with its text. What a session is about, or a task, may have come from what is gone: then only its
    text is another one."""
    collection = collection_of(kind)
    keys = list(store.keys(collection, version))
    now = {item.key: item.text_hash for item in read(db, kind, keys)}
    then = store.hashes(collection, version, keys)
    stale = [key for key in keys if now.get(key) != then.get(key)]
    if stale:
        store.delete(collection, version, stale)
    return len(keys) - len(now)


def absent(db: sqlite3.Connection, store: Store) -> set[tuple[str, str]]:
    """What has vectors and is no longer there, as (collection, key). Only reads."""
    found: set[tuple[str, str]] = set()
    for version in store.versions():
        found |= {(PASSAGES, key) for key in gone(db, store.keys(PASSAGES, version))}
        for kind in _NAMED:
            keys = list(store.keys(collection_of(kind), version))
            left = set(keys) - {item.key for item in read(db, kind, keys)}
            found |= {(collection_of(kind), key) for key in left}
    return found


def purge(db: sqlite3.Connection, home: Path) -> list[AxmError]:
    """Sweep every store of a home: what forgetting calls, so that nothing of a text is left on disk. Goes on where a
    store cannot be opened or written; returns what stood in the way, so that somebody is told."""
    trouble: list[AxmError] = []
    for place in places(home):
        try:
            _purge(db, home, place)
        except AxmError as error:
            trouble.append(error)
        except (OSError, RuntimeError, ValueError, sqlite3.Error) as error:  # of a library behind a store
            trouble.append(StoreError(f"the store {place} cannot be written ({error})"))
    for copy in folder_of(home).glob("*.corrupt-*"):  # a damaged store may still hold what was forgotten
        with contextlib.suppress(OSError):
            copy.unlink()
    return trouble


def _purge(db: sqlite3.Connection, home: Path, place: Place) -> None:
    try:
        with _writing(home, place) as store:
            sweep(db, store)
    except VectorsCorrupt:  # whoever opens it next moves it aside
        with _writing(home, place) as store:
            sweep(db, store)


@contextlib.contextmanager
def _writing(home: Path, place: Place) -> Iterator[Store]:
    store = open_of(home, place, write=True)
    try:
        yield store
    finally:
        store.close()


def drop_passages(home: Path, positions: Collection[int]) -> None:
    """Delete the vectors of what these events brought: its text is another one now. The next run makes them anew."""
    from axiommind.projections import PLACE_BITS
    from axiommind.projections.passages import KIND_BITS

    for place in places(home):
        with contextlib.suppress(AxmError), _writing(home, place) as store:
            for version in store.versions():
                keys = store.keys(PASSAGES, version)
                stale = [key for key in keys if key.isdecimal() and int(key) >> KIND_BITS + PLACE_BITS in positions]
                if stale:
                    store.delete(PASSAGES, version, stale)


def drop_retired(db: sqlite3.Connection, home: Path) -> list[str]:
    """Drop the vectors and the jobs of versions that no longer answer, but for the vectors of the one that answered
    last: whoever returns to its embedder has them. Returns which. Those in a store that cannot be opened now, such as
    one whose extra was taken away, stay until it can."""
    known = read_versions(home)
    kept = _last(known)
    retired = [one for one in known if one.state == "retired"]
    dropped = []
    for place in dict.fromkeys(Place(one.store, one.place) for one in retired if one.version != kept):
        with contextlib.suppress(AxmError), _writing(home, place) as store:
            for one in retired:
                if Place(one.store, one.place) == place and one.version != kept:
                    store.drop(one.version)
                    dropped.append(one.version)
    if dropped:
        with contextlib.closing(open_state(home)) as state:
            remove(state, dropped)
    with atomic(db):
        for one in retired:
            db.execute("delete from vector_outbox where embedding_version = ?", (one.version,))
    return dropped


def _last(known: Sequence[Version]) -> str | None:
    """The version that answered last, if it is in the same store as the one that is used now: another store may need
    an extra that is taken away, and then nothing could be purged from it."""
    now = next((one for state in ("active", "building") for one in known if one.state == state), None)
    before = [
        (one.completed_at, one.version)
        for one in known
        if one.state == "retired"
        and one.completed_at is not None
        and now is not None
        and (one.store, one.place) == (now.store, now.place)
    ]
    return max(before)[1] if before else None
