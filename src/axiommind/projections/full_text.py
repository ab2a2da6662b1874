"""The full-text index when it is damaged: how that is told apart, remembered, and mended.

It holds nothing that the passages do not hold, so it is made anew from them, without the log. A reader that comes
across damage cannot mend it: it leaves a mark beside the file, and the next run that writes the index looks for that.
"""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from axiommind.db import is_damage
from axiommind.projections import passages
from axiommind.text.tokens import fts_text

__all__ = ["is_of_full_text", "is_sound", "mark_damaged", "mark_file", "marked", "mend"]

_TABLE = "passages_fts"
_SHADOWS = ("data", "idx", "docsize", "config", "content")


def is_of_full_text(error: sqlite3.Error) -> bool:
    """Whether an error may come from a damaged full-text index: then the tables themselves may still answer."""
    text = str(error)
    return is_damage(error) or _TABLE in text or "fts5" in text or "passage_terms" in text or "passage_places" in text


def mark_damaged(db: sqlite3.Connection) -> None:
    """Tell the next run that writes the index of this connection."""
    for _, name, file in db.execute("pragma database_list").fetchall():
        if name == "main" and file:
            mark_file(Path(file))


def mark_file(index: Path) -> None:
    """The same for an index by its path."""
    with contextlib.suppress(OSError):
        _mark(index).touch()


def marked(index: Path) -> bool:
    return _mark(index).exists()


def _mark(index: Path) -> Path:
    return index.with_name(f"{index.name}.text-damaged")


def is_sound(db: sqlite3.Connection) -> bool:
    """Whether the full-text index finds the newest passage by a word of it: cheap, and it misses what is torn elsewhere
    (that is found out by whoever reads it)."""
    try:
        row = db.execute(
            "select id, title, text from passage_texts where id = (select max(id) from passages)"
        ).fetchone()
        terms = fts_text(f"{row[1]} {row[2] or ''}"[:500]).split() if row is not None else []
        if not terms:
            return True
        found = db.execute(f"select 1 from {_TABLE} where {_TABLE} match ? and rowid = ?", (f'"{terms[0]}"', row[0]))
        sizes = db.execute(f"select 1 from {_TABLE}_docsize where id = ?", (row[0],)).fetchone()
        return found.fetchone() is not None and sizes is not None
    except sqlite3.DatabaseError as error:
        if not is_of_full_text(error):
            raise
        return False


def mend(db: sqlite3.Connection, index: Path) -> None:
    """Make the full-text index anew from the passages, inside a transaction of the caller's."""
    try:
        db.execute(f"drop table if exists {_TABLE}")
    except sqlite3.DatabaseError:  # a part of it is gone, so SQLite cannot open it to drop it
        db.execute("pragma writable_schema=on")
        db.execute("delete from sqlite_master where name = ?", (_TABLE,))
        db.execute("pragma writable_schema=reset")
    for shadow in _SHADOWS:
        db.execute(f"drop table if exists {_TABLE}_{shadow}")
    passages.create_full_text(db)
    passages.refill(db)
    _mark(index).unlink(missing_ok=True)
