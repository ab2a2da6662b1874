"""The proofs of `verify`: the log is whole, the index is its fold, and what was forgotten left no trace."""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from axiommind import db as sqlite
from axiommind.backups.archive import check
from axiommind.backups.automatic import automatic_files
from axiommind.backups.copies import unpurged
from axiommind.backups.kept import kept_files
from axiommind.config import Config
from axiommind.errors import AxmError
from axiommind.health.backups import key_problem
from axiommind.log import Head, key_path
from axiommind.log.sqlite import SqliteLog
from axiommind.projections import PLACE_BITS
from axiommind.projections.following import folded_from, require_log
from axiommind.projections.passages import KIND_BITS
from axiommind.projections.replay import compare
from axiommind.projections.runner import tables
from axiommind.sources import jsonl
from axiommind.sources import load as load_source
from axiommind.vectors import sweep, versions
from axiommind.vectors.contract import PASSAGES, SESSIONS

__all__ = ["verify"]


def verify(config: Config, log: SqliteLog, key: bytes, *, deep: bool) -> list[tuple[str, str]]:
    """Log, index, and that they agree; with `deep`, also that the files on disk still are what was read."""
    found = [(f.where, f.what) for f in log.verify()]
    if found:
        return found  # an index compared with a broken log would only repeat it
    require_log(folded_from(config.index_path), log, config.index_path, config.log_path)
    if config.index_path.exists():
        found += _check_index(config.index_path)
        if not found:
            with _scratch(config.index_path) as scratch:
                found += [(f.where, f.what) for f in compare(log, config.index_path, Path(scratch))]
        found += _check_forgotten(config.index_path, log)
        found += _check_vectors(config, log)
        found += _check_copies(config, log)
    else:
        found.append(("index.db", "is not there; axm index makes it"))
    if problem := key_problem(config, log, key):
        found.append((key_path(config.home).name, problem))
    elif deep:  # without the key every file would look rewritten
        found += _check_files(log, key)
    return found


def _scratch(index: Path) -> tempfile.TemporaryDirectory[str]:
    """A folder for a second index: beside the first, where forgetting looks for what a killed run leaves behind."""
    beside = index.parent if os.access(index.parent, os.W_OK) else None
    return tempfile.TemporaryDirectory(prefix=f"{index.name}.building-{os.getpid()}-verify-", dir=beside)


def _check_index(path: Path) -> list[tuple[str, str]]:
    try:
        db = sqlite.open_read(path)
    except sqlite3.DatabaseError as error:
        return [("index.db", f"cannot be read: {error}")]
    try:
        found = [("index.db", row[0]) for row in db.execute("pragma integrity_check(20)") if row[0] != "ok"]
        for table, rowid, parent, _key in db.execute("pragma foreign_key_check"):
            found.append((f"index.db {table}", f"row {rowid} refers to a row of {parent} that is not there"))
    except sqlite3.DatabaseError as error:
        return [("index.db", f"cannot be read: {error}")]
    finally:
        db.close()
    return found


def _check_forgotten(path: Path, log: SqliteLog) -> list[tuple[str, str]]:
    """No trace of what was forgotten, in any table that says whose its rows are."""
    marks = log.tombstones()
    found: set[tuple[str, str]] = set()
    try:
        with closing(sqlite.open_read(path)) as db:
            for table in (table for table in tables() if table.forgotten_by):
                columns = {row[1] for row in db.execute(f"pragma table_info({table.name})")}
                for kind, column in (("session", table.forgotten_by), ("project", "project_path")):
                    if column not in columns:
                        continue
                    wanted = json.dumps([name for of, name in marks if of == kind])
                    those = f"{column} in (select value from json_each(?))"
                    rows = db.execute(f"select distinct {column} from {table.name} where {those}", (wanted,))
                    found |= {(kind, row[0]) for row in rows}
    except sqlite3.DatabaseError as error:
        return [("index.db", f"cannot be read: {error}")]
    return [(f"index.db {kind} {name}", "was forgotten, but is still in the index") for kind, name in sorted(found)]


def _check_copies(config: Config, log: SqliteLog) -> list[tuple[str, str]]:
    """Nothing of what was forgotten in automatic backups and in what was kept aside, and every such backup is whole."""
    left = "may still hold what was forgotten; the next axm index takes it out"
    found = [(str(path), left) for path in unpurged(config.home, log.path)]
    for path in kept_files(config.home, "index.db"):
        if _check_forgotten(path, log):
            found.append((str(path), "still holds what was forgotten; remove it if you do not need it any more"))
    for path in automatic_files(config.home):
        try:
            check(path)
        except AxmError as error:
            found.append((str(path), error.message))
    return found


def _check_vectors(config: Config, log: SqliteLog) -> list[tuple[str, str]]:
    """No vector of what was forgotten, in any store. Those of what merely changed wait for the next run of the writer:
    the log still has the text."""
    found = []
    try:
        with closing(sqlite.open_read(config.index_path)) as db:
            for place in sweep.places(config.home):
                try:
                    with closing(versions.open_of(config.home, place, write=False)) as store:
                        left = [one for one in sweep.absent(db, store) if _was_forgotten(log, *one)]
                except AxmError as error:
                    found.append((f"vectors {place}", f"cannot be looked into: {error.message}"))
                    continue
                if left:
                    text = f"{len(left)} of what was forgotten remain; axm embed takes them out"
                    found.append((f"vectors {place}", text))
    except sqlite3.DatabaseError as error:
        found.append(("index.db", f"cannot be read: {error}"))
    return found


def _was_forgotten(log: SqliteLog, collection: str, key: str) -> bool:
    """Whether an item that is gone was forgotten: a passage by the event in its key, a session by its name. A task goes
    with the last session that spoke of it, and no other way."""
    if collection == PASSAGES:
        event = log.event_at(int(key) >> KIND_BITS + PLACE_BITS) if key.isdecimal() else None
        return event is None or log.is_forgotten(event.session_id, event.project)
    if collection == SESSIONS:
        last = log.last_of(key, "transcript_segment")
        return log.is_forgotten(key, None if last is None else last.project)
    return True


def _check_files(log: SqliteLog, key: bytes) -> list[tuple[str, str]]:
    found = []
    heads = log.heads()
    for document in (h for h in heads.values() if h.state["kind"] == "document"):
        if not _agrees(document, key, log):
            found.append((document.state["path"], "the file was rewritten since it was read; run: axm index --full"))
    for event in log.replay(["transcript_segment"]):
        payload = event.payload
        head = heads.get(payload["stream"])
        if head is None or head.generation != payload["generation"] or head.state.get("missing"):
            continue
        if log.is_forgotten(event.session_id, event.project):
            continue
        try:
            with load_source(payload["source"]).open_stream(payload["stream"]) as file:
                digest = jsonl.hash_range(key, file, payload["start"], payload["end"])
        except OSError:
            continue
        if digest != payload["raw_hash"]:
            where = f"{payload['stream']}:L{payload['first_line']}"
            found.append((where, "the file was rewritten since it was read; run: axm index --full"))
    return found


def _agrees(head: Head, key: bytes, log: SqliteLog) -> bool:
    """Whether a document that looks as it did when it was read also says the same."""
    if head.state["missing"] or log.is_forgotten(head.stream, head.state["project"]):
        return True
    try:
        with Path(head.state["path"]).open("rb") as file:
            info = os.fstat(file.fileno())
            if (info.st_size, info.st_mtime_ns, info.st_ino) != (head.size, head.mtime_ns, head.inode):
                return True  # changed since, which the next run sees
            return bool(jsonl.hash_range(key, file, 0, head.end) == head.state["hash"])
    except OSError:
        return True
