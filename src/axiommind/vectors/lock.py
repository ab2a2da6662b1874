"""One writer of vectors at a time, on all machines that share a home.

The lock is a row of `vectors/state.db` with a heartbeat. It can be taken when nobody has it, when its owner has not
sent a heartbeat for a while, or when its owner ran on this machine and is gone. A writer that lost it stops before it
writes again.
"""

from __future__ import annotations

import contextlib
import os
import platform
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from axiommind import db as sqlite
from axiommind.errors import Locked
from axiommind.ids import ulid
from axiommind.vectors.versions import open_state, reading

__all__ = ["BEAT_S", "STALE_MS", "Lock", "Owner", "owner"]

STALE_MS = 30_000
BEAT_S = 5.0
_ASK_AGAIN_S = 1.0


def _now() -> int:
    return time.time_ns() // 1_000_000


class Owner(NamedTuple):
    """Who writes."""

    token: str
    pid: int
    host: str
    started_at: int
    beat_at: int

    def is_gone(self, now: int) -> bool:
        # A heartbeat from the future comes from a clock that was set back: it says nothing.
        if abs(now - self.beat_at) > STALE_MS:
            return True
        return self.host == platform.node() and not _is_running(self.pid)

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"


def _is_running(pid: int) -> bool:
    if os.name == "nt":  # os.kill would end the process there: only the heartbeat counts
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def owner(home: Path) -> Owner | None:
    """Who has the lock, alive or not."""
    with reading(home) as db:
        if db is None:
            return None
        try:
            return _owner(db)
        except sqlite3.DatabaseError:
            return None


def _owner(db: sqlite3.Connection) -> Owner | None:
    row = db.execute("select token, pid, host, started_at, beat_at from writer").fetchone()
    return None if row is None else Owner(*row)


class Lock:
    """Held between `with` and its end; `check` says whether it still is."""

    def __init__(
        self,
        home: Path,
        *,
        wait: bool = False,
        now: Callable[[], int] = _now,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._home, self._wait, self._now, self._sleep = home, wait, now, sleep
        self._token = ulid(now())
        self._stop = threading.Event()
        self._turn = threading.Lock()  # the connection is used by two threads

    def __enter__(self) -> Lock:
        self._db = open_state(self._home)
        try:
            while (other := self._take()) is not None:
                if not self._wait:
                    raise Locked(f"{other} is embedding already", hint="axm embed --wait waits for it")
                self._sleep(_ASK_AGAIN_S)
        except BaseException:
            self._db.close()
            raise
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()
        return self

    def _take(self) -> Owner | None:
        """None when it is ours now, else who has it."""
        with sqlite.atomic(self._db):
            other = _owner(self._db)
            if other is not None and not other.is_gone(self._now()):
                return other
            self._db.execute(
                "insert or replace into writer(one, token, pid, host, started_at, beat_at) values (1, ?, ?, ?, ?, ?)",
                (self._token, os.getpid(), platform.node(), self._now(), self._now()),
            )
        return None

    def check(self) -> None:
        """Fails when another process has taken the lock since: this one slept too long."""
        with self._turn:
            other = _owner(self._db)
        if other is None or other.token != self._token:
            raise Locked("another process has taken over the embedding", hint="run axm embed again")

    def beat(self) -> None:
        with self._turn:
            self._db.execute("update writer set beat_at = ? where token = ?", (self._now(), self._token))

    def _beat(self) -> None:
        while not self._stop.wait(BEAT_S):
            with contextlib.suppress(sqlite3.Error):  # the next one may succeed, and `check` knows
                self.beat()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop.set()
        self._thread.join()
        try:
            with contextlib.suppress(sqlite3.Error):  # the next process finds that this one is gone
                self._db.execute("delete from writer where token = ?", (self._token,))
        finally:
            self._db.close()
