"""Parts: some rows of a table that follow each other, named by what is in them.

Where a part ends is decided by the key of its last row, not by a count, so rows that come or go move the ends near them
and no others: an export that is brought up to date writes the parts that changed. Memory holds one part.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from axiommind.exports.snapshot import BLOBS, ExportedTable

__all__ = ["MOST_BYTES", "MOST_ROWS", "Part", "cut"]

# On average a part has so many rows (a power of two); at most four times as many, and so many bytes and one row.
USUAL_ROWS = 8192
MOST_ROWS = 4 * USUAL_ROWS
MOST_BYTES = 16 << 20


class Part(NamedTuple):
    """`first` and `last` are the keys of its ends; empty where the table has none."""

    table: str
    digest: str
    rows: int
    first: tuple[Any, ...]
    last: tuple[Any, ...]


def cut(table: ExportedTable, rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Part, list[tuple[Any, ...]]]]:
    """The parts of a table with their rows."""
    held: list[tuple[Any, ...]] = []
    size = number = 0
    digest = hashlib.sha256()
    for row in rows:
        written = repr(row).encode("utf-8", "surrogatepass")
        digest.update(written)
        held.append(row)
        size += row[2] if table.name == BLOBS else len(written)
        key = repr(_key(table, row)).encode("utf-8", "surrogatepass") if table.keys else written
        if size >= MOST_BYTES or len(held) >= MOST_ROWS or zlib.crc32(key) % USUAL_ROWS == 0:
            yield _part(table, held, digest.hexdigest(), number), held
            held, size, number, digest = [], 0, number + 1, hashlib.sha256()
    if held:
        yield _part(table, held, digest.hexdigest(), number), held


def _part(table: ExportedTable, rows: list[tuple[Any, ...]], digest: str, number: int) -> Part:
    if not table.keys:  # rows without a key may be there twice, and so may parts
        digest = hashlib.sha256(f"{number}:{digest}".encode()).hexdigest()
    return Part(table.name, digest[:32], len(rows), _key(table, rows[0]), _key(table, rows[-1]))


def _key(table: ExportedTable, row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(row[place] for place in table.keys)
