"""Agents' own databases, opened so that nothing of them can change and nothing else in them can be read: read-only,
never copied, never waited for long, and only the tables and columns that a source names. They also hold credentials."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from axiommind.sources.contract import SourceFile

__all__ = ["Columns", "columns_in", "database_file", "missing_columns", "opened", "text_of", "whole"]

Columns = Mapping[str, Collection[str]]  # by table

_WAIT_S = 2.0  # for a writer that holds it; then the next run reads it
_VALUE_BYTES = 64 << 20  # of one value: a line is no longer either
_FUNCTIONS = frozenset({"coalesce", "count", "json_extract", "json_valid", "length", "max", "min", "substr", "sum"})
# Steps of SQLite's machine between two looks at whether a query has gone on for too long.
_STEPS = 1_000_000
_MOST_STEPS = 2_000


@contextlib.contextmanager
def opened(path: str, columns: Columns) -> Iterator[sqlite3.Connection]:
    """The database in one state, of which only these columns can be read: SQLite itself refuses the rest. Where its
    folder cannot be written, SQLite cannot share it with a writer: then it is read as the file is. What goes wrong is
    an OSError, as with any other file."""
    if not Path(path).is_file():
        raise FileNotFoundError(2, "is not there", path)
    try:
        db = _connect(path, "mode=ro")
        try:
            db.execute("select 1 from sqlite_master limit 1").fetchone()
        except sqlite3.OperationalError as error:
            db.close()
            if os.access(Path(path).parent, os.W_OK):
                raise OSError(5, f"{error}", path) from error
            db = _connect(path, "mode=ro&immutable=1")
    except sqlite3.Error as error:
        raise OSError(5, f"{error}", path) from error
    try:
        db.execute("begin")
        db.set_authorizer(_only(columns))
        yield db
    except sqlite3.Error as error:
        raise OSError(5, f"{error}", path) from error
    finally:
        db.close()


def _connect(path: str, how: str) -> sqlite3.Connection:
    db = sqlite3.connect(f"file:{quote(os.path.abspath(path))}?{how}", uri=True, timeout=_WAIT_S, isolation_level=None)  # noqa: PTH100
    db.text_factory = lambda data: data.decode("utf-8", "replace")
    db.execute("pragma query_only = on")
    db.execute("pragma trusted_schema = off")
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _VALUE_BYTES)
    steps = iter(range(_MOST_STEPS))
    db.set_progress_handler(lambda: next(steps, None) is None, _STEPS)
    return db


def _only(columns: Columns) -> Callable[..., int]:
    def authorise(action: int, what: str | None, name: str | None, _db: str | None, inside: str | None) -> int:
        """`inside` names a view or a trigger, of which an agent's database has no need."""
        if action == sqlite3.SQLITE_SELECT:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION:
            return sqlite3.SQLITE_OK if name in _FUNCTIONS else sqlite3.SQLITE_DENY
        if action == sqlite3.SQLITE_PRAGMA:
            return sqlite3.SQLITE_OK if what == "table_info" else sqlite3.SQLITE_DENY
        if action == sqlite3.SQLITE_READ and inside is None and (not name or name in columns.get(what or "", ())):
            return sqlite3.SQLITE_OK if what in columns else sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_DENY

    return authorise


def columns_in(db: sqlite3.Connection, table: str) -> frozenset[str]:
    """The columns of a table; none where there is no such table."""
    return frozenset(row[1] for row in db.execute(f'pragma table_info("{table}")'))


def missing_columns(db: sqlite3.Connection, wanted: Columns) -> str | None:
    """Why this is a database of a version that nobody knows here; None where everything that is wanted is there."""
    absent = [
        f"{table}.{column}"
        for table, columns in wanted.items()
        for column in sorted(frozenset(columns) - columns_in(db, table))
    ]
    if not absent:
        return None
    shown = ", ".join(absent[:5]) + (", …" if len(absent) > 5 else "")
    return f"of a version that is not known here (it has no {shown}): its sessions are not read"


def database_file(path: Path, root: str) -> SourceFile | None:
    """A database with sessions in it, as it looks now, what waits in its write-ahead log included; None where it is not
    there."""
    try:
        main = path.stat()
    except OSError:
        return None
    size, changed = main.st_size, main.st_mtime_ns
    with contextlib.suppress(OSError):
        ahead = path.with_name(path.name + "-wal").stat()
        if ahead.st_size:  # reading makes an empty one
            size, changed = size + ahead.st_size, max(changed, ahead.st_mtime_ns)
    return SourceFile(str(path), "container", "", root, "", None, size, changed, main.st_ino)


def text_of(value: Any) -> str:
    """A text of a row; empty where it is none."""
    return value if isinstance(value, str) else ""


def whole(value: Any) -> int:
    """A number of a row; 0 where it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 62 else 0
