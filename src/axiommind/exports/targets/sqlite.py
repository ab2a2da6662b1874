"""SQLite: one file with the tables as `index.db` holds them, so the same SQL answers, without this program."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from axiommind import db as sqlite
from axiommind.errors import StoreError, UsageError
from axiommind.exports.columns import Column
from axiommind.exports.manifest import Manifest
from axiommind.exports.snapshot import ExportedTable
from axiommind.exports.targets import _file

NAME = "sqlite"
PLACE = "FILE"
ABOUT = "SQLite: one file, the tables as the index holds them"
WITH_BLOBS = False
TYPES = {
    "boolean": "integer: 0 or 1",
    "integer": "integer",
    "real": "real",
    "decimal": "real",
    "text": "text",
    "time": "integer: epoch milliseconds, UTC",
    "moment": "text: ISO 8601, UTC",
    "day": "text: YYYY-MM-DD",
    "json": "text: JSON",
    "bytes": "blob",
}


def found(path: Path) -> Manifest | None:
    _file.check_place(path, NAME)
    if not path.exists():
        return None
    try:
        with closing(sqlite.open_read(path)) as db:
            rows = db.execute(f"select manifest from {_file.MANIFEST}").fetchall()
    except sqlite3.DatabaseError:
        raise UsageError(
            f"{path} exists already, and is no export of ours", hint="name another file, or say --force to replace it"
        ) from None
    return _file.read_manifest(rows, path, NAME)


class _Sqlite:
    """A database of SQLite as an export needs it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._db = sqlite3.connect(path, isolation_level=None, timeout=sqlite.BUSY_MS / 1000)
        self._db.execute("pragma secure_delete=on")

    def make(self, table: ExportedTable) -> None:
        columns = [f'"{c.name}" {c.declared}{" not null" if c.required else ""}' for c in table.columns]
        if table.keys:
            columns.append(f"primary key ({', '.join(table.columns[place].name for place in table.keys)})")
        self.execute(f'create table "{table.name}"({", ".join(columns)})')
        if "session_id" in {c.name for c in table.columns}:
            self.execute(f'create index "{table.name}_session" on "{table.name}"(session_id)')

    def stage(self, table: ExportedTable) -> str:
        self.execute(f'create temp table "new_{table.name}" as select * from main."{table.name}" limit 0')
        return f"new_{table.name}"

    def insert(self, name: str, table: ExportedTable, rows: Iterable[tuple[Any, ...]]) -> None:
        marks = ", ".join("?" * len(table.columns))
        try:
            self._db.executemany(f'insert into "{name}" values ({marks})', rows)
        except sqlite3.Error as error:
            raise self._wrapped(error) from error

    def value(self, _column: Column, /) -> str:
        return "?"

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Any:
        try:
            return self._db.execute(sql.replace("$1", "?"), values)
        except sqlite3.Error as error:
            raise self._wrapped(error) from error

    def _wrapped(self, error: sqlite3.Error) -> Exception:
        return sqlite.store_error(error, self._path) or StoreError(
            f"{self._path} cannot be written: {error}", hint="export to another place"
        )

    def describe(self, _tables: Sequence[ExportedTable], /) -> None:
        self.make(_file.DICTIONARY_TABLE)

    def close(self) -> None:
        self._db.close()


def open(path: Path) -> _file.FileTarget:  # noqa: A001 - the name that a format has
    return _file.FileTarget(path, _Sqlite, TYPES)
