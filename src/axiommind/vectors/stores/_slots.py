"""The tables of the local store, and how its rows and blocks are kept in step.

A vector is a row of `parts`. Its code and place stand in a slot of one of the `blocks`, so that a search reads a few
large values instead of every row. The slots of a space (a collection in one version) are numbered from 0 without a gap:
when one is given up, the last one moves there. A vector of zeros has a row and no slot.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from struct import pack, unpack
from typing import NamedTuple

from axiommind.vectors.contract import VectorRow
from axiommind.vectors.stores import _codes

__all__ = ["SHAPE", "TABLES", "Space", "blocks", "delete", "drop", "in_lots", "marks", "replace", "space"]

SHAPE = 1  # of the tables
BLOCK = 4096  # slots
_LOT = 500  # keys in one statement

TABLES = (
    """
    create table spaces (
        space integer primary key,
        collection text not null,
        version text not null,
        dimension integer not null,
        slots integer not null default 0,
        unique (collection, version)
    )
    """,
    """
    create table parts (
        id integer primary key,
        space integer not null,
        key text not null,
        part integer not null,
        place integer not null,
        text_hash text not null,
        slot integer,
        squared integer,
        vector blob,
        unique (space, key, part),
        unique (space, slot)
    )
    """,
    """
    create table blocks (
        id integer primary key,
        space integer not null,
        block integer not null,
        codes blob not null,
        places blob not null,
        unique (space, block)
    )
    """,
    # Holds a row from the time that something is deleted until nothing of it is left on disk.
    "create table due (forget integer primary key)",
)


class Space(NamedTuple):
    id: int
    dimension: int
    slots: int


class _Slot(NamedTuple):
    """What stands in a slot."""

    code: bytes
    place: int


def space(db: sqlite3.Connection, collection: str, version: str) -> Space | None:
    row = db.execute(
        "select space, dimension, slots from spaces where collection = ? and version = ?", (collection, version)
    ).fetchone()
    return None if row is None else Space(*row)


def blocks(db: sqlite3.Connection, of: Space, column: str, size: int) -> Iterator[bytes]:
    """`codes` or `places` of the blocks, so many bytes a slot, as far as slots are taken."""
    left = of.slots * size
    for (data,) in db.execute(f"select {column} from blocks where space = ? order by block", (of.id,)):
        yield data if len(data) <= left else data[:left]
        left -= len(data)


def replace(db: sqlite3.Connection, of: Space, keys: Collection[str], rows: Sequence[VectorRow]) -> None:
    """Put rows where all parts of these keys were."""
    free = _remove(db, of, keys)
    slots = of.slots
    changed: dict[int, _Slot | None] = {}
    kept = []
    for row, small in zip(rows, _codes.small([row.vector for row in rows]), strict=True):
        slot = squared = vector = None
        if small is not None:
            if free:
                slot = free.pop()
            else:
                slot, slots = slots, slots + 1
            vector, squared = small.vector, small.squared
            changed[slot] = _Slot(small.code, int(row.place))
        kept.append((of.id, row.key, int(row.part), int(row.place), row.text_hash, slot, squared, vector))
    db.executemany(
        """
        insert into parts (space, key, part, place, text_hash, slot, squared, vector)
        values (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        kept,
    )
    changed.update(_close_gaps(db, of, free, slots))
    slots -= len(free)
    db.execute("update spaces set slots = ? where space = ?", (slots, of.id))
    _patch(db, of, changed)
    db.execute("delete from blocks where space = ? and block * ? >= ?", (of.id, BLOCK, slots))


def delete(db: sqlite3.Connection, of: Space, keys: Collection[str]) -> None:
    there: list[str] = []
    for some in in_lots(keys):
        found = db.execute(f"select distinct key from parts where space = ? and key in ({marks(some)})", (of.id, *some))
        there += [key for (key,) in found]
    if there:
        replace(db, of, there, ())
        _note(db)


def drop(db: sqlite3.Connection, version: str) -> None:
    for table in ("parts", "blocks", "spaces"):
        db.execute(f"delete from {table} where space in (select space from spaces where version = ?)", (version,))
    _note(db)


def _note(db: sqlite3.Connection) -> None:
    db.execute("insert into due values (1) on conflict do nothing")


def _remove(db: sqlite3.Connection, of: Space, keys: Collection[str]) -> list[int]:
    """The slots that become free, the last one first."""
    free: list[int] = []
    for some in in_lots(keys):
        where = f"where space = ? and key in ({marks(some)})"
        gone = db.execute(f"select slot from parts {where}", (of.id, *some)).fetchall()
        if gone:
            db.execute(f"delete from parts {where}", (of.id, *some))
            free += [slot for (slot,) in gone if slot is not None]
    return sorted(free, reverse=True)


def _close_gaps(db: sqlite3.Connection, of: Space, free: Collection[int], slots: int) -> dict[int, _Slot | None]:
    """Move the last of the slots into those that are free, and say what changed."""
    gaps = frozenset(free)
    left = slots - len(gaps)
    changed: dict[int, _Slot | None] = dict.fromkeys(range(left, slots))
    moving = [slot for slot in range(left, slots) if slot not in gaps]
    for gap, slot in zip(sorted(gap for gap in gaps if gap < left), moving, strict=True):
        # Read, not returned by the update: `returning` needs a newer SQLite than Python 3.11 may come with.
        vector, place = db.execute(
            "select vector, place from parts where space = ? and slot = ?", (of.id, slot)
        ).fetchone()
        db.execute("update parts set slot = ? where space = ? and slot = ?", (gap, of.id, slot))
        changed[gap] = _Slot(_codes.code(unpack(f"{of.dimension}b", vector)), place)
    return changed


def _patch(db: sqlite3.Connection, of: Space, changed: Mapping[int, _Slot | None]) -> None:
    """Write slots in place: only the pages of a block that they are on."""
    size = _codes.width(of.dimension)
    nothing = _Slot(bytes(size), 0)
    by_block: dict[int, list[int]] = {}
    for slot in changed:
        by_block.setdefault(slot // BLOCK, []).append(slot)
    for block, slots in sorted(by_block.items()):
        db.execute(
            """
            insert into blocks (space, block, codes, places)
            values (?, ?, zeroblob(?), zeroblob(?))
            on conflict do nothing
            """,
            (of.id, block, BLOCK * size, BLOCK * 8),
        )
        (row,) = db.execute("select id from blocks where space = ? and block = ?", (of.id, block)).fetchone()
        with db.blobopen("blocks", "codes", row) as codes, db.blobopen("blocks", "places", row) as places:
            for slot in slots:
                held = changed[slot] or nothing
                codes.seek(slot % BLOCK * size)
                codes.write(held.code)
                places.seek(slot % BLOCK * 8)
                places.write(pack("<q", held.place))


def in_lots(keys: Iterable[str]) -> Iterator[list[str]]:
    """Each key once, as many at a time as fit into a statement."""
    left = iter(dict.fromkeys(keys))
    while some := list(islice(left, _LOT)):
        yield some


def marks(some: Sequence[str]) -> str:
    return ",".join("?" * len(some))
