"""The text of a scratchpad as rows: chunks, and whose they are. Chunks that an edit does not reach keep their rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from axiommind.model import Event
from axiommind.projections.session_rows import row_id
from axiommind.text.edits import Edit, count, cut
from axiommind.text.edits import apply as edited
from axiommind.text.tokens import fts_text

__all__ = ["rewrite", "terms"]


def terms(title: str) -> int:
    """How many of a passage's terms belong to its title."""
    return len(fts_text(title, each=True).split())


def rewrite(
    db: sqlite3.Connection, event: Event, flow: str, scratchpad: str, title: str, edit: Edit, was: tuple[int, int]
) -> tuple[int, int]:
    """Bring the chunks of a scratchpad to its next text; returns the bytes and lines of that."""
    rows = db.execute("select id, text from pad_chunks where pad_id = ? order by seq desc", (scratchpad,))
    if edit.mode == "appended" and (last := rows.fetchone()) is not None:
        rows.close()
        (first, seq) = db.execute("select line_start, seq from pad_chunks where id = ?", (last[0],)).fetchone()
        old, text = [last], last[1] + edit.piece
        size = was[0] + len(edit.piece.encode())
        lines = first - 1 + count(text)
    else:
        old, first, seq = rows.fetchall()[::-1], 1, 0
        text = edited("\n".join(chunk for _, chunk in old), edit)
        size, lines = len(text.encode()), count(text)
    new = cut(text.split("\n"))
    _replace(db, event, flow, scratchpad, terms(title), old, new, first, seq, lines)
    return size, lines


def _replace(
    db: sqlite3.Connection,
    event: Event,
    flow: str,
    scratchpad: str,
    title_terms: int,
    old: Sequence[tuple[int, str]],
    new: Sequence[list[str]],
    first: int,
    seq: int,
    lines: int,
) -> None:
    """Replace old chunks by new ones, from this line and number on. Equal ones at either end stay as they are, except
    for their place."""
    texts = ["\n".join(chunk) for chunk in new]
    shortest = min(len(old), len(texts))
    head = next((i for i in range(shortest) if old[i][1] != texts[i]), shortest)
    most = shortest - head
    tail = next((i for i in range(most) if old[-1 - i][1] != texts[-1 - i]), most)
    gone = old[head : len(old) - tail]
    for table in ("pad_chunks", "pad_owners"):
        db.executemany(f"delete from {table} where id = ?", [(chunk,) for chunk, _ in gone])
    ((of_flow, of_scratchpad),) = db.execute(
        "select w.number, p.number from pads p join workflows w on w.id = p.workflow_id where p.id = ?", (scratchpad,)
    )
    kept = {len(texts) - tail + i: old[len(old) - tail + i][0] for i in range(tail)}
    place = 0
    for i, (chunk, text) in enumerate(zip(new, texts, strict=True)):
        last = max(min(first + len(chunk) - 1, lines), first)  # nothing after the last line break is not a line
        if i in kept:
            db.execute(
                "update pad_chunks set seq = ?, line_start = ?, line_end = ? where id = ?",
                (seq + i, first, last, kept[i]),
            )
            db.execute("update pad_owners set is_first = ? where id = ?", (int(seq + i == 0), kept[i]))
        elif i >= head:
            made = row_id(event.position, place)
            db.execute(
                "insert into pad_chunks values (?, ?, ?, ?, ?, ?, ?, ?)",
                (made, flow, scratchpad, seq + i, first, last, event.ts, text),
            )
            db.execute(
                "insert into pad_owners values (?, ?, ?, ?, ?)",
                (made, of_flow, of_scratchpad, int(seq + i == 0), title_terms),
            )
            place += 1
        first += len(chunk)
