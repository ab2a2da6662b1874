"""How often the commonest terms occur, counted now and then. FTS5 walks through all places of a term to count them, and
that takes milliseconds for each word that is everywhere.

A cache, not derived from events row by row: it may be a little old, and whoever reads it scales it to the index of now.
"""

from __future__ import annotations

import sqlite3

from axiommind.projections import Table

__all__ = ["TABLE", "clear", "create", "refresh"]

TABLE = Table(
    "common_terms",
    "How often the most common terms occurred when there were `of_passages` passages: a cache that saves counting them "
    "for each query.",
    is_cache=True,
)

# Terms in more passages than this are kept: below, counting takes a quarter of a millisecond at most.
COMMON = 5_000
# Counted again when there are so many times as many passages as then.
GROWN = 1.25


def create(db: sqlite3.Connection) -> None:
    db.execute(
        """
        create table if not exists common_terms (
            term text primary key,
            passages integer not null,
            places integer not null,
            of_passages integer not null
        ) without rowid
        """
    )


def refresh(db: sqlite3.Connection) -> None:
    """Count again, if there is much more now: half a second for 500,000 passages."""
    (now,) = db.execute("select count(*) from passages").fetchone()
    (then,) = db.execute("select coalesce(max(of_passages), 0) from common_terms").fetchone()
    if now < COMMON or now < GROWN * then:
        return
    clear(db)
    db.execute("create virtual table temp.all_terms using fts5vocab('main', 'passages_fts', 'row')")
    try:
        db.execute(
            "insert into common_terms select term, doc, cnt, ? from temp.all_terms where doc > ?",
            (now, COMMON),
        )
        # A row for the count itself: an index of many words, none of them common, is not counted at every run.
        db.execute("insert or ignore into common_terms values ('', 0, 0, ?)", (now,))
    finally:
        db.execute("drop table temp.all_terms")


def clear(db: sqlite3.Connection) -> None:
    db.execute("delete from common_terms")
