"""What an automatic backup holds: the whole log, except bulk text that can be read again from disk.

Every event is in it, and the text of everything that is nowhere else: workflows, scratchpads, claims, rulings,
decisions, feedback, tasks. Text of transcripts and documents is left out while its file is there; of files that are
gone the newest is taken, up to a limit.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

from axiommind import db as sqlite

__all__ = ["BULK", "precious"]

# Events whose text is a copy of a file.
BULK = ("transcript_segment", "transcript_sidecar", "document_saved")

_TEXTS = f"""
    select r.hash, length(b.data), json_extract(e.payload_json, '$.stream'),
           json_extract(e.payload_json, '$.generation')
    from log.events e
    join log.blob_refs r using (position)
    join log.blobs b using (hash)
    where e.event_type in {BULK}
      and not exists (
        select 1
        from log.blob_refs o
        join log.events x on x.position = o.position
        where o.hash = r.hash
          and x.event_type not in {BULK}
      )
    order by e.position desc
"""


def precious(limit: int) -> Callable[[sqlite3.Connection, Path], None]:
    """Fills an empty database from a log; takes at most so many bytes of text whose file is gone."""

    def fill(db: sqlite3.Connection, log: Path) -> None:
        db.execute("attach ? as log", (f"{sqlite.as_uri(log)}?mode=ro",))
        try:
            with sqlite.atomic(db):
                _copy(db, limit)
        finally:
            db.execute("detach log")

    return fill


def _copy(db: sqlite3.Connection, limit: int) -> None:
    made = db.execute("select type, name, sql from log.sqlite_master where sql is not null").fetchall()
    own = [(kind, name, sql) for kind, name, sql in made if not name.startswith("sqlite_")]
    for kind, _, sql in own:
        if kind == "table":
            db.execute(sql)
    db.execute("create table backup_left_out (hash text primary key) without rowid")
    left = _left_out(db, limit)
    db.executemany("insert into backup_left_out values (?) on conflict do nothing", ((one,) for one in left))
    for kind, name, _ in own:
        if kind == "table":
            where = "where hash not in (select hash from backup_left_out)" if name == "blobs" else ""
            db.execute(f"insert into main.{name} select * from log.{name} {where}")
    for kind, _, sql in own:
        if kind != "table":
            db.execute(sql)


def _left_out(db: sqlite3.Connection, limit: int) -> set[str]:
    left: set[str] = set()
    kept: set[str] = set()
    size = 0
    read = dict(_read_up_to(db))
    for name, length, stream, generation in db.execute(_TEXTS):
        path, current = read.get(stream, ("", -1))
        if name in left or name in kept:
            continue
        is_gone = generation != current or not os.path.lexists(path)
        if is_gone and size + length <= limit:
            size += length
            kept.add(name)
        else:
            left.add(name)
    return left


def _read_up_to(db: sqlite3.Connection) -> Iterator[tuple[str, tuple[str, int]]]:
    """Where the file of each stream is, and which generation of it was read last: an older one is on no disk."""
    for stream, generation, state in db.execute("select stream, generation, state from log.heads"):
        yield stream, (json.loads(state).get("path", stream), generation)
