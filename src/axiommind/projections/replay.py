"""Whether the index is what a fresh replay of the log gives, table by table and row by row."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from axiommind import db as sqlite
from axiommind.log import EventLog, Finding
from axiommind.projections import Table
from axiommind.projections.runner import Index, Segments, tables
from axiommind.projections.scope import META_KEY

__all__ = ["compare"]

# What SQLite says of a damaged schema quotes it, and Python may be unable to read that.
_DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)
# What ranks hits besides the terms themselves.
_FULL_TEXT = (Table("passages_fts_docsize", ""), Table("passages_fts_config", ""))


# They take text out of the log, and the index follows a moment later: a copy from before cannot be compared.
_PURGING = ("forgotten", "redacted_again")
_TRIES = 4


def compare(log: EventLog, path: Path, scratch: Path) -> list[Finding]:
    """Whether every table equals a fresh replay of the log up to the same position, row for row. Works on a copy, so
    that nobody's writing disturbs it and a read-only home will do. Where somebody forgets something meanwhile, it is
    compared again."""
    found: list[Finding] = []
    for _ in range(_TRIES):
        found, position = _compare_copy(log, path, scratch)
        if not found or not log.fetch_since(position, _PURGING, limit=1):
            break
        for left in scratch.iterdir():
            left.unlink()
    return found


def _compare_copy(log: EventLog, path: Path, scratch: Path) -> tuple[list[Finding], int]:
    """What differs, and how far the copy is."""
    copy = scratch / "live.db"
    try:
        with closing(sqlite.open_read(path)) as live, closing(sqlite3.connect(copy)) as snapshot:
            live.backup(snapshot)
            (position,) = snapshot.execute("select min(position) from projection_offsets").fetchone()
    except _DAMAGE as error:
        return [Finding("index.db", f"cannot be read: {error}")], log.last_position()
    fresh = Index(scratch / "replay.db", throwaway=True)
    try:
        fresh.catch_up(log, Segments(log), until=position)
        return _differences(fresh.db, copy), position
    finally:
        fresh.close()


def _differences(fresh: sqlite3.Connection, copy: Path) -> list[Finding]:
    fresh.execute("attach ? as live", (str(copy),))
    try:
        return _schema_differences(fresh) or _row_differences(fresh)
    except _DAMAGE as error:
        return [Finding("index.db", f"cannot be compared with a replay of the log: {error}")]


def _schema_differences(fresh: sqlite3.Connection) -> list[Finding]:
    """Tables, triggers and views are what this version makes; and so is what readers are told of a project's scope."""
    made = "select type, name, tbl_name, sql from {}.sqlite_master where name not like 'sqlite_%'"
    rows = fresh.execute(
        f"""
        select name from (select * from ({made.format("main")}) except select * from ({made.format("live")}))
        union select name from (select * from ({made.format("live")}) except select * from ({made.format("main")}))
        """
    )
    found = [Finding(f"index.db {name}", "is not made as this version makes it") for (name,) in rows]
    scope = "select value from {}.meta where key = ?"
    if (
        fresh.execute(scope.format("main"), (META_KEY,)).fetchall()
        != fresh.execute(scope.format("live"), (META_KEY,)).fetchall()
    ):
        found.append(Finding("index.db meta", "the views of a project are not what this version makes"))
    return found


def _row_differences(fresh: sqlite3.Connection) -> list[Finding]:
    found = []
    for schema in ("main", "live"):
        vocabulary = f"create virtual table temp.{schema}_terms using fts5vocab({schema}, passages_fts, 'instance')"
        fresh.execute(vocabulary)
    for table in (*tables(), *_FULL_TEXT):
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
        numbers = [fresh.execute(f"select count(*) from {one} {where}").fetchone() for one in (lived, replayed)]
        if numbers[0] != numbers[1]:  # `except` does not see a row that is there twice
            found.append(
                Finding(f"index.db {name}", f"{numbers[0][0]} rows, and {numbers[1][0]} in a replay of the log")
            )
    return found


def _compared(db: sqlite3.Connection, table: Table) -> str:
    """The columns of a table that come from events."""
    if not table.differing:
        return "*"
    columns = (row[1] for row in db.execute(f"pragma table_info({table.name})"))
    return ", ".join(column for column in columns if column not in table.differing)
