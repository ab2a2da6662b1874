"""Access: opens the log and the index for workflows and scratchpads, to write and to read.

What is written is safe once it is in the log; the index follows at once if it can, and otherwise with the next
`axm index`.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from axiommind import db as sqlite
from axiommind.errors import BadQuery, DiskFull, IndexCorrupt, Locked, LogLost, NotFound, NotWritable
from axiommind.home import Home, Scope

if TYPE_CHECKING:
    from axiommind.log.sqlite import SqliteLog
    from axiommind.projections.runner import Index
    from axiommind.scratchpads.writer import ScratchpadWriter

__all__ = ["Access"]

# How many events an index may be behind the log and still be caught up by a write.
_AT_ONCE = 500
# What may keep the index from catching up. The log has what was written, and the next `axm index` tries again.
_LATER = (IndexCorrupt, LogLost, Locked, NotWritable, DiskFull)
# `wf_` or `pad_`, and a ULID.
_WHOLE_ID = {"workflows": 29, "pads": 30}
_HINTS = {
    "workflows": "axm workflow list (list-workflows) shows them",
    "pads": "axm pad list (list-scratchpads) shows them",
}
_NOUNS = {"workflows": "workflow", "pads": "scratchpad"}


class Access:
    """Opens the log and the index for writing and for reading. A long-running process holds a connection to both open
    after the first write: without one, every write is the last to close them, and waits while SQLite checkpoints its
    write-ahead log (5 ms of 13)."""

    def __init__(self, home: Home, *, hold_open: bool = False) -> None:
        self.home = home
        self._held: dict[Path, sqlite3.Connection] | None = {} if hold_open else None

    @contextlib.contextmanager
    def writing(self, actor: str) -> Iterator[ScratchpadWriter]:
        """A writer; afterwards the index catches up, unless another process holds it for long."""
        from axiommind.projections.runner import Segments
        from axiommind.scratchpads.writer import ScratchpadWriter

        with self.home.open_log() as (log, key), contextlib.ExitStack() as stack:
            index = self._index_at_hand(log, stack)
            session = self.home.environ.get("CLAUDE_CODE_SESSION_ID") or None
            self._hold(self.home.config.log_path, self.home.config.index_path)
            yield ScratchpadWriter(log, key, None if index is None else index.db, actor=actor, session=session)
            if index is not None:
                with contextlib.suppress(*_LATER):
                    index.catch_up(log, Segments(log))

    def _hold(self, *paths: Path) -> None:
        if self._held is None or os.name == "nt":  # there, an open file cannot be moved aside when it is damaged
            return
        for path in paths:
            if path not in self._held:
                with contextlib.suppress(OSError, sqlite3.Error):
                    self._held[path] = sqlite.open_read(path)

    def _index_at_hand(self, log: SqliteLog, stack: contextlib.ExitStack) -> Index | None:
        """The index, if it can catch up with the log at once. A rebuild is left to `axm index`: what is written is
        safe in the log, and a writer does not wait."""
        from axiommind.projections.runner import Index

        path = self.home.config.index_path
        if not path.exists() and log.last_position() > _AT_ONCE:
            return None  # a new, empty one would claim that there is nothing
        try:
            index = Index(path)
        except _LATER:
            return None
        stack.callback(index.close)
        behind = log.last_position() - index.position()
        return None if index.stale or behind > _AT_ONCE or not index.follows(log) else index

    @contextlib.contextmanager
    def reading(self) -> Iterator[ScratchpadWriter]:
        """Read what is current: from the index if it has it, else from the log."""
        from axiommind.scratchpads.writer import ScratchpadWriter

        with self.home.read_log() as (log, key), contextlib.ExitStack() as stack:
            db = None
            # Without an index, or with one of an older version, the log has everything, if more slowly.
            with contextlib.suppress(NotFound, IndexCorrupt, sqlite3.DatabaseError):
                found = stack.enter_context(self.home.reading(Scope(None), None))
                found.execute("select 1 from pads limit 0")
                db = found
            yield ScratchpadWriter(log, key, db, actor="user")

    @contextlib.contextmanager
    def index(self) -> Iterator[sqlite3.Connection | None]:
        """The index over all projects; None in a home where nothing has been written yet."""
        if not self.home.config.index_path.exists() and not self.home.config.log_path.exists():
            yield None
            return
        with self.home.reading(Scope(None), None) as db:
            db.execute("begin")  # one state of the index, whoever writes in the meantime
            yield db

    def named(self, table: str, name: str) -> str:
        """The id that was meant: the name itself, or the only id that begins with it."""
        wanted = name.strip().lower()
        if len(wanted) >= _WHOLE_ID[table] and wanted.isascii():
            return wanted  # the log knows whether it exists
        with self.index() as db:
            rows = [] if db is None or not wanted else _beginning(db, table, wanted)
        if not rows:
            raise NotFound(f"there is no {_NOUNS[table]} {name!r}", hint=_HINTS[table])
        if len(rows) > 1:
            raise BadQuery(f"{name!r} fits more than one {_NOUNS[table]}", hint="give more characters of the id")
        return rows[0]


def _beginning(db: sqlite3.Connection, table: str, start: str) -> list[str]:
    rows = db.execute(f"select id from {table} where id >= ? and id < ? limit 2", (start, start + "\U0010ffff"))
    return [row[0] for row in rows]
