"""A log as an earlier version left it: the migrations up to a number, and the rows that fit into what they make."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from axiommind.log.migrations import MIGRATIONS


def make_older(path: Path, number: int) -> None:
    """Put a log in the place of another, with the same rows, that has only the first `number` migrations."""
    old = path.with_suffix(".older")
    with closing(sqlite3.connect(old, isolation_level=None)) as db:
        for step in MIGRATIONS[:number]:
            step(db)
        db.execute("attach ? as newer", (str(path),))
        db.execute("create table migrations as select * from newer.migrations where number <= ?", (number,))
        for table in _tables(db, "main") - {"migrations"}:
            names = ", ".join(_columns(db, "main", table) & _columns(db, "newer", table))
            db.execute(f"insert or ignore into main.{table}({names}) select {names} from newer.{table}")
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    old.replace(path)


def _tables(db: sqlite3.Connection, schema: str) -> set[str]:
    return {name for (name,) in db.execute(f"select name from {schema}.sqlite_schema where type = 'table'")}


def _columns(db: sqlite3.Connection, schema: str, table: str) -> set[str]:
    return {name for (name,) in db.execute("select name from pragma_table_info(?, ?)", (table, schema))}
