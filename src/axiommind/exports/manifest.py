"""What an export says of itself: which home and which view of it, its tables and their columns, and its parts.

It is written last, so parts that it does not name are not part of the export.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from axiommind.errors import StoreError
from axiommind.exports.parts import Part
from axiommind.exports.snapshot import ExportedTable

__all__ = ["FORMAT", "Manifest", "dictionary"]

FORMAT = 1
_WHAT = "an export of AxiomMind"


class Manifest(NamedTuple):
    """`position` is the last event that is in it; `state` everything that its tables depend on. `origin` is what others
    call the home, `vocabulary` the version that its events are written in."""

    to: str
    log: str
    origin: str
    vocabulary: int
    position: int
    last_event: str
    project: str | None
    since: int | None
    blobs: bool
    state: str
    parts: tuple[Part, ...]

    def in_part(self, parts: tuple[Part, ...]) -> Manifest:
        """Of the same export with some of its parts, because the others are gone: it is not up to date."""
        return self._replace(parts=parts, state=f"{self.shape}:")

    @property
    def shape(self) -> str:
        """The tables and their columns."""
        return self.state.partition(":")[0]

    @property
    def is_whole(self) -> bool:
        return not self.state.endswith(":")

    def as_json(self, tables: list[ExportedTable]) -> str:
        said = {"what": _WHAT, "format": FORMAT, **self._asdict()}
        said["parts"] = [part._asdict() for part in self.parts]
        said["tables"] = [table._asdict() | {"columns": [c._asdict() for c in table.columns]} for table in tables]
        return json.dumps(said, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def of_json(cls, text: str | bytes, where: str) -> Manifest:
        """What was written. An export is a file among others: whatever is in it is checked."""
        try:
            said = json.loads(text)
            if said["what"] != _WHAT:
                raise ValueError("of another program")
            if said["format"] != FORMAT:
                raise ValueError(f"of format {said['format']}, and this program writes {FORMAT}")
            values = {name: said[name] for name in cls._fields}
            values["parts"] = tuple(_part(one) for one in said["parts"])
            return cls(**values)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise StoreError(
                f"{where} is not an export that can be brought up to date: {error}",
                hint="export to another place",
            ) from error


def _part(said: dict[str, Any]) -> Part:
    """A part, whose name becomes the name of a file."""
    part = Part(**said)
    if not (part.table.isidentifier() and len(part.digest) == 32 and int(part.digest, 16) >= 0):
        raise ValueError("a part has no name of ours")
    return part._replace(first=tuple(part.first), last=tuple(part.last))


def dictionary(tables: list[ExportedTable], types: dict[str, str]) -> list[dict[str, Any]]:
    """The data dictionary: a row for each column; `types` says how the format calls a kind."""
    return [
        {
            "table_name": table.name,
            "column_name": column.name,
            "type": types[column.kind],
            "is_key": bool(column.key),
            "is_required": column.required,
            "about": " ".join(table.about.split()),
        }
        for table in tables
        for column in table.columns
    ]
