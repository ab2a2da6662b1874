"""Passages: one in full by the id that a search gave it, and the exact lines that a citation names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from axiommind.errors import NotFound
from axiommind.home import Home, Scope

if TYPE_CHECKING:
    from axiommind.model import Citation
    from axiommind.search.citations import Opened
    from axiommind.search.show import Shown

__all__ = ["Passages"]

# Passages or lines around what was asked for.
_MOST_CONTEXT = 10_000


class Passages:
    """Shows passages, and opens citations."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def show(self, name: str, *, context: int = 1, db: Path | None = None) -> Shown:
        """One passage by the id that a search gave it, with what was said around it."""
        from axiommind.ids import number_of
        from axiommind.search.find import connect
        from axiommind.search.show import show

        number = number_of(name.strip().lower())
        with self.home.reading(Scope(None), db) as connection:
            connect(connection)
            connection.execute("begin")
            found = None if number is None else show(connection, number, _within(context))
        if found is None:
            raise NotFound(f"there is no passage {name!r}", hint="axm search prints the ids of its hits")
        return found

    def open(self, citation: Citation, *, context: int = 0, db: Path | None = None) -> Opened:
        """The exact lines that a citation names, from the log: also when the file has changed or gone."""
        from axiommind.search.citations import open_lines, open_removed

        with self.home.reading(Scope(None), db) as connection, self.home.read_log() as (log, _key):
            try:
                return open_lines(connection, log.blob, citation, _within(context))
            except NotFound:
                left = open_removed(
                    lambda doc: log.last_of(doc, "document_saved"), log.blob, citation, _within(context)
                )
                if left is None:
                    raise
                return left


def _within(context: int) -> int:
    return max(0, min(context, _MOST_CONTEXT))
