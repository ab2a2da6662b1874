"""A backup file: a `log.db` in one file, with a table that says what it is and a digest of every row.

It is written beside its place, checked, and put there in one step: a backup is whole, or it is not there. One that was
made by itself leaves out bulk text that can be read again from disk (`selection.py`), and lists what it left out.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from axiommind import __version__
from axiommind import db as sqlite
from axiommind.errors import BackupDamaged, NotFound, StoreError, TooNew, UsageError
from axiommind.locks import is_running
from axiommind.log import integrity
from axiommind.log.identity import fingerprint, read_identity
from axiommind.log.migrations import MIGRATIONS
from axiommind.log.rows import events_in
from axiommind.private import make_private

__all__ = ["BackupInfo", "Selection", "check", "read_info", "remove_parts", "reseal", "strip", "write"]

_FORMAT = 1
_DDL = "create table backup (name text primary key, value blob not null) without rowid"
_LEFT_OUT = "create table backup_left_out (hash text primary key) without rowid"
_OWN = ("backup", "backup_left_out")
_PART = ".part-"  # and the number of the process
_PAGES = 512  # a step of copying, between two looks at the bar

Tick = Callable[[int, int], None]
# Fills an open, empty database from the log at a path, and leaves out some of it.
Selection = Callable[[sqlite3.Connection, Path], None]


class BackupInfo(NamedTuple):
    """What a backup says of itself."""

    path: Path
    made_at: str
    version: str  # of the program
    log: str
    events: int
    size: int
    has_key: bool
    has_config: bool
    left_out: int  # texts that are to be read again from disk
    schema: int  # of the log
    key: bytes = b""
    config: bytes = b""
    key_fingerprint: str = ""


def write(
    log: Path,
    target: Path,
    *,
    key: bytes = b"",
    config: bytes = b"",
    overwrite: bool = False,
    selection: Selection | None = None,
    tick: Tick | None = None,
) -> BackupInfo:
    """Back up the log at a path into one file, while others write to it."""
    if target.is_dir():
        raise UsageError(f"{target} is a folder", hint="name a file in it")
    if target.exists() and not overwrite:
        raise _exists(target)
    with _beside(target) as part:
        try:
            with closing(sqlite3.connect(sqlite.as_uri(part), uri=True, isolation_level=None)) as db:
                _copy(log, db, selection, tick)
                _describe(db, key, config)
                _seal(db)
            _flush(part)
        except sqlite3.Error as error:
            raise sqlite.store_error(error, target) or BackupDamaged(f"{log} cannot be backed up: {error}") from error
        check(part)
        if overwrite:
            part.replace(target)
        else:
            try:
                os.link(part, target)  # fails where another process was first
            except FileExistsError:
                raise _exists(target) from None
            except OSError:  # a file system without hard links
                if target.exists():
                    raise _exists(target) from None
                part.replace(target)
        _flush(target.parent)
    return read_info(target)


def _exists(target: Path) -> UsageError:
    return UsageError(f"{target} exists already", hint="name another file, or say --force to replace it")


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A new file beside the target that only its owner can read; gone afterwards, with what SQLite put beside it."""
    part = target.with_name(f".{target.name}{_PART}{os.getpid()}")
    try:
        make_private(target.parent)
        remove_parts(target.parent, f".{target.name}{_PART}*")
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise StoreError(f"{target} cannot be written: {error.strerror or error}", hint="name another place") from error
    try:
        yield part
    finally:
        for suffix in ("", "-journal", "-wal", "-shm"):
            with suppress(OSError):
                part.with_name(part.name + suffix).unlink()


def remove_parts(folder: Path, pattern: str) -> None:
    """Remove what processes that were killed left half written; `pattern` ends with their numbers."""
    for part in folder.glob(pattern):
        maker = part.name.rpartition(_PART)[2].partition("-")[0]
        if not is_running(maker):
            with suppress(OSError):
                part.unlink()


def _copy(log: Path, db: sqlite3.Connection, selection: Selection | None, tick: Tick | None) -> None:
    if selection is not None:
        selection(db, log)
        return
    with closing(sqlite.open_read(log)) as live:
        # One view of the log for the whole copy, however many write meanwhile: without it SQLite begins again.
        live.execute("begin")
        live.execute("select count(*) from sqlite_master").fetchone()

        def step(_status: int, remaining: int, pages: int) -> None:
            if tick is not None:
                tick(pages - remaining, pages)

        live.backup(db, pages=_PAGES, progress=step)
        live.execute("rollback")
    db.execute("pragma journal_mode=delete")  # one file


def _describe(db: sqlite3.Connection, key: bytes, config: bytes) -> None:
    rows: dict[str, str | bytes] = {
        "format": str(_FORMAT),
        "made_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "version": __version__,
    }
    if key:
        rows["key"] = key
    if config:
        rows["config"] = config
    with sqlite.atomic(db):
        for table, statement in zip(_OWN, (_DDL, _LEFT_OUT), strict=True):
            if not sqlite.has_table(db, table):
                db.execute(statement)
        db.executemany("insert into backup values (?, ?)", rows.items())


def _seal(db: sqlite3.Connection) -> None:
    digest = _digest(db)
    with sqlite.atomic(db):
        db.execute(
            "insert into backup values ('digest', ?) on conflict do update set value = excluded.value", (digest,)
        )


def reseal(path: Path) -> None:
    """Make the digest anew, after what was forgotten was purged from a backup."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("pragma journal_mode=delete")
        if sqlite.has_table(db, "backup"):  # a log that was kept aside is none
            _seal(db)
    _flush(path)


def strip(db: sqlite3.Connection) -> frozenset[str]:
    """Make a log of the copy of a backup; returns the texts that it left out."""
    left = frozenset(row[0] for row in db.execute("select hash from backup_left_out"))
    with sqlite.atomic(db):
        for table in _OWN:
            db.execute(f"drop table {table}")
    return left


# --- looking at one --------------------------------------------------------------------------------------


def read_info(path: Path) -> BackupInfo:
    """What a file says of itself, without checking it."""
    with _reading(path) as db:
        said = dict(db.execute("select name, value from backup"))
        (events,) = db.execute("select count(*) from events").fetchone()
        (left,) = db.execute("select count(*) from backup_left_out").fetchone()
        (schema,) = db.execute("select max(number) from migrations").fetchone()
        identity = read_identity(db)
        key = said.get("key", b"")
        return BackupInfo(
            path,
            str(said["made_at"]),
            str(said["version"]),
            identity.name,
            events,
            path.stat().st_size,
            bool(key),
            "config" in said,
            left,
            schema,
            key,
            said.get("config", b""),
            identity.key,
        )


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    if not path.is_file():
        raise NotFound(f"there is no file {path}", hint="axm backup list shows the backups that are known")
    try:
        with closing(sqlite.open_read(path)) as db:
            if not sqlite.has_table(db, "backup"):
                raise BackupDamaged(f"{path} is no backup of this program")
            made = db.execute("select cast(value as integer) from backup where name = 'format'").fetchone()
            if made is None or made[0] > _FORMAT:
                raise TooNew(f"{path} was made by a newer version of this program")
            yield db
    except (sqlite3.Error, ValueError, KeyError, TypeError) as error:
        raise BackupDamaged(f"{path} is damaged: {error}", hint="another backup: axm backup list") from error


def check(path: Path) -> BackupInfo:
    """Prove that a backup is what was written: its pages, every row, every event and every text."""
    with _reading(path) as db:
        bad = [row[0] for row in db.execute("pragma integrity_check(3)") if row[0] != "ok"]
        said = db.execute("select value from backup where name = 'digest'").fetchone()
        if not bad and (said is None or said[0] != _digest(db)):
            bad = ["some of it is not what was written"]
        if not bad:
            left = frozenset(row[0] for row in db.execute("select hash from backup_left_out"))
            found = [*integrity.check_events(db, events_in(db)), *integrity.check_blobs(db, left)]
            bad = [f"{one.where}: {one.what}" for one in found[:3]]
        if bad:
            raise BackupDamaged(f"{path} is damaged: {'; '.join(bad)}", hint="another backup: axm backup list")
    info = read_info(path)
    if info.schema > len(MIGRATIONS):
        raise TooNew(f"{path} was made by a newer version of this program (schema {info.schema})")
    if info.key and info.key_fingerprint and fingerprint(info.key) != info.key_fingerprint:
        raise BackupDamaged(f"{path} holds another key than the one that its log was written with")
    return info


def _digest(db: sqlite3.Connection) -> str:
    """Of every row of every table, in the order of its key."""
    whole = hashlib.sha256()
    tables = db.execute(
        "select name, sql from sqlite_master where name not like 'sqlite_%' order by type, name"
    ).fetchall()
    for name, sql in tables:
        whole.update(json.dumps([name, sql]).encode())
    for (name,) in db.execute("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'"):
        columns = db.execute(f"pragma table_info({name})").fetchall()
        keys = [row[1] for row in sorted(columns, key=lambda row: row[5]) if row[5]] or ["rowid"]
        where = "where name <> 'digest'" if name == "backup" else ""
        for row in db.execute(f"select * from {name} {where} order by {', '.join(keys)}"):
            for value in row:
                data = value if isinstance(value, bytes) else repr(value).encode("utf-8", "surrogatepass")
                whole.update(b"%d:%d:" % (isinstance(value, bytes), len(data)))
                whole.update(data)
    return whole.hexdigest()


def _flush(path: Path) -> None:
    """Have the disk write it; where that cannot be asked of a folder, nothing is lost but the asking."""
    with suppress(OSError):
        file = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
        try:
            os.fsync(file)
        finally:
            os.close(file)
