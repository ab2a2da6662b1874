"""Whether the index is what a fresh replay of the log gives, table by table and row by row."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from axiommind import db as sqlite
from axiommind.log import EventLog, Finding
from axiommind.projections import Table
from axiommind.projections.runner import Index, Segments, tables

__all__ = ["compare"]


def compare(log: EventLog, path: Path, scratch: Path) -> list[Finding]:
    """Whether every table equals a fresh replay of the log up to the same position, row for row. Works on a copy, so
    that nobody's writing disturbs it and a read-only home will do."""
    copy = scratch / "live.db"
    live = sqlite.open_read(path)
    try:
        snapshot = sqlite3.connect(copy)
        live.backup(snapshot)
        (position,) = snapshot.execute("select min(position) from projection_offsets").fetchone()
        snapshot.close()
    finally:
        live.close()
    fresh = Index(scratch / "replay.db", throwaway=True)
    try:
        fresh.catch_up(log, Segments(log), until=position)
        return _differences(fresh.db, copy)
    finally:
        fresh.close()


def _differences(fresh: sqlite3.Connection, copy: Path) -> list[Finding]:
    found = []
    fresh.execute("attach ? as live", (str(copy),))
    for schema in ("main", "live"):
        vocabulary = f"create virtual table temp.{schema}_terms using fts5vocab({schema}, passages_fts, 'instance')"
        fresh.execute(vocabulary)
    for table in tables():
        name = table.name
        replayed, lived = f"main.{name}", f"live.{name}"
        if name == "passages_fts":  # it keeps terms only, and shows them as a vocabulary
            replayed, lived = "temp.main_terms", "temp.live_terms"
        elif table.is_view or table.is_cache:
            continue
        where = f"where not ({table.differs})" if table.differs else ""
        columns = _compared(fresh, table)
        for left, right, what in ((lived, replayed, "not in a replay"), (replayed, lived, "only in a replay")):
            rows, others = (f"select {columns} from {table} {where}" for table in (left, right))
            sql = f"select count(*) from ({rows} except {others})"
            (count,) = fresh.execute(sql).fetchone()
            if count:
                found.append(Finding(f"index.db {name}", f"{count} rows are {what} of the log"))
    return found


def _compared(db: sqlite3.Connection, table: Table) -> str:
    """The columns of a table that come from events."""
    if not table.differing:
        return "*"
    columns = (row[1] for row in db.execute(f"pragma table_info({table.name})"))
    return ", ".join(column for column in columns if column not in table.differing)
