"""Every other copy of the log in a home: automatic backups, and logs that were kept aside.

What is done to the log so that a text is nowhere any more is done to them too. Each copy is changed beside itself and
then replaced, so a kill leaves the old one or the new one, and the next run goes on.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

from axiommind import db as sqlite
from axiommind.backups.archive import remove_parts, reseal
from axiommind.backups.automatic import automatic_files, folder_of
from axiommind.backups.kept import kept_files
from axiommind.errors import AxmError
from axiommind.log.sqlite import SqliteLog
from axiommind.model import Event
from axiommind.projections import Batch, load_all
from axiommind.projections.runner import Index

__all__ = [
    "ForgottenTogether",
    "change_copies",
    "copies",
    "forget_in",
    "forgotten_in",
    "purge_copies",
    "purge_kept_indexes",
    "unpurged",
]

ACTOR = "axm-backup"
_REASON = "forgotten in the log that this is a copy of"


class ForgottenTogether(NamedTuple):
    """What one forgetting forgot: it is lifted together, too."""

    sessions: tuple[str, ...]
    project: str | None
    records: tuple[bytes, ...]  # hashes of records that are not read again from whatever file

    @property
    def marks(self) -> set[tuple[str, str]]:
        project = () if self.project is None else (("project", self.project),)
        return {*(("session", key) for key in self.sessions), *project}


def copies(home: Path) -> list[Path]:
    """Every file of a home that holds a copy of a log."""
    return [*automatic_files(home), *kept_files(home, "log.db")]


def change_copies(home: Path, key: bytes, change: Callable[[SqliteLog], object]) -> list[Path]:
    """Do to every copy of the log what was done to the log itself; returns those that could not be changed. A copy that
    was made by itself and cannot be read is removed: it is no backup, and may hold what must not be there."""
    return [path for path in copies(home) if not _changed(home, path, key, change)]


def purge_copies(home: Path, key: bytes, log: Path) -> list[Path]:
    """Forget in every copy what is forgotten in the log at this path; returns the copies in which that was not
    possible."""
    with closing(sqlite.open_read(log)) as db:
        groups = forgotten_in(db)
    if not groups:
        return []
    _remove_leftovers(home)
    left = []
    for path in copies(home):
        if _lacks(path, groups) and not _changed(home, path, key, lambda copy: forget_in(copy, groups)):
            left.append(path)
    return left


def _remove_leftovers(home: Path) -> None:
    """What a killed backup or restore left half written may hold what was forgotten."""
    remove_parts(home, "log.db.restoring.part-*")
    for path in {path.parent for path in copies(home)} | {folder_of(home)}:
        remove_parts(path, ".*.part-*")


def unpurged(home: Path, log: Path) -> list[Path]:
    """The copies that may still hold the text of what is forgotten in the log at this path."""
    with closing(sqlite.open_read(log)) as db:
        groups = forgotten_in(db)
    return [path for path in copies(home) if groups and _lacks(path, groups)]


def purge_kept_indexes(home: Path, log: SqliteLog) -> list[Path]:
    """Take what is forgotten in the log out of the indexes that were kept aside; returns those in which that was not
    possible: they are damaged, or of an older version."""
    marks = log.tombstones()
    return [path for path in kept_files(home, "index.db") if marks and not _forgets(path, marks)]


def _forgets(path: Path, marks: set[tuple[str, str]]) -> bool:
    sessions = sorted(key for kind, key in marks if kind == "session")
    projects = [key for kind, key in marks if kind == "project"]
    try:
        index = Index(path)
    except (AxmError, sqlite3.Error):
        return False
    try:
        if index.stale:
            return False
        with sqlite.atomic(index.db) as db:
            for project in (None, *sorted(projects)):
                said = {"sessions": sessions if project is None else [], "project": project, "reason": _REASON}
                event = Event(index.position(), "", 0, "forgotten", ACTOR, None, project, said, "")
                batch = Batch([event], _nothing, lambda _name: None)
                for projection in load_all():
                    projection.apply(db, batch.only(projection.EVENT_TYPES))
        index.scrub()
    except (AxmError, sqlite3.Error):
        return False
    finally:
        index.close()
    return sqlite.compact(path)


def _nothing(*_given: object, **_more: object) -> None:
    """There is no text to decode: only rows are taken out."""


def forgotten_in(db: sqlite3.Connection) -> list[ForgottenTogether]:
    """What is forgotten in a log, in the order in which it was."""
    rows = db.execute("select position, kind, key from tombstones order by position, kind, key").fetchall()
    records: dict[int, list[bytes]] = {}
    if sqlite.has_table(db, "forgotten_records"):
        for position, name in db.execute("select position, hash from forgotten_records"):
            records.setdefault(position, []).append(name)
    found = []
    for position in dict.fromkeys(row[0] for row in rows):
        keys = {of: [key for at, kind, key in rows if (at, kind) == (position, of)] for of in ("session", "project")}
        together = (tuple(keys["session"]), next(iter(keys["project"]), None), tuple(records.get(position, ())))
        found.append(ForgottenTogether(*together))
    return found


def forget_in(copy: SqliteLog, groups: Sequence[ForgottenTogether]) -> int:
    """Forget what these name, where it is not forgotten already; returns how many sessions and projects that were."""
    count = 0
    for one in groups:
        missing = one.marks - copy.tombstones()
        if missing:
            sessions = sorted(key for kind, key in missing if kind == "session")
            project = one.project if ("project", one.project) in missing else None
            copy.forget(sessions, project, actor=ACTOR, reason=_REASON, records=partial(tuple, one.records))
            count += len(missing)
    return count


def _lacks(path: Path, groups: Sequence[ForgottenTogether]) -> bool:
    """Whether some of these are not forgotten in a copy, or that cannot be said."""
    marks = {mark for one in groups for mark in one.marks}
    try:
        with closing(sqlite.open_read(path)) as db:
            return not marks <= set(db.execute("select kind, key from tombstones").fetchall())
    except (OSError, sqlite3.Error):
        return True


def _changed(home: Path, path: Path, key: bytes, change: Callable[[SqliteLog], object]) -> bool:
    part = path.with_name(f".{path.name}.part-{os.getpid()}")
    try:
        part.unlink(missing_ok=True)
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with closing(sqlite.open_read(path)) as old, closing(sqlite3.connect(part)) as new:
            old.backup(new)
        log = SqliteLog(part, key)
        try:
            change(log)
        finally:
            log.close()
        sqlite.compact(part)
        reseal(part)
        part.replace(path)
    except (AxmError, OSError, sqlite3.Error):
        if path not in automatic_files(home):
            return False
        with contextlib.suppress(OSError):
            path.unlink()
        return not path.exists()
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            with contextlib.suppress(OSError):
                part.with_name(part.name + suffix).unlink()
    return True
