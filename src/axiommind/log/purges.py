"""Purges that are not proven yet, and records that must not come back.

A purge is noted in the transaction that makes it, with what to look for (`needles.py`), and the note goes in the
transaction of the event that says what was proven. So a run that is killed anywhere leaves either no purge or one that
the next run finishes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from axiommind.db import has_table
from axiommind.log.blobs import unseal
from axiommind.log.needles import Needles, needles_of

__all__ = ["Purge", "Purges"]

_HASH_BYTES = 12
_MANY = 500


class Purge(NamedTuple):
    """Text that was purged by the event at this position, and may still be somewhere in the home."""

    position: int
    needles: Needles
    blobs: int
    bytes: int


class Purges:
    """The tables `purges` and `forgotten_records` of an open log."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def note(self, position: int, gone: Sequence[str], kept: Sequence[str] = ()) -> None:
        """Inside the transaction of the event at this position, before these blobs are deleted: what they said is
        looked for until it is proven that no file of the home holds it. `kept` are blobs that say some of it and stay,
        such as those that take their place."""
        sizes: list[int] = []
        needles = needles_of(self._counted(gone, sizes), (content for content, _stored in self._contents(kept)))
        self._db.execute(
            """
            insert into purges(position, key, runs, heads, blobs, bytes)
            values (?, ?, ?, ?, ?, ?)
            on conflict do nothing
            """,
            (
                position,
                needles.key,
                b"".join(sorted(needles.runs)),
                b"".join(sorted(needles.heads)),
                len(sizes),
                sum(sizes),
            ),
        )

    def pending(self) -> list[Purge]:
        """Purges that are not proven yet."""
        if not has_table(self._db, "purges"):  # opened for reading, and written by a version that proved nothing
            found = self._db.execute("select position from events where event_type = 'forgotten' order by position")
            return [Purge(row[0], Needles(b"", frozenset(), frozenset()), 0, 0) for row in found]
        rows = self._db.execute("select position, key, runs, heads, blobs, bytes from purges order by position")
        return [
            Purge(position, Needles(key, _split(runs), _split(heads)), blobs, size)
            for position, key, runs, heads, blobs, size in rows
        ]

    def remove(self, positions: Iterable[int]) -> None:
        """Delete what there was to look for, with its key."""
        self._db.executemany("delete from purges where position = ?", [(position,) for position in positions])

    def keep_out(self, position: int, hashes: Iterable[bytes]) -> None:
        """Records with these hashes are not read again, from whatever file, until the event at this position is
        lifted."""
        rows = ((one, position) for one in hashes)
        self._db.executemany("insert or ignore into forgotten_records values (?, ?)", rows)

    def kept_out(self) -> tuple[int, int]:
        """How many records are kept out, and since which event: another answer means that there are others now."""
        row = self._db.execute("select count(*), coalesce(max(position), 0) from forgotten_records").fetchone()
        return row[0], row[1]

    def are_kept_out(self, hashes: Sequence[bytes]) -> set[bytes]:
        """Those of the records with these hashes that were forgotten."""
        found: set[bytes] = set()
        for at in range(0, len(hashes), _MANY):
            some = hashes[at : at + _MANY]
            marks = ",".join("?" * len(some))
            rows = self._db.execute(f"select distinct hash from forgotten_records where hash in ({marks})", some)
            found |= {row[0] for row in rows}
        return found

    def texts(self) -> Iterator[bytes]:
        """What every blob of the log says."""
        for codec, data in self._db.execute("select codec, data from blobs"):
            yield unseal(codec, data)

    def _contents(self, names: Sequence[str]) -> Iterator[tuple[bytes, bytes]]:
        """What each blob says, and the bytes that are stored for it."""
        for name in names:
            row = self._db.execute("select codec, data from blobs where hash = ?", (name,)).fetchone()
            if row is not None:
                yield unseal(*row), row[1]

    def _counted(self, names: Sequence[str], sizes: list[int]) -> Iterator[tuple[bytes, bytes]]:
        for content, stored in self._contents(names):
            sizes.append(len(content))
            yield content, stored


def _split(data: bytes) -> frozenset[bytes]:
    return frozenset(data[at : at + _HASH_BYTES] for at in range(0, len(data), _HASH_BYTES))
