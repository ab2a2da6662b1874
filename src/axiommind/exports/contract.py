"""What a format of an export does: it takes parts, and lets go of them. One file in `targets/` each.

Nothing of an export is seen before `commit`, and `abort` leaves what was there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from axiommind.exports.manifest import Manifest
from axiommind.exports.parts import Part
from axiommind.exports.snapshot import ExportedTable

__all__ = ["ExportTarget", "Format"]

Row = tuple[Any, ...]


class ExportTarget(Protocol):
    """An export that is being written."""

    def begin(self, tables: Sequence[ExportedTable], anew: bool, /) -> None:
        """Before the first part. `anew`: nothing of what was there is kept."""

    def add(self, table: ExportedTable, part: Part, rows: Iterable[Row], /) -> None:
        """A part that was not there."""

    def remove(self, table: ExportedTable, parts: Sequence[Part], everything: bool, /) -> None:
        """Parts that are not there any more, once for each table, after what was added; `everything`: all older rows of
        the table."""

    def commit(self, manifest: Manifest) -> int:
        """From now on this is the export; returns how many bytes it has."""

    def abort(self) -> None:
        """Leave what was there before; harmless after a commit."""


class Format(Protocol):
    """What a module in `targets/` offers."""

    NAME: str
    PLACE: str  # FILE or DIR
    ABOUT: str
    WITH_BLOBS: bool  # whether texts of transcripts are in it, unless somebody says otherwise
    TYPES: dict[str, str]  # what the kinds of columns are called in it

    def found(self, path: Path) -> Manifest | None:
        """The export at a path, with the parts that are there; None where there is nothing, and a `UsageError` where
        there is something else."""

    def open(self, path: Path) -> ExportTarget:
        """To write one. A `MissingExtra` where a package is needed."""
