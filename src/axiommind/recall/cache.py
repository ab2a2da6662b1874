"""What a process that stays keeps of its answers: one cache a layer, each with a size and a time to live.

A key begins with the state of the index, so that what was answered from another state is never found again.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from axiommind.config import Disclosure
    from axiommind.recall.disclosure import Detail, IndexItem, TimelineItem

__all__ = ["Cache", "Kept", "detail_key", "index_key", "timeline_key"]

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
        self.index: Kept[tuple[IndexItem, ...]] = Kept(INDEX_SIZE, settings.index_ttl, clock)
        self.timeline: Kept[tuple[TimelineItem, ...]] = Kept(TIMELINE_SIZE, settings.timeline_ttl, clock)
        self.details: Kept[Detail] = Kept(DETAIL_SIZE, settings.detail_ttl, clock)


def index_key(state: Hashable, query: str, options: Mapping[str, Any]) -> Hashable:
    return (state, query, repr(sorted(options.items())))


def timeline_key(state: Hashable, ids: Iterable[str | int], window: int) -> Hashable:
    return (state, tuple(sorted(set(ids), key=str)), window)


def detail_key(state: Hashable, name: str | int) -> Hashable:
    return (state, name)
