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

__all__ = ["Shown", "show"]


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
    beside: dict[str, tuple[tuple[str, str, str], ...]] = {}
    for sign, order in (("<", "desc"), (">", "asc")):
        values = {"session": passage.session_id, "at": passage.timestamp or 0, "id": number, "count": context}
        rows = db.execute(_BESIDE.format(sign=sign, order=order), values).fetchall()
        near = [(short_id(p.id), p.kind, texts(p)[1]) for p in (Passage(*row) for row in rows)]
        beside[sign] = tuple(near[::-1] if sign == "<" else near)
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
        beside["<"],
        beside[">"],
    )
