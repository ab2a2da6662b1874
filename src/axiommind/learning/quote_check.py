"""The proof that entries quote: every span of every entry still holds the words that were found there."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from axiommind.learning.alignment import quote_hash
from axiommind.projections.transcript import Blob
from axiommind.text.pointers import text_at

__all__ = ["misplaced"]

_QUOTES = """
    select v.entry_id, v.position, v.line, v.block, v.span_start, v.span_end, v.quote_hash,
           g.first_line, g.lines, g.blob
    from entry_evidence v
    left join segments g on g.position = v.position
    where v.reason is null
    order by v.position, v.line
"""


def misplaced(db: sqlite3.Connection, blob: Blob) -> Iterator[tuple[str, str]]:
    """Quotes that are not where their entry says, as (where, what)."""
    rows = db.execute(_QUOTES)
    opened: str | None = None
    lines: list[bytes] = []
    for entry, position, line, block, start, end, wanted, first, count, name in rows.fetchall():
        if name is not None and name != opened:
            content = blob(name)
            opened, lines = name, [] if content is None else content.split(b"\n")
        inside = name is not None and 0 <= line - first < min(count, len(lines))
        text = text_at(lines[line - first], block) if inside else None
        if text is None or not 0 <= start < end <= len(text) or quote_hash(text[start:end]) != wanted:
            yield f"entry {entry}", f"its quote is not at line {line} of event {position}, {block} {start}-{end}"
