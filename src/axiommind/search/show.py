"""Show: one passage in full, where it is, and what was said before and after it."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from axiommind.ids import short_id
from axiommind.model import Citation
from axiommind.search.citations import locate
from axiommind.search.hits import owner
from axiommind.search.rank import Passage
from axiommind.search.rows import PASSAGES, Texts, index_version

__all__ = ["Shown", "beside", "show"]


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


_BESIDE = """
    select p.id, p.kind, p.ref, p.session_id, p.doc_id, p.timestamp, p.session_id
    from passages p
    where p.session_id = :session and (coalesce(p.timestamp, 0), p.id) {sign} (:at, :id)
    order by coalesce(p.timestamp, 0) {order}, p.id {order}
    limit :count
"""


def beside(db: sqlite3.Connection, passage: Passage, count: int) -> tuple[list[Passage], list[Passage]]:
    """So many passages before and after one in its session, each in their order."""
    found = []
    for sign, order in (("<", "desc"), (">", "asc")):
        values = {"session": passage.session_id, "at": passage.timestamp or 0, "id": passage.id, "count": count}
        rows = db.execute(_BESIDE.format(sign=sign, order=order), values)
        found.append([Passage(*row) for row in rows])
    before, after = found
    return before[::-1], after


def show(db: sqlite3.Connection, number: int, context: int = 1) -> Shown | None:
    """One passage by its number; None when there is none."""
    index_version(db)  # another version's index is said to be one
    row = db.execute(f"{PASSAGES} where p.id = ?", (number,)).fetchone()
    if row is None:
        return None
    passage = Passage(*row)
    texts = Texts(db)
    heading, text = texts(passage)
    project, title, _ = owner(db, passage)
    before, after = (
        tuple((short_id(p.id), p.kind, texts(p)[1]) for p in near) for near in beside(db, passage, context)
    )
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
        before,
        after,
    )
