"""Parquet: a folder for each table, files with real types. `load.sql` opens all of them in DuckDB at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from axiommind.errors import StoreError
from axiommind.exports.manifest import Manifest
from axiommind.exports.snapshot import ExportedTable
from axiommind.exports.targets import _duck, _folder

NAME = "parquet"
PLACE = "DIR"
ABOUT = "Parquet: a folder for each table, files with real types"
WITH_BLOBS = False
TYPES = _duck.TYPES
_LOAD = "load.sql"


def found(path: Path) -> Manifest | None:
    return _folder.found(path, NAME, ParquetTarget.SUFFIX)


class ParquetTarget(_folder.FolderTarget):
    """A folder of Parquet files that is being written."""

    SUFFIX = "parquet"
    TYPES = TYPES

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._duck = _duck.connect()

    def write(self, file: Path, table: ExportedTable, rows: Iterable[tuple[Any, ...]]) -> None:
        lines = file.with_name(file.name.replace(".parquet", ".jsonl"))
        with _folder.private_file(lines), _folder.private_file(file):  # theirs alone from the first byte
            pass
        try:
            query = _duck.staged(lines, table, rows)
            to = _duck.literal(str(file))
            self._duck.execute(f"copy ({query}) to {to} (format parquet, compression zstd, use_tmp_file false)")
        except _duck.error_types() as error:
            raise StoreError(f"{file} cannot be written: {error}", hint="is the disk full?") from error
        finally:
            lines.unlink(missing_ok=True)

    def describe(self, tables: Sequence[ExportedTable], filled: frozenset[str], /) -> None:
        """For the command line of DuckDB: `duckdb -init load.sql`, in this folder."""
        views = [f'create or replace view "{table.name}" as {_rows(table, filled)};' for table in tables]
        same = [f"{_duck.indexed_view(table)};" for table in tables]
        self.replace(_LOAD, "\n".join([*views, f"create schema if not exists {_duck.INDEXED};", *same]) + "\n")

    def commit(self, manifest: Manifest) -> Any:
        self._duck.close()
        return super().commit(manifest)

    def abort(self) -> None:
        self._duck.close()
        super().abort()


def _rows(table: ExportedTable, filled: frozenset[str]) -> str:
    """The rows of a table; an empty one has no file."""
    if table.name in filled:
        return f"select * from read_parquet('{table.name}/*.parquet')"
    columns = ", ".join(f'null::{TYPES[column.kind]} as "{column.name}"' for column in table.columns)
    return f"select {columns} where false"


def open(path: Path) -> ParquetTarget:  # noqa: A001 - the name that a format has
    return ParquetTarget(path)
