"""An export that is a database in one file, with a table for each table, `dictionary`, and `export_manifest`.

The first time, and after something was forgotten, the file is made beside its place and takes it when it is whole: no
freed page keeps what is gone. Otherwise one transaction takes out the rows of the parts that changed and puts in the
new ones.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from axiommind.disk import os_error
from axiommind.errors import StoreError, UsageError
from axiommind.exports.columns import Column
from axiommind.exports.manifest import Manifest, dictionary
from axiommind.exports.parts import Part
from axiommind.exports.snapshot import ExportedTable
from axiommind.private import make_private

__all__ = ["MANIFEST", "Database", "FileTarget", "check_place", "read_manifest"]

MANIFEST = "export_manifest"
DICTIONARY = "dictionary"


class Database(Protocol):
    """What a database in one file does for an export. Every statement is of ours; values are bound."""

    def make(self, table: ExportedTable) -> None: ...

    def stage(self, table: ExportedTable) -> str:
        """A temporary table of the same columns; its name."""

    def insert(self, name: str, table: ExportedTable, rows: Iterable[tuple[Any, ...]]) -> None: ...

    def value(self, column: Column, /) -> str:
        """The SQL of a bound value of this column, as it is held."""

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Any: ...

    def describe(self, tables: Sequence[ExportedTable], /) -> None: ...

    def close(self) -> None: ...


def check_place(path: Path, to: str) -> None:
    if path.is_dir():
        raise UsageError(f"{path} is a folder, and {to} writes a file", hint="name a file")


def read_manifest(rows: list[Any], path: Path, to: str) -> Manifest:
    """The manifest that a database holds."""
    said = Manifest.of_json(rows[0][0] if rows else "", str(path))
    if said.to != to:
        raise UsageError(f"{path} is an export to {said.to}", hint="name another file")
    return said


class FileTarget:
    """A database that is being written."""

    def __init__(self, path: Path, opened: Callable[[Path], Database], types: dict[str, str]) -> None:
        self.path = path
        self._opened = opened
        self._types = types
        self._part = path.with_name(f".{path.name}.part-{os.getpid()}")
        self._db: Database | None = None
        self._anew = True
        self._staged: set[str] = set()
        self._tables: list[ExportedTable] = []

    @property
    def db(self) -> Database:
        assert self._db is not None  # begun
        return self._db

    def begin(self, tables: Sequence[ExportedTable], anew: bool, /) -> None:
        self._anew, self._tables = anew, list(tables)
        try:
            make_private(self.path.parent)
            self._remove_part()
            self._db = self._opened(self._part if anew else self.path)
            (self._part if anew else self.path).chmod(0o600)
        except OSError as error:
            raise os_error(error, self.path) or StoreError(
                f"{self.path} cannot be written: {error.strerror or error}", hint="name another place"
            ) from error
        self.db.execute("begin")
        if anew:
            for table in tables:
                self.db.make(table)
            self.db.execute(f"create table {MANIFEST}(manifest text not null)")

    def add(self, table: ExportedTable, _part: Part, rows: Iterable[tuple[Any, ...]], /) -> None:
        name = table.name
        if not self._anew:  # its rows may take the places of rows that go
            if name not in self._staged:
                self._staged.add(name)
                self.db.stage(table)
            name = f"new_{name}"
        self.db.insert(name, table, rows)

    def remove(self, table: ExportedTable, parts: Sequence[Part], everything: bool, /) -> None:
        if self._anew:
            return
        if everything:
            self.db.execute(f'delete from "{table.name}"')
        else:
            for part in parts:
                where, values = _between(table, part, self.db.value)
                self.db.execute(f'delete from "{table.name}" where {where}', values)
        if table.name in self._staged:
            self.db.execute(f'insert into "{table.name}" select * from "new_{table.name}"')
            self.db.execute(f'drop table "new_{table.name}"')

    def commit(self, manifest: Manifest) -> int:
        db = self.db
        if self._anew:
            db.describe(self._tables)
            rows = [tuple(row.values()) for row in dictionary(self._tables, self._types)]
            db.insert(DICTIONARY, DICTIONARY_TABLE, rows)
        db.execute(f"delete from {MANIFEST}")
        db.execute(f"insert into {MANIFEST} values ($1)", [manifest.as_json(self._tables)])
        db.execute("commit")
        db.close()
        self._db = None
        if self._anew:
            self._part.replace(self.path)
        return self.path.stat().st_size

    def abort(self) -> None:
        if self._db is not None:
            with contextlib.suppress(Exception):  # whatever the engine says, nothing is committed
                self._db.execute("rollback")
            self._db.close()
            self._db = None
        self._remove_part()

    def _remove_part(self) -> None:
        for suffix in ("", "-journal", "-wal", "-shm", ".wal"):
            self._part.with_name(self._part.name + suffix).unlink(missing_ok=True)


DICTIONARY_TABLE = ExportedTable(
    DICTIONARY,
    "What each column of this export is.",
    tuple(
        Column(name, kind)
        for name, kind in (
            ("table_name", "text"),
            ("column_name", "text"),
            ("type", "text"),
            ("is_key", "boolean"),
            ("is_required", "boolean"),
            ("about", "text"),
        )
    ),
)


def _between(table: ExportedTable, part: Part, value: Callable[[Column], str]) -> tuple[str, list[Any]]:
    """The rows from the first to the last key of a part, in the order of keys."""
    columns = [table.columns[place] for place in table.keys]
    low, at_least = _beyond(columns, part.first, ">", value)
    high, at_most = _beyond(columns, part.last, "<", value)
    return f"{low} and {high}", [*at_least, *at_most]


def _beyond(
    columns: Sequence[Column], ends: Sequence[Any], sign: str, value: Callable[[Column], str]
) -> tuple[str, list[Any]]:
    """Keys at this end or beyond it."""
    name, held, end = f'"{columns[0].name}"', value(columns[0]), ends[0]
    if len(columns) == 1:
        return f"{name} {sign}= {held}", [end]
    rest, values = _beyond(columns[1:], ends[1:], sign, value)
    return f"({name} {sign} {held} or ({name} = {held} and {rest}))", [end, end, *values]
