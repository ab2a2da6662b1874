"""Agents' own databases, opened so that nothing of them can change: read-only, never copied, never waited for long."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from axiommind.sources.contract import SourceFile

__all__ = ["database_file", "opened"]

_WAIT_S = 2.0  # for a writer that holds it; then the next run reads it


@contextlib.contextmanager
def opened(path: str) -> Iterator[sqlite3.Connection]:
    """The database. Where its folder cannot be written, SQLite cannot share it with a writer: then it is read as the
    file is. What goes wrong is an OSError, as with any other file."""
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
        yield db
    except sqlite3.Error as error:
        raise OSError(5, f"{error}", path) from error
    finally:
        db.close()


def _connect(path: str, how: str) -> sqlite3.Connection:
    db = sqlite3.connect(f"file:{quote(os.path.abspath(path))}?{how}", uri=True, timeout=_WAIT_S, isolation_level=None)  # noqa: PTH100
    db.execute("pragma query_only = on")
    return db


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
        size, changed = size + ahead.st_size, max(changed, ahead.st_mtime_ns)
    return SourceFile(str(path), "container", "", root, "", None, size, changed, main.st_ino)
