"""The store for many more vectors, or for an object store: LanceDB, one table for each collection and version.

LanceDB keeps every earlier version of a table until it is told to clean up, and two writers at once leave the same key
twice without a word. So one process writes at a time, by a lock on a file, and forgetting ends with a clean-up.
At an address (s3://, gs://, az://) there is no file to lock: there the lock of the run that writes has to do.
"""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from axiommind.distribution import extra_command
from axiommind.errors import Internal, Locked, MissingExtra, NotWritable, StoreError, VectorError
from axiommind.private import make_private
from axiommind.vectors.contract import Near, Store, Vector, VectorRow
from axiommind.vectors.similarity import similarity
from axiommind.vectors.stores._rows import accepted, best, check_dimension, numbers

__all__ = ["LanceStore", "open"]

FOLDER = "lance"
LOCK = "lance.lock"

_OVERSAMPLE = 4  # parts asked for, for each key that is wanted
_KEYS = 1_000  # in one condition
_ANY = "true"

_T = TypeVar("_T")


def open(folder: Path | str, write: bool) -> LanceStore:  # noqa: A001 - what every store's module has
    if "://" in str(folder):
        return LanceStore(str(folder), write=write)
    return LanceStore(Path(folder), write=write)


class LanceStore(Store):
    """An open database of LanceDB. A missing one is empty when it is read."""

    name = "lance"

    def __init__(self, folder: Path | str, *, write: bool) -> None:
        try:
            import lancedb
        except ImportError as error:
            raise MissingExtra(
                "the store lance needs lancedb, which is not installed", hint=extra_command("lance")
            ) from error
        self._write = write
        self._at = folder / FOLDER if isinstance(folder, Path) else folder
        self._lock = _locked(folder / LOCK) if write and isinstance(folder, Path) else None
        self._dimensions: dict[str, int] = {}
        self._db = None
        try:
            # Reading a folder that is not there must not make one.
            if write or isinstance(self._at, str) or self._at.is_dir():
                self._db = lancedb.connect(self._at, read_consistency_interval=timedelta(0))
        except BaseException:
            self.close()
            raise

    # --- writing ---------------------------------------------------------------------------------------

    def upsert(self, collection: str, version: str, rows: Sequence[VectorRow]) -> None:
        self._may_write()
        if not rows:
            return
        import pyarrow as pa

        kept, dimension = accepted(rows)
        self._check_dimension(version, dimension)
        schema = pa.schema(
            [
                pa.field("key", pa.string(), nullable=False),
                pa.field("part", pa.int32(), nullable=False),
                pa.field("place", pa.int64(), nullable=False),
                pa.field("text_hash", pa.string(), nullable=False),
                pa.field("blank", pa.bool_(), nullable=False),  # of zeros: without a direction
                pa.field("vector", pa.list_(pa.float32(), dimension), nullable=False),
            ]
        )
        columns = {
            "key": [row.key for row in kept],
            "part": [int(row.part) for row in kept],
            "place": [int(row.place) for row in kept],
            "text_hash": [row.text_hash for row in kept],
            "blank": [not any(row.vector) for row in kept],
            "vector": [row.vector for row in kept],
        }
        data = pa.table(columns, schema=schema)
        table = self._database().create_table(_name(collection, version), schema=schema, exist_ok=True)
        keys = list(dict.fromkeys(row.key for row in kept))
        if not any(table.count_rows(_in("key", some)) for some in _some(keys)):
            table.add(data)
            return
        # One commit: what is there is replaced, and the parts that a key no longer has go.
        table.merge_insert(
            ["key", "part"]
        ).when_matched_update_all().when_not_matched_insert_all().when_not_matched_by_source_delete(
            _in("key", keys)
        ).execute(data)

    def delete(self, collection: str, version: str, keys: Collection[str]) -> None:
        """Write the table anew without them: LanceDB only marks what it deletes, and leaves the marked on disk until
        they are a tenth of a file."""
        self._may_write()
        table = self._table(collection, version)
        if table is None or not keys:
            return
        if any(table.count_rows(_in("key", some)) for some in _some(keys)):
            table.add(table.search().where(f"not ({_in('key', list(keys))})").to_batches(), mode="overwrite")
        _clean(table)

    def drop(self, version: str) -> None:
        self._may_write()
        for name in self._names(version):
            self._database().drop_table(name)
        self._dimensions.pop(version, None)

    def tidy(self) -> None:
        self._may_write()
        for name in self._names():
            _clean(self._database().open_table(name))

    # --- reading ---------------------------------------------------------------------------------------

    def near(
        self, collection: str, version: str, vector: Vector, k: int, places: Collection[int] | None = None
    ) -> list[Near]:
        query = numbers(vector)
        table = self._table(collection, version)
        if table is None or k <= 0 or not any(query) or (places is not None and not places):
            return []
        self._check_dimension(version, len(query))
        where = "not blank" if places is None else f"not blank and {_in('place', [int(p) for p in places])}"
        wanted = _OVERSAMPLE * k
        while True:
            parts = _retried(table, lambda: _search(table, query, where, wanted))  # noqa: B023 - called at once
            found = best(parts, k)
            # The last of the parts may be one of several as near as the last of the keys: ties are by key.
            if len(parts) < wanted or (len(found) == k and min(value for _, value in parts) < found[-1].similarity):
                return found
            wanted *= 4

    def similarities(self, collection: str, version: str, vector: Vector, keys: Iterable[str]) -> dict[str, float]:
        query = numbers(vector)
        table = self._table(collection, version)
        if table is None or not any(query):
            return {}
        self._check_dimension(version, len(query))
        found: dict[str, float] = {}
        for some in _some(keys):
            where = f"not blank and {_in('key', some)}"
            count = table.count_rows(where)
            if count:
                parts = _retried(table, lambda: _search(table, query, where, count))  # noqa: B023 - called at once
                found.update(best(parts, count))
        return found

    def vectors(self, collection: str, version: str, keys: Iterable[str]) -> dict[str, list[Vector]]:
        found: dict[str, list[Vector]] = {}
        rows = self._of_keys(collection, version, keys, ["key", "part", "blank", "vector"])
        for key, _part, blank, vector in sorted(rows, key=lambda row: row[:2]):
            if not blank:
                found.setdefault(key, []).append(vector)
        return found

    def hashes(self, collection: str, version: str, keys: Iterable[str]) -> Mapping[str, str]:
        return dict(self._of_keys(collection, version, keys, ["key", "text_hash"]))

    def _of_keys(self, collection: str, version: str, keys: Iterable[str], columns: list[str]) -> list[tuple[Any, ...]]:
        table = self._table(collection, version)
        rows: list[tuple[Any, ...]] = []
        for some in _some(keys) if table is not None else ():
            rows += _retried(table, lambda: _rows(table, _in("key", some), columns))  # noqa: B023 - called at once
        return rows

    def keys(self, collection: str, version: str) -> Iterator[str]:
        table = self._table(collection, version)
        if table is not None:
            yield from sorted({key for (key,) in _retried(table, lambda: _rows(table, _ANY, ["key"]))})

    def versions(self) -> Mapping[str, int]:
        found: dict[str, int] = {}
        for name in sorted(self._names()):
            count = self._database().open_table(name).count_rows()
            if count:
                version = name.partition(".")[2]
                found[version] = found.get(version, 0) + count
        return found

    def size(self) -> int:
        """Of a folder. What an object storage holds is not counted."""
        if isinstance(self._at, str):
            return 0
        found = 0
        for path in self._at.rglob("*"):
            with contextlib.suppress(FileNotFoundError):
                found += path.stat().st_size if path.is_file() else 0
        return found

    def close(self) -> None:
        self._db = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    # --- tables ----------------------------------------------------------------------------------------

    def _database(self) -> Any:
        if self._db is None:
            raise StoreError(f"{self._at} is not open")
        return self._db

    def _may_write(self) -> None:
        if not self._write:
            raise Internal(f"{self._at} is open for reading only")

    def _names(self, version: str | None = None) -> list[str]:
        found: list[str] = []
        token = None
        while self._db is not None:
            page = self._db.list_tables(page_token=token)
            found += page.tables
            token = page.page_token
            if not token:
                break
        return [name for name in found if version is None or name.partition(".")[2] == version]

    def _table(self, collection: str, version: str) -> Any:
        name = _name(collection, version)
        if self._db is None or name not in self._names(version):
            return None
        return self._db.open_table(name)

    def _check_dimension(self, version: str, dimension: int) -> None:
        if version not in self._dimensions:
            for name in self._names(version)[:1]:
                kept = self._database().open_table(name).schema.field("vector").type.list_size
                self._dimensions[version] = kept
        check_dimension(version, dimension, self._dimensions.get(version, dimension))


def _name(collection: str, version: str) -> str:
    name = f"{collection}.{version}"
    if not all(char.isascii() and (char.isalnum() or char in "_-.") for char in name):
        raise VectorError(
            f"LanceDB takes no table named {name!r}", hint="only letters, digits, _, - and . may be in a version"
        )
    return name


def _search(table: Any, query: list[float], where: str, limit: int) -> list[tuple[str, float]]:
    """Keys of the nearest parts, with their similarities."""
    found = (
        table.search(query, vector_column_name="vector")
        .distance_type("cosine")
        .where(where, prefilter=True)
        .select(["key", "_distance"])
        .limit(limit)
        .to_arrow()
    )
    distances = found["_distance"].to_pylist()
    return [(key, similarity(far, "cosine")) for key, far in zip(found["key"].to_pylist(), distances, strict=True)]


def _rows(table: Any, where: str, columns: list[str]) -> list[tuple[Any, ...]]:
    found = table.search().where(where).select(columns).to_arrow()
    return list(zip(*(found[column].to_pylist() for column in columns), strict=True))


def _clean(table: Any) -> None:
    """Merge small files and remove every version but the last, also files of writers that were killed."""
    with warnings.catch_warnings():
        # It warns of readers in the middle of an older version: ours begin again, see `_retried`.
        warnings.filterwarnings("ignore", message=r"optimize\(cleanup_older_than=0\)")
        table.optimize(cleanup_older_than=timedelta(0), delete_unverified=True)


def _retried(table: Any, read: Callable[[], _T]) -> _T:
    """Read, and once more if a clean-up removed the version under our eyes."""
    for _ in range(3):
        try:
            return read()
        except (OSError, RuntimeError):
            table.checkout_latest()
    return read()


def _in(column: str, values: Sequence[str] | Sequence[int]) -> str:
    quoted = (str(v) if isinstance(v, int) else "'" + v.replace("'", "''") + "'" for v in values)
    return f"{column} in ({', '.join(quoted)})"


def _some(keys: Iterable[str]) -> Iterator[list[str]]:
    left = iter(dict.fromkeys(keys))
    while some := list(islice(left, _KEYS)):
        yield some


def _locked(path: Path) -> int:
    """An open file that no other process may have open in this way. The system lets go of it when we end."""
    try:
        make_private(path.parent)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise NotWritable(
            f"{path} cannot be opened for writing: {error}", hint="set AXM_HOME to a folder that you can write"
        ) from error
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        raise Locked(
            f"{path.parent / FOLDER} is written by another process",
            hint="wait for the other run to end, then try again",
        ) from error
    return handle
