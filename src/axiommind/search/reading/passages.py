"""Passages: one in full by the id that a search gave it, with what was said around it; and the lines of a citation."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from axiommind.errors import NotFound
from axiommind.home import Home, Scope
from axiommind.ids import number_of, short_id
from axiommind.model import Citation
from axiommind.search.citations import locate
from axiommind.search.hits import owner
from axiommind.search.rank import Passage
from axiommind.search.rows import PASSAGES, Texts, index_version

if TYPE_CHECKING:
    from axiommind.search.reading.lines import Opened

__all__ = ["Passages", "Shown", "beside", "show"]

# Passages or lines around what was asked for.
_MOST_CONTEXT = 10_000
# How many that have no text are passed over.
_SAYING_NOTHING = 20


class Passages:
    """Shows passages, and opens citations."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def show(self, name: str, *, context: int = 1, db: Path | None = None) -> Shown:
        """One passage by the id that a search gave it, with what was said around it."""
        from axiommind.search.find import connect

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
        from axiommind.search.reading.lines import open_lines, open_removed

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


class Shown(NamedTuple):
    """A passage in full, where it is, and what was said before and after it."""

    id: str
    kind: str
    session_id: str | None
    doc_id: str | None
    project: str | None
    title: str | None
    timestamp: int | None
    heading: str
    text: str
    citation: Citation | None
    before: tuple[tuple[str, str, str], ...]  # (id, kind, text)
    after: tuple[tuple[str, str, str], ...]
    provenance: str = "elsewhere"  # of PROVENANCES


_BESIDE = """
    select p.id, p.kind, p.ref, p.session_id, p.doc_id, p.timestamp, p.session_id, p.provenance
    from passages p
    where p.session_id = :session and (coalesce(p.timestamp, 0), p.id) {sign} (:at, :id)
    order by coalesce(p.timestamp, 0) {order}, p.id {order}
    limit :count
"""


def beside(db: sqlite3.Connection, passage: Passage, count: int) -> tuple[list[Passage], list[Passage]]:
    """`count` passages before and after one in its session, in their order."""
    found = []
    for sign, order in (("<", "desc"), (">", "asc")):
        values = {"session": passage.session_id, "at": passage.timestamp or 0, "id": passage.id, "count": count}
        rows = db.execute(_BESIDE.format(sign=sign, order=order), values)
        found.append([Passage(*row) for row in rows])
    before, after = found
    return before[::-1], after


def show(db: sqlite3.Connection, number: int, context: int = 1) -> Shown | None:
    """One passage by its number; None when there is none."""
    index_version(db)  # refuses an index that another version made
    row = db.execute(f"{PASSAGES} where p.id = ?", (number,)).fetchone()
    if row is None:
        return None
    passage = Passage(*row)
    texts = Texts(db)
    heading, text = texts(passage)
    project, title, _ = owner(db, passage)
    before, after = beside(db, passage, context + _SAYING_NOTHING if context else 0)
    return Shown(
        short_id(number),
        passage.kind,
        passage.session_id,
        passage.doc_id,
        project,
        title,
        passage.timestamp,
        heading,
        text,
        locate(db, [(number, passage.kind, passage.ref)]).get(number),
        _saying(before[::-1], texts, context)[::-1],
        _saying(after, texts, context),
        passage.provenance,
    )


def _saying(near: Sequence[Passage], texts: Texts, count: int) -> tuple[tuple[str, str, str], ...]:
    """The first of some passages that have a text: a call without one tells nothing about what is beside it."""
    said = ((short_id(one.id), one.kind, texts(one)[1]) for one in near)
    return tuple(islice((one for one in said if one[2].strip()), count))
