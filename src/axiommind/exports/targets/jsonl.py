"""JSON lines: a folder for each table, an object for each row. What `axm import` reads, and everything else."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from axiommind.exports.manifest import Manifest
from axiommind.exports.rows_as_json import lines
from axiommind.exports.snapshot import ExportedTable
from axiommind.exports.targets import _folder

NAME = "jsonl"
PLACE = "DIR"
ABOUT = "JSON lines: a folder for each table, a line for each row"
WITH_BLOBS = True
TYPES = {
    "boolean": "boolean",
    "integer": "integer",
    "real": "number",
    "decimal": "number",
    "text": "string",
    "time": "string (ISO 8601, UTC)",
    "moment": "string (ISO 8601, UTC)",
    "day": "string (YYYY-MM-DD)",
    "json": "any",
    "bytes": "string (base64)",
}


def found(path: Path) -> Manifest | None:
    return _folder.found(path, NAME, JsonlTarget.SUFFIX)


def files(path: Path, manifest: Manifest, table: str) -> list[Path]:
    """The files of a table, in the order of its rows."""
    return [_folder.file_of(path, part, JsonlTarget.SUFFIX) for part in manifest.parts if part.table == table]


class JsonlTarget(_folder.FolderTarget):
    """A folder of JSON lines that is being written."""

    SUFFIX = "jsonl"
    TYPES = TYPES

    def write(self, file: Path, table: ExportedTable, rows: Iterable[tuple[Any, ...]]) -> None:
        with _folder.private_file(file) as out:
            out.writelines(lines(table.columns, rows, nested=True))


def open(path: Path) -> JsonlTarget:  # noqa: A001 - the name that a format has
    return JsonlTarget(path)
