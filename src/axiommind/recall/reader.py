"""A reader: one connection, in one state of the index, and the three layers that are read through it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

from axiommind.recall.request import IndexRequest, Selection
from axiommind.recall.selection import select

if TYPE_CHECKING:
    from axiommind.recall.disclosure import Detail, TimelineItem
    from axiommind.search.lexical import KnownWords
    from axiommind.search.semantic import Meaning

__all__ = ["Reader"]


class Reader:
    """Reads the layers of an answer. `recall.cache` has one that keeps what it read."""

    def __init__(self, db: sqlite3.Connection, meaning: Meaning | None) -> None:
        self.db = db
        self._meaning = meaning
        self._known: dict[str, KnownWords] = {}

    def index(self, request: IndexRequest) -> Selection:
        """Layer 1: what may be meant."""
        return select(self.db, request, self._meaning, self._known)

    def timeline(self, ids: Sequence[str], window: int = 3, *, is_served: bool = False) -> list[TimelineItem]:
        """Layer 2: what was said around passages (or entries). What is served to an agent is without the words of
        claims that were withdrawn."""
        from axiommind.recall.layers import timeline
        from axiommind.search.reading.passage_ids import numbers

        return timeline(self.db, numbers(self.db, ids), window, is_served=is_served)

    def details(self, ids: Sequence[str]) -> list[Detail]:
        """Layer 3: passages (or entries) in full, in the order asked for."""
        from axiommind.recall.layers import details
        from axiommind.search.reading.passage_ids import numbers

        return details(self.db, numbers(self.db, ids))
