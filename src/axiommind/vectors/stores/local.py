"""The default store: one SQLite file, nothing to install, no server.

Vectors are kept as directions, a signed byte a dimension (see `_codes.py`); a search scans codes of one bit a dimension
and then looks closely at the parts that may be near. A vector of zeros has no direction: it is known (`hashes`,
`keys`), and never near to anything.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from struct import unpack
from typing import Any

from axiommind.errors import UsageError
from axiommind.vectors.contract import Near, Store, Vector, VectorRow
from axiommind.vectors.similarity import cosine
from axiommind.vectors.stores import _codes, _slots
from axiommind.vectors.stores._file import File
from axiommind.vectors.stores._rows import accepted, best, check_dimension, numbers

__all__ = ["LocalStore", "open"]

FILE = "local.db"

# How many parts are looked at closely: so many, and more for each key that is wanted. Of 15,000 parts of real sessions,
# without numpy, the nearest 100 take 9 ms and miss 2 % of those above 0.3; with 40 for each, 24 ms and 0.2 %; with 6,
# 6 ms and 5 %.
CANDIDATES = 400
OVERSAMPLE = 10
# A store scans so many codes in Python before it imports numpy for it, unless numpy is there anyway. A code takes
# 0.5 µs in Python, importing numpy 80 to 100 ms (two cores, Python 3.11): about here it has paid for itself.
PURE_LIMIT = 180_000

_PAGE = 5_000  # keys at a time


def open(folder: Path | str, write: bool) -> LocalStore:  # noqa: A001 - what every store's module has
    if "://" in str(folder):
        raise UsageError(f"the local store cannot be at {folder}", hint="give a folder, or choose the store lance")
    return LocalStore(Path(folder) / FILE, write=write)


class LocalStore(Store):
    name = "local"

    def __init__(self, path: Path, *, write: bool) -> None:
        self._file = File(path, _slots.TABLES, _slots.SHAPE, write=write)
        self._scanned = 0
        self._codes: tuple[tuple[int, int], list[bytes]] | None = None

    # --- writing ---------------------------------------------------------------------------------------

    def upsert(self, collection: str, version: str, rows: Sequence[VectorRow]) -> None:
        if not rows:
            return
        kept, dimension = accepted(rows)
        self._codes = None  # `pragma data_version` tells of what others write, not of this connection
        with self._file.writing() as db:
            for (known,) in db.execute("select dimension from spaces where version = ?", (version,)).fetchall():
                check_dimension(version, dimension, known)
            db.execute(
                "insert into spaces (collection, version, dimension) values (?, ?, ?) on conflict do nothing",
                (collection, version, dimension),
            )
            space = _slots.space(db, collection, version)
            assert space is not None
            _slots.replace(db, space, {row.key for row in kept}, kept)

    def delete(self, collection: str, version: str, keys: Collection[str]) -> None:
        self._codes = None
        with self._file.writing() as db:
            space = _slots.space(db, collection, version)
            if space is not None:
                _slots.delete(db, space, keys)
        self._file.forget()

    def drop(self, version: str) -> None:
        self._codes = None
        with self._file.writing() as db:
            _slots.drop(db, version)
        self._file.forget()

    def tidy(self) -> None:
        self._file.forget()

    # --- reading ---------------------------------------------------------------------------------------

    def near(
        self, collection: str, version: str, vector: Vector, k: int, places: Collection[int] | None = None
    ) -> list[Near]:
        query = numbers(vector)
        if k <= 0 or not any(query) or (places is not None and not places):
            return []
        with self._file.reading() as db:
            space = _slots.space(db, collection, version)
            if space is None:
                return []
            check_dimension(version, len(query), space.dimension)
            scan = self._scan(db, space, _codes.whole(query), frozenset(places or ()))
            wanted = CANDIDATES + OVERSAMPLE * k
            while True:
                slots = scan.first(wanted)
                rows = db.execute(
                    """
                    select key, squared, vector from parts
                    where space = ? and slot in (select value from json_each(?))
                    """,
                    (space.id, str(slots)),
                ).fetchall()
                found = best(_similarities(scan, rows), k)
                if len(found) == k or len(slots) < wanted:
                    return found
                wanted *= 4  # the nearest parts are all of a few long texts

    def _scan(
        self, db: sqlite3.Connection, space: _slots.Space, query: Sequence[int], only: frozenset[int]
    ) -> _codes.Scan:
        self._scanned += space.slots
        pure = not _codes.loaded_numpy() and (self._scanned <= PURE_LIMIT or not _codes.numpy())
        places = _slots.blocks(db, space, "places", 8) if only else ()
        return (_codes.PythonScan if pure else _codes.NumpyScan)(query, self._read_codes(db, space), places, only)

    def _read_codes(self, db: sqlite3.Connection, space: _slots.Space) -> list[bytes]:
        """Those of the last search, if nobody has written since: reading them is half of the time of a search."""
        (data_version,) = db.execute("pragma data_version").fetchone()
        if self._codes is None or self._codes[0] != (data_version, space.id):
            codes = list(_slots.blocks(db, space, "codes", _codes.width(space.dimension)))
            self._codes = (data_version, space.id), codes
        return self._codes[1]

    def similarities(self, collection: str, version: str, vector: Vector, keys: Iterable[str]) -> dict[str, float]:
        query, lots = numbers(vector), list(_slots.in_lots(keys))
        found: dict[str, float] = {}
        with self._file.reading() as db:
            space = _slots.space(db, collection, version)
            if space is None or not any(query):
                return found
            check_dimension(version, len(query), space.dimension)
            scan = (_codes.NumpyScan if _codes.loaded_numpy() else _codes.PythonScan)(_codes.whole(query), ())
            for some in lots:
                rows = db.execute(
                    f"""
                    select key, squared, vector from parts
                    where space = ? and key in ({_slots.marks(some)}) and vector is not null
                    """,
                    (space.id, *some),
                ).fetchall()
                found.update(best(_similarities(scan, rows), len(rows)))
        return found

    def vectors(self, collection: str, version: str, keys: Iterable[str]) -> dict[str, list[Vector]]:
        """As they are kept: unit vectors to a hundredth or so, and none of zeros."""
        found: dict[str, list[Vector]] = {}
        for key, squared, vector in self._of_keys(collection, version, keys, "key, squared, vector"):
            if vector is not None:
                length = squared**0.5
                found.setdefault(key, []).append([x / length for x in unpack(f"{len(vector)}b", vector)])
        return found

    def hashes(self, collection: str, version: str, keys: Iterable[str]) -> Mapping[str, str]:
        return dict(self._of_keys(collection, version, keys, "key, text_hash"))

    def _of_keys(self, collection: str, version: str, keys: Iterable[str], columns: str) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = []
        lots = list(_slots.in_lots(keys))  # before the transaction: they may come out of this very file
        with self._file.reading() as db:
            space = _slots.space(db, collection, version)
            if space is not None:
                for some in lots:
                    marks = _slots.marks(some)
                    rows += db.execute(
                        f"select {columns} from parts where space = ? and key in ({marks}) order by key, part",
                        (space.id, *some),
                    )
        return rows

    def keys(self, collection: str, version: str) -> Iterator[str]:
        """In order, and a page at a time, so that the caller may write in between."""
        last = ""
        while True:
            with self._file.reading() as db:
                page = db.execute(
                    """
                    select distinct key from parts
                    where space = (select space from spaces where collection = :collection and version = :version)
                        and key > :last
                    order by key limit :page
                    """,
                    {"collection": collection, "version": version, "last": last, "page": _PAGE},
                ).fetchall()
            for (last,) in page:
                yield last
            if len(page) < _PAGE:
                return

    def versions(self) -> Mapping[str, int]:
        with self._file.reading() as db:
            return dict(
                db.execute("select version, count(*) from parts join spaces using (space) group by 1 order by 1")
            )

    def size(self) -> int:
        return self._file.size()

    def close(self) -> None:
        self._file.close()


def _similarities(scan: _codes.Scan, rows: Sequence[tuple[str, int, bytes]]) -> Iterator[tuple[str, float]]:
    dots = scan.dots([vector for _, _, vector in rows])
    for (key, squared, _), dot in zip(rows, dots, strict=True):
        yield key, cosine(dot, squared, scan.squared)
