"""What a resident process keeps of its answers: one cache per layer, each with a size and a time to live.

A key begins with the state of the index, so what was answered from another state is never found again.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

from axiommind.ids import short_id
from axiommind.recall.layers import details, timeline
from axiommind.recall.reader import Reader
from axiommind.search.reading.passage_ids import numbers

if TYPE_CHECKING:
    from axiommind.config import Config, Disclosure
    from axiommind.recall.disclosure import Detail, TimelineItem
    from axiommind.recall.request import IndexRequest, Selection
    from axiommind.search.semantic import Meaning

__all__ = ["Cache", "CachedReader", "Kept", "state_of"]

V = TypeVar("V")
INDEX_SIZE, TIMELINE_SIZE, DETAIL_SIZE = 100, 500, 200


class Kept(Generic[V]):
    """The values that were asked for last, at most `size` of them, none for longer than `ttl` milliseconds."""

    def __init__(self, size: int, ttl: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.size = size
        self.ttl = ttl
        self._clock = clock
        self._values: OrderedDict[Hashable, tuple[float, V]] = OrderedDict()
        self._lock = Lock()  # servers answer from several threads

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Hashable) -> V | None:
        with self._lock:
            found = self._values.get(key)
            if found is None:
                return None
            until, value = found
            if self._clock() >= until:
                del self._values[key]
                return None
            self._values.move_to_end(key)
            return value

    def put(self, key: Hashable, value: V) -> None:
        with self._lock:
            self._values[key] = (self._clock() + self.ttl / 1000, value)
            self._values.move_to_end(key)
            while len(self._values) > self.size:
                self._values.popitem(last=False)


class Cache:
    """The three layers."""

    def __init__(self, settings: Disclosure, clock: Callable[[], float] = time.monotonic) -> None:
        self.index: Kept[Selection] = Kept(INDEX_SIZE, settings.index_ttl, clock)
        self.timeline: Kept[tuple[TimelineItem, ...]] = Kept(TIMELINE_SIZE, settings.timeline_ttl, clock)
        self.details: Kept[Detail] = Kept(DETAIL_SIZE, settings.detail_ttl, clock)


class CachedReader(Reader):
    """A reader that looks into the cache first."""

    def __init__(self, db: sqlite3.Connection, meaning: Meaning | None, cache: Cache, state: Hashable) -> None:
        super().__init__(db, meaning)
        self._cache = cache
        self._state = state

    def index(self, request: IndexRequest) -> Selection:
        # As it was asked: what `since:7d` means moves on, and is kept for no longer than its time to live.
        asked = request._replace(now=0) if request.is_now else request
        options = {**asked._asdict(), "query": request.query.filters.project, "skip": sorted(request.skip)}
        key = (self._state, request.query.text, repr(sorted(options.items())))
        kept = self._cache.index.get(key)
        if kept is None:
            kept = super().index(request)
            self._cache.index.put(key, kept)
        return kept

    def timeline(self, ids: Sequence[str], window: int = 3, *, is_served: bool = False) -> list[TimelineItem]:
        wanted = numbers(self.db, ids)
        key = (self._state, is_served, tuple(sorted(set(wanted))), window)
        kept = self._cache.timeline.get(key)
        if kept is None:
            kept = tuple(timeline(self.db, wanted, window, is_served=is_served))
            self._cache.timeline.put(key, kept)
        return list(kept)

    def details(self, ids: Sequence[str]) -> list[Detail]:
        wanted = numbers(self.db, ids)
        kept = {number: self._cache.details.get((self._state, number)) for number in wanted}
        read = {one.id: one for one in details(self.db, [number for number, one in kept.items() if one is None])}
        found = []
        for number, one in kept.items():
            if one is None and (one := read.get(short_id(number))) is not None:
                self._cache.details.put((self._state, number), one)
            if one is not None:
                found.append(one)
        return found


def state_of(db: sqlite3.Connection, config: Config) -> Hashable:
    """What changes whenever the index does: rulings, learning and forgetting are events, and move its position. A
    rebuilt or restored index is another file, or another length of one; vectors have files of their own."""
    positions = db.execute("select max(position), sum(position), sum(version) from projection_offsets").fetchone()
    files = [config.index_path.stat()]
    with contextlib.suppress(FileNotFoundError), os.scandir(config.home / "vectors") as inside:
        # Readers touch -shm files.
        files += [one.stat() for one in sorted(inside, key=lambda one: one.name) if not one.name.endswith("-shm")]
    return (*positions, *((file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns) for file in files))
