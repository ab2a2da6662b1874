"""DuckDB: one file with real types. The schema `as_indexed` shows the same tables as `index.db` holds them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from axiommind.errors import Locked, StoreError, UsageError
from axiommind.exports.columns import Column
from axiommind.exports.manifest import Manifest
from axiommind.exports.snapshot import ExportedTable
from axiommind.exports.targets import _duck, _file

NAME = "duckdb"
PLACE = "FILE"
ABOUT = "DuckDB: one file, real types"
WITH_BLOBS = False
TYPES = _duck.TYPES
_MAGIC = b"DUCK"  # at the ninth byte


def found(path: Path) -> Manifest | None:
    _file.check_place(path, NAME)
    if not path.exists():
        return None
    another = UsageError(
        f"{path} exists already, and is no export of ours", hint="name another file, or say --force to replace it"
    )
    with path.open("rb") as file:
        if file.read(12)[8:] != _MAGIC:
            raise another
    db = _DuckDB(path)
    try:
        rows = db.execute(f"select manifest from {_file.MANIFEST}").fetchall()
    except Locked:
        raise
    except StoreError:
        raise another from None
    finally:
        db.close()
    return _file.read_manifest(rows, path, NAME)


class _DuckDB:
    """A database of DuckDB as an export needs it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._db = _duck.connect(path)
        except _duck.error_types() as error:
            raise self._wrapped(error) from error

    def make(self, table: ExportedTable) -> None:
        columns = [f'"{c.name}" {TYPES[c.kind]}' for c in table.columns]
        self.execute(f'create table "{table.name}"({", ".join(columns)})')

    def stage(self, table: ExportedTable) -> str:
        self.execute(f'create temp table "new_{table.name}" as select * from main."{table.name}" limit 0')
        return f"new_{table.name}"

    def insert(self, name: str, table: ExportedTable, rows: Iterable[tuple[Any, ...]]) -> None:
        lines = self._path.with_name(f".{self._path.name}.lines")
        lines.touch(0o600)
        try:
            self.execute(f'insert into "{name}" {_duck.staged(lines, table, rows)}')
        finally:
            lines.unlink(missing_ok=True)

    def value(self, column: Column, /) -> str:
        if column.kind == "time":
            return "make_timestamp_ms(?)"
        return _duck.typed_value(column, "?") if column.kind in ("moment", "day") else "?"

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        try:
            return self._db.execute(sql, list(values))
        except _duck.error_types() as error:
            raise self._wrapped(error) from error

    def _wrapped(self, error: Exception) -> StoreError:
        if "lock" in str(error).lower():
            return Locked(f"{self._path} is open in another program", hint="close it there, then export again")
        return StoreError(f"{self._path} cannot be written: {error}", hint="export to another place")

    def describe(self, tables: Sequence[ExportedTable], /) -> None:
        self.execute(f"create schema {_duck.INDEXED}")
        for table in tables:
            about = " ".join(table.about.split())
            self.execute(f'comment on table "{table.name}" is {_duck.literal(about)}')
            self.execute(_duck.indexed_view(table))
        self.make(_file.DICTIONARY_TABLE)

    def close(self) -> None:
        self._db.close()


def open(path: Path) -> _file.FileTarget:  # noqa: A001 - the name that a format has
    return _file.FileTarget(path, _DuckDB, TYPES)
