"""Automatic backups: one a day in the home, three kept, of what cannot be read again from disk.

Those of another log than the present one (one that was lost, or replaced by a restore) do not make room for the
present one's: three of them are kept besides.
"""

from __future__ import annotations

import calendar
import contextlib
import time
from pathlib import Path

from axiommind.backups.archive import BackupInfo, read_info, remove_parts, write
from axiommind.backups.selection import precious
from axiommind.errors import AxmError
from axiommind.locks import alone
from axiommind.log.sqlite import SqliteLog
from axiommind.private import make_private

__all__ = ["automatic_files", "back_up_daily", "folder_of"]

_KEPT = 3
_DAY_S = 86_400
_STAMP = "%Y%m%dT%H%M%SZ"


def folder_of(home: Path) -> Path:
    return home / "backups" / "log"


def automatic_files(home: Path) -> list[Path]:
    """The automatic backups of a home, oldest first."""
    return sorted(path for path in folder_of(home).glob("*.db") if not path.name.startswith("."))


def back_up_daily(home: Path, log: SqliteLog, key: bytes, limit: int, *, is_first: bool, now: float) -> Path | None:
    """Make a backup if the newest is a day old and something happened since; None when there was nothing to do. The
    very first one only if `is_first`."""
    folder = folder_of(home)
    make_private(folder)
    with alone(folder / "lock") as ours:
        if not ours:
            return None
        own = [info for info in _readable(home) if info.log == log.identity().name]
        last = log.last_position()
        if not last or not (is_first or own) or (own and not _is_due(own[-1], last, now)):
            return None
        remove_parts(folder, ".*.part-*")
        target = folder / f"{time.strftime(_STAMP, time.gmtime(now))}.db"
        write(log.path, target, key=key, overwrite=True, selection=precious(limit))
        _make_room(home, log.identity().name)
        return target


def _is_due(newest: BackupInfo, last: int, now: float) -> bool:
    # By the name, because forgetting writes the file anew; a clock that went back does not stop backups for long.
    with contextlib.suppress(ValueError):
        made = calendar.timegm(time.strptime(newest.path.stem, _STAMP))
        if abs(now - made) < _DAY_S:
            return False
    return newest.events < last


def _readable(home: Path) -> list[BackupInfo]:
    found = []
    for path in automatic_files(home):
        with contextlib.suppress(AxmError, OSError):
            found.append(read_info(path))
    return found


def _make_room(home: Path, name: str) -> None:
    found = _readable(home)
    own = [info.path for info in found if info.log == name]
    others = [info.path for info in found if info.log != name]
    for path in [*own[:-_KEPT], *others[:-_KEPT]]:
        path.unlink(missing_ok=True)
