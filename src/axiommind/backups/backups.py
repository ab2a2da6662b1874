"""Backups of a home: made by hand or by themselves, listed, and restored."""

from __future__ import annotations

import builtins
import contextlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from axiommind.backups.archive import BackupInfo, check, read_info, write
from axiommind.backups.automatic import automatic_files, back_up_daily, folder_of
from axiommind.backups.copies import purge_copies
from axiommind.backups.kept import kept_files
from axiommind.backups.restoring import RestoreReport, restore
from axiommind.callers import Caller
from axiommind.errors import AxmError, NotFound, PersonOnly
from axiommind.home import Home
from axiommind.private import make_private
from axiommind.projections.following import folded_from, has_log, require_log

__all__ = ["Backups", "KnownBackup"]

# Backups that a person made, so that they are found again: a path on each line.
_MADE = "made.txt"


class KnownBackup(NamedTuple):
    """A backup, or a log or an index that was kept aside."""

    path: Path
    kind: str  # automatic, yours, kept
    size: int
    info: BackupInfo | None = None
    problem: str = ""


class Backups:
    """Makes, lists and restores backups of one home."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def make(
        self,
        file: Path,
        *,
        with_key: bool = False,
        with_config: bool = False,
        overwrite: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> BackupInfo:
        """Back up the log into one file, while it is in use, and check the file."""
        config = self.home.config
        if not has_log(config.log_path):
            require_log(folded_from(config.index_path), None, config.index_path, config.log_path)
            raise NotFound(f"there is no log at {config.log_path} yet", hint="run: axm index")
        target = file.expanduser().absolute()
        settings = config.home / "config.toml"
        with self.home.open_log() as (_log, key):
            made = write(
                config.log_path,
                target,
                key=key if with_key else b"",
                config=settings.read_bytes() if with_config and settings.is_file() else b"",
                overwrite=overwrite,
                tick=progress,
            )
        self._note(target)
        return made

    def daily(self, *, is_first: bool = True) -> Path | None:
        """Make the backup of the day, if it is due and wanted, and take what was forgotten out of the others."""
        config = self.home.config
        if self.home.is_sample or not has_log(config.log_path):
            return None
        with self.home.open_log() as (log, key):
            purge_copies(config.home, key, log.path)
            if not config.backup_daily:
                return None
            limit = config.backup_megabytes << 20
            return back_up_daily(config.home, log, key, limit, is_first=is_first, now=time.time())

    def list(self) -> builtins.list[KnownBackup]:
        """Every backup that this home knows, and what was kept aside, oldest first."""
        home = self.home.config.home
        found = [(path, "automatic") for path in automatic_files(home)]
        found += [(path, "yours") for path in self._made()]
        found += [(path, "kept") for name in ("log.db", "index.db") for path in kept_files(home, name)]
        known = [_known(path, kind) for path, kind in found]
        return sorted(known, key=lambda one: (one.info.made_at if one.info else "", str(one.path)))

    def check(self, file: Path) -> BackupInfo:
        """Prove that a backup is what was written."""
        return check(file.expanduser().absolute())

    def restore(
        self, file: Path, *, progress: Callable[[int, int], None] | None = None, caller: Caller | None = None
    ) -> RestoreReport:
        """Make a backup the log of this home. The log that is there is kept aside; only a person replaces one."""
        who = caller or self.home.caller
        if self.home.config.log_path.exists() and not who.is_person:
            raise PersonOnly("only a person can replace the log", who.why)
        return restore(self.home, file.expanduser().absolute(), progress)

    def _note(self, target: Path) -> None:
        made = self._made()
        if target not in made:
            folder = folder_of(self.home.config.home)
            make_private(folder)
            with (folder / _MADE).open("a", encoding="utf-8") as file:
                file.write(json.dumps(str(target)) + "\n")

    def _made(self) -> builtins.list[Path]:
        found: dict[Path, None] = {}
        with contextlib.suppress(OSError):
            for line in (folder_of(self.home.config.home) / _MADE).read_text(encoding="utf-8").splitlines():
                with contextlib.suppress(ValueError):
                    found[Path(str(json.loads(line)))] = None
        return [*found]


def _known(path: Path, kind: str) -> KnownBackup:
    try:
        size = path.stat().st_size
    except OSError:
        return KnownBackup(path, kind, 0, problem="not there any more")
    if kind == "kept":
        return KnownBackup(path, kind, size)
    try:
        return KnownBackup(path, kind, size, read_info(path))
    except AxmError as error:
        return KnownBackup(path, kind, size, problem=error.message)
