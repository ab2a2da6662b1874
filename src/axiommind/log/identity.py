"""Who a log is: its name, the logs whose place it took, and the key that it was written with.

An index says which log it was folded from. A restored log takes another name and lists what it replaces, so that an
index of the log before it may be rebuilt from it, and no other index may.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["LogIdentity", "fingerprint", "read_identity", "rename", "set_key", "stamp"]


class LogIdentity(NamedTuple):
    """The name of a log, what it replaces (names of logs, and ids of the last events that an index had folded), and the
    fingerprint of its key."""

    name: str
    replaces: frozenset[str]
    key: str


def fingerprint(key: bytes) -> str:
    """What tells one key from another without giving it away."""
    return hmac.new(key, b"axiommind: which key is this", hashlib.sha256).hexdigest()[:32]


def stamp(db: sqlite3.Connection, key: bytes) -> None:
    """A log without a fingerprint takes that of the key it is opened with: it is new, or of an older version."""
    db.execute("insert into identity values ('key', ?) on conflict do nothing", (fingerprint(key),))


def read_identity(db: sqlite3.Connection) -> LogIdentity:
    """The identity of a log; empty where an older version wrote it and nobody has opened it for writing since."""
    if not db.execute("select 1 from sqlite_master where name = 'identity'").fetchone():
        return LogIdentity("", frozenset(), "")
    found = dict(db.execute("select name, value from identity"))
    return LogIdentity(found.get("log", ""), frozenset(json.loads(found.get("replaces", "[]"))), found.get("key", ""))


def rename(db: sqlite3.Connection, replaces: Iterable[str]) -> None:
    """A name that no other log has, and what this log takes the place of."""
    _set(db, "log", db.execute("select lower(hex(randomblob(16)))").fetchone()[0])
    _set(db, "replaces", json.dumps(sorted({one for one in replaces if one})))


def set_key(db: sqlite3.Connection, key: bytes) -> None:
    """From now on the log is written with this key."""
    _set(db, "key", fingerprint(key))


def _set(db: sqlite3.Connection, name: str, value: str) -> None:
    db.execute("insert into identity values (?, ?) on conflict do update set value = excluded.value", (name, value))
