"""Restoring: a backup becomes the log of a home. The log that was there is kept aside.

The new log is made and checked beside the old one, and then takes its place in one transaction, also under the hands of
others. It takes a name of its own and says what it replaces, so that after a kill the next index goes on: it rebuilds
the index, and nothing is half restored. What was forgotten since the backup stays forgotten.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from axiommind import db as sqlite
from axiommind.backups.archive import BackupInfo, check, remove_parts, strip
from axiommind.backups.automatic import automatic_files
from axiommind.backups.copies import ACTOR, ForgottenTogether, forget_in, forgotten_in
from axiommind.backups.kept import keep_copy, new_folder
from axiommind.backups.refill import refill
from axiommind.errors import AxmError, BackupDamaged, Locked, StoreError
from axiommind.home import Home
from axiommind.locks import alone
from axiommind.log import home_key, key_path, put_key
from axiommind.log.identity import read_identity
from axiommind.log.restored import take_place
from axiommind.log.sqlite import SqliteLog
from axiommind.private import make_private
from axiommind.projections.following import Folded, folded_from, follows, has_log

__all__ = ["RestoreReport", "restore"]

# Pages of a step: fewer than any log has, so that the first step does not end the copy, and the old log can be kept
# aside while its lock is held.
_PAGES = 4
_SUFFIXES = ("-wal", "-shm")
_LOST = "its text was not in the backup, and is not on disk as it was"

Tick = Callable[[int, int], None]


class RestoreReport(NamedTuple):
    """What was restored, and what that did."""

    backup: BackupInfo
    events: int
    kept: Path | None  # the folder with what was there before
    forgotten: int  # of what the backup still had, so much was forgotten since
    read_again: int  # texts that the backup had left out
    lost: tuple[str, ...]  # sessions and documents whose text could not be had; what is on disk is read again
    notes: tuple[str, ...] = ()


def restore(home: Home, file: Path, tick: Tick | None = None) -> RestoreReport:
    """Make a backup the log of this home, and build the index from it."""
    info = check(file)
    folder = home.config.home
    make_private(folder)
    with alone(folder / "restoring") as ours:
        if not ours:
            raise Locked(f"another process restores into {folder}", hint="wait for it to end")
        return _Restore(home, info).run(tick)


class _Restore:
    """One restore: the paths, and what is said about it."""

    def __init__(self, home: Home, info: BackupInfo) -> None:
        self.home = home
        self.info = info
        self.folder = home.config.home
        self.log_path = home.config.log_path
        self.notes: list[str] = []
        self._aside: Path | None = None

    def run(self, tick: Tick | None) -> RestoreReport:
        folded = folded_from(self.home.config.index_path)
        forgotten_here, old_name = self._before()
        key = self._key()
        with self._beside() as part:
            left_out = self._unpack(part)
            log = SqliteLog(part, key)
            try:
                forgotten = forget_in(log, forgotten_here)
                lost = self._refill(log, key, left_out)
                self._require_whole(log)
                take_place(log, (old_name, *((folded.log, folded.event_id) if folded is not None else ())))
                events, keeps = log.last_position(), not follows(folded, log)
            finally:
                log.close()
            sqlite.compact(part)
            if not key_path(self.folder).exists():
                put_key(self.folder, key)  # before somebody who finds the log makes another
            self._switch(part, key, folded, keep_index=keeps)
        if key_path(self.folder).read_bytes() != key:
            self._exchange_key(key)
        self._config()
        self._index(tick)
        return RestoreReport(
            self.info,
            events,
            self._aside,
            forgotten,
            len(left_out),
            tuple(sorted(lost)),
            tuple(self.notes),
        )

    # --- what was there ----------------------------------------------------------------------------------

    def _before(self) -> tuple[list[ForgottenTogether], str]:
        """Everything that is forgotten in this home, and the name of its log. Where that is lost, its automatic backups
        know what was forgotten."""
        found: list[ForgottenTogether] = []
        for path in (self.log_path, *reversed(automatic_files(self.folder))):
            with contextlib.suppress(OSError, sqlite3.Error), closing(sqlite.open_read(path)) as db:
                found += forgotten_in(db)
                if path == self.log_path:
                    return found, read_identity(db).name
        return found, ""

    def _kept(self) -> Path:
        if self._aside is None:
            self._aside = new_folder(self.folder)
        return self._aside

    # --- the new log -------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _beside(self) -> Iterator[Path]:
        remove_parts(self.folder, f"{self.log_path.name}.restoring.part-*")
        part = self.log_path.with_name(f"{self.log_path.name}.restoring.part-{os.getpid()}")
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        try:
            yield part
        finally:
            for suffix in ("", *_SUFFIXES, "-journal"):
                with contextlib.suppress(OSError):
                    part.with_name(part.name + suffix).unlink()

    def _unpack(self, part: Path) -> frozenset[str]:
        try:
            with (
                closing(sqlite.open_read(self.info.path)) as backup,
                closing(sqlite3.connect(part, isolation_level=None)) as db,
            ):
                backup.backup(db)
                return strip(db)
        except sqlite3.Error as error:
            raise sqlite.store_error(error, part) or BackupDamaged(f"{self.info.path}: {error}") from error

    def _refill(self, log: SqliteLog, key: bytes, left_out: frozenset[str]) -> set[str]:
        """Read again what the backup left out. A session of which that fails is forgotten and comes back with the next
        index, as far as it is on disk."""
        lost = refill(log, key, left_out) if left_out else set()
        if lost:
            log.forget(sorted(lost), None, actor=ACTOR, reason=_LOST)
            log.lift(min(lost), None, actor=ACTOR)
        return lost

    def _require_whole(self, log: SqliteLog) -> None:
        if found := log.verify():
            raise BackupDamaged(
                f"{self.info.path} gives a log that is not whole: {found[0].where}: {found[0].what}",
                hint="another backup: axm backup list",
            )

    # --- in its place ------------------------------------------------------------------------------------

    def _switch(self, part: Path, key: bytes, folded: Folded | None, *, keep_index: bool) -> None:
        there = self._readable(key)
        is_derived = there is not None and follows(folded, there)  # it can be made again from the log that is kept
        if there is not None:
            there.close()
        if folded is not None and keep_index and not is_derived:
            keep_copy(self.home.config.index_path, self._kept())
        if there is not None:
            self._write_over(part)
            return
        for suffix in ("", *_SUFFIXES):  # gone, empty or damaged: nobody can be working with it
            with contextlib.suppress(FileNotFoundError):
                old = self.log_path.with_name(self.log_path.name + suffix)
                if old.stat().st_size:
                    old.replace(self._kept() / old.name)
                else:
                    old.unlink()
        part.replace(self.log_path)

    def _readable(self, key: bytes) -> SqliteLog | None:
        """The log that is here; None when it is gone, empty or damaged."""
        if not has_log(self.log_path):
            return None
        try:
            return SqliteLog(self.log_path, key, read_only=True)
        except Locked:
            raise
        except StoreError:
            return None

    def _write_over(self, part: Path) -> None:
        """In one transaction; what was there is kept aside while it holds the lock, so nothing written is missed."""

        def step(status: int, _remaining: int, _pages: int) -> None:
            if status == sqlite3.SQLITE_OK and not (self._aside and (self._aside / self.log_path.name).exists()):
                keep_copy(self.log_path, self._kept())

        try:
            live = sqlite.open_write(self.log_path, sync="full")
            with closing(live), closing(sqlite3.connect(part)) as fresh:
                fresh.backup(live, pages=_PAGES, progress=step)
                sqlite.checkpoint(live)
        except sqlite3.Error as error:
            raise sqlite.store_error(error, self.log_path) or StoreError(f"{self.log_path}: {error}") from error

    # --- what belongs to it ------------------------------------------------------------------------------

    def _key(self) -> bytes:
        """The key of the backup, else that of the home, else a new one."""
        if self.info.key:
            return self.info.key
        there = key_path(self.folder).exists()
        if not there and self.info.key_fingerprint:
            self.notes.append("the backup has no key (axm backup --with-key): a new one is made, so new marks differ")
        return home_key(self.folder)

    def _exchange_key(self, key: bytes) -> None:
        path = key_path(self.folder)
        shutil.copyfile(path, self._kept() / path.name)
        (self._kept() / path.name).chmod(0o600)
        put_key(self.folder, key)

    def _config(self) -> None:
        if not self.info.config:
            return
        path = self.folder / "config.toml"
        if path.exists():
            if path.read_bytes() == self.info.config:
                return
            path = self._kept() / path.name
            self.notes.append(f"the settings here were left as they are; those of the backup are in {path}")
        path.write_bytes(self.info.config)
        path.chmod(0o600)

    def _index(self, tick: Tick | None) -> None:
        """A new index from the new log; vectors and prepared answers of what is not in it go."""
        from axiommind.vectors.sweep import purge

        for prepared in self.home.config.starts_path.glob("*"):  # the folder stays: others may write into it
            prepared.unlink(missing_ok=True)
        with self.home.open_log() as (log, _key), contextlib.ExitStack() as stack:
            self.home.rebuild(log, stack, tick)
        with contextlib.suppress(AxmError), self.home.writing([]) as (_log, _key, index):
            self.notes += [error.message for error in purge(index.db, self.folder)]
