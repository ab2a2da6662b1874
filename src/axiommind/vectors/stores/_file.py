"""The SQLite file of the local store: opened, read and written in whole transactions, moved aside when it is damaged.

Read while it is missing it is empty, and looked for again each time. A damaged one is an error to a reader; a writer
moves it aside and begins anew.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from axiommind import db as sqlite
from axiommind.errors import AxmError, Internal, TooNew, VectorsCorrupt

__all__ = ["File"]


class File:
    """`tables` make an empty one; `shape` is the number of their shape, from 1. One of them is `due` (see `forget`)."""

    def __init__(self, path: Path, tables: Sequence[str], shape: int, *, write: bool) -> None:
        self.path = path
        self._tables = tables
        self._newest = shape
        self._write = write
        self._db: sqlite3.Connection | None = None
        with self._named_errors():
            if write:
                self._db = self._open_write()
            else:
                self._connection()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One view of the file for several statements."""
        with self._named_errors():
            db = self._connection()
            db.execute("begin")
            try:
                yield db
            finally:
                if db.in_transaction:
                    db.execute("rollback")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One step: all of it or nothing."""
        self._may_write()
        with self._named_errors(), sqlite.atomic(self._connection()) as db:
            yield db

    def _may_write(self) -> None:
        if not self._write:
            raise Internal(f"{self.path} is open for reading only")

    def forget(self) -> None:
        """Leave nothing of what was deleted. SQLite overwrites the cells it frees, but not the copies of them that stay
        behind when it moves cells from page to page, nor those in the write-ahead log. So the file is written anew,
        and the log emptied; if a reader is in the way of that, closing the last connection empties it.

        That this is due is written with the deletion, so that it is not forgotten when this run ends before."""
        self._may_write()
        with self._named_errors():
            db = self._connection()
            if db.execute("select 1 from due").fetchone():
                db.execute("vacuum")
                db.execute("delete from due")
            sqlite.checkpoint(db)

    def size(self) -> int:
        found = 0
        for suffix in ("", "-wal"):
            with contextlib.suppress(FileNotFoundError):
                found += self._beside(suffix).stat().st_size
        return found

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _beside(self, suffix: str) -> Path:
        return self.path.with_name(self.path.name + suffix)

    def _open_write(self) -> sqlite3.Connection:
        if self._beside(".damaged").exists():
            self._move_aside()
        try:
            return self._prepared(sqlite.open_write(self.path))
        except sqlite3.Error as error:
            if not sqlite.is_damage(error):
                raise
        self._move_aside()
        return self._prepared(sqlite.open_write(self.path))

    def _prepared(self, db: sqlite3.Connection) -> sqlite3.Connection:
        try:
            if not self._shape(db):
                with sqlite.atomic(db):
                    if not self._shape(db):  # another process may have been faster
                        for table in self._tables:
                            db.execute(table)
                        db.execute(f"pragma user_version={self._newest}")
        except BaseException:
            db.close()
            raise
        return db

    def _shape(self, db: sqlite3.Connection) -> int:
        """Of the tables in the file: 0 if it has none yet."""
        (found,) = db.execute("pragma user_version").fetchone()
        if found > self._newest:
            raise TooNew(f"{self.path} was written by a newer version of axiommind", hint="update axiommind")
        return int(found)

    def _move_aside(self) -> None:
        """With its log, so that it can still be looked at."""
        number = 1
        while self._beside(f".corrupt-{number}").exists():
            number += 1
        for suffix in ("-wal", "-shm", ""):
            with contextlib.suppress(FileNotFoundError):
                self._beside(suffix).replace(self._beside(f".corrupt-{number}{suffix}"))
        self._beside(".damaged").unlink(missing_ok=True)

    def _connection(self) -> sqlite3.Connection:
        if self._db is not None:
            return self._db
        if self._write:
            raise sqlite3.ProgrammingError("the file is closed")
        if self.path.exists():
            db = sqlite.open_read(self.path)
            if self._shape(db):
                self._db = db
                return db
            db.close()
        empty = sqlite3.connect(":memory:", isolation_level=None)
        for table in self._tables:
            empty.execute(table)
        return empty

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._wrapped(error) from error

    def _wrapped(self, error: sqlite3.Error) -> AxmError:
        if sqlite.is_damage(error):
            # Who opens it next for writing may not come across the damage, so it is told.
            with contextlib.suppress(OSError):
                self._beside(".damaged").touch()
            return VectorsCorrupt(
                f"{self.path} is damaged ({error})", hint="run: axm embed (it moves the file aside and makes a new one)"
            )
        return sqlite.store_error(error, self.path) or Internal(f"{self.path}: {error}")
