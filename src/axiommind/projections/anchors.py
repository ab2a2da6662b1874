"""Anchors: the files, symbols and commits that entries speak of, as they were when the session ended.

Folds `entry_anchored`. The names are text and in a blob, so they go with the session that they come from; the last
event about an entry is the one that holds.
"""

from __future__ import annotations

import json
import sqlite3

from axiommind.model import Event
from axiommind.projections import Batch, Table

NAME = "anchors"
VERSION = 1
AFTER = ("entries",)
EVENT_TYPES = ("entry_anchored", "forgotten")
TABLES = (
    Table(
        "entry_anchors",
        "What an entry speaks of: a file of its project (`path`), a `symbol` in it, or a commit. `hash` is that of the "
        "file, or of the lines with the symbol, when the session ended; empty where nobody knows. An entry that "
        "names nothing has one row without a path.",
        scope="entry_id in (select entry_id from entries)",
    ),
)

_DDL = (
    """
    create table entry_anchors (
        entry_id text not null,
        seq_order integer not null,
        path text not null,
        symbol text not null,
        hash text not null,
        commit_id text not null,
        commit_state text not null check (commit_state in ('', 'reachable', 'reverted', 'unreachable')),
        primary key (entry_id, seq_order)
    ) without rowid
    """,
    "create index idx_entry_anchors_path on entry_anchors(path)",
)
_ADD = """
    insert into entry_anchors(entry_id, seq_order, path, symbol, hash, commit_id, commit_state)
    values (:entry, :place, :path, :symbol, :hash, :commit, :state)
"""
_ORPHANS = "delete from entry_anchors where entry_id not in (select entry_id from entries)"


def create(db: sqlite3.Connection) -> None:
    for statement in _DDL:
        db.execute(statement)


def apply(db: sqlite3.Connection, batch: Batch) -> None:
    for event in batch.events:
        if event.event_type == "entry_anchored":
            _anchored(db, event, batch)
        else:
            db.execute(_ORPHANS)


def _anchored(db: sqlite3.Connection, event: Event, batch: Batch) -> None:
    content = batch.blob(event.payload["blob"])
    if content is None:  # forgotten later in the log
        return
    for one in json.loads(content)["entries"]:
        entry = one["entry_id"]
        if db.execute("select 1 from entries where entry_id = ?", (entry,)).fetchone() is None:
            continue
        db.execute("delete from entry_anchors where entry_id = ?", (entry,))
        for place, anchor in enumerate(one["anchors"] or [{}]):
            db.execute(
                _ADD,
                {
                    "entry": entry,
                    "place": place,
                    "path": anchor.get("path", ""),
                    "symbol": anchor.get("symbol", ""),
                    "hash": anchor.get("hash", ""),
                    "commit": anchor.get("commit", ""),
                    "state": anchor.get("state", ""),
                },
            )
