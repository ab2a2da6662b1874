"""Taking out vectors: of what is gone, and of versions that are no longer used. Needs no embedder."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from axiommind.db import atomic
from axiommind.vectors.contract import PASSAGES, Store
from axiommind.vectors.items import collection_of, gone, read
from axiommind.vectors.versions import Version, folder_of
from axiommind.vectors.versions import read as read_versions

__all__ = ["drop_retired", "open_of", "purge", "sweep"]


def open_of(home: Path, version: Version, *, write: bool) -> Store:
    """The store that a version's vectors are in."""
    from axiommind.vectors.stores import open_store

    return open_store(version.store, version.place or folder_of(home), write=write)


def sweep(db: sqlite3.Connection, store: Store) -> int:
    """Delete the vectors of items that are no longer there, in every version; returns how many items those are."""
    removed = 0
    for version in store.versions():
        left = gone(db, store.keys(PASSAGES, version))
        removed += len(left)
        if left:
            store.delete(PASSAGES, version, left)
        for kind in ("summary", "task_title"):
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


def purge(db: sqlite3.Connection, home: Path) -> int:
    """The same in every store of a home: what forgetting calls, so that nothing of a text is left on disk."""
    removed = 0
    for version in _one_of_each_store(read_versions(home)):
        store = open_of(home, version, write=True)
        try:
            removed += sweep(db, store)
        finally:
            store.close()
    return removed


def drop_retired(db: sqlite3.Connection, home: Path) -> list[str]:
    """Drop the vectors and the jobs of versions that no longer answer; returns which."""
    known = read_versions(home)
    retired = {one.version for one in known if one.state == "retired"}
    dropped = []
    for place in _one_of_each_store(known):
        store = open_of(home, place, write=True)
        try:
            for version in sorted(retired & store.versions().keys()):
                store.drop(version)
                dropped.append(version)
        finally:
            store.close()
    with atomic(db):
        for version in sorted(retired):
            db.execute("delete from vector_outbox where embedding_version = ?", (version,))
    return dropped


def _one_of_each_store(versions: Iterable[Version]) -> list[Version]:
    found: dict[tuple[str, str], Version] = {}
    for one in versions:
        found.setdefault((one.store, one.place), one)
    return list(found.values())
