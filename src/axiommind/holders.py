"""Which processes read a SQLite database right now, so that a person can be told who is in the way.

A reader holds a lock on one of five bytes of the `-shm` file. Linux says who in /proc/locks; elsewhere nobody is named.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

__all__ = ["Holder", "readers_of"]

_LOCKS = Path("/proc/locks")
# WAL_READ_LOCK(0) to WAL_READ_LOCK(4) in SQLite's own numbers, and where they lie in the file.
_FIRST, _LAST = 123, 127


class Holder(NamedTuple):
    """A process that reads, by its number and its command."""

    pid: int
    command: str

    def __str__(self) -> str:
        return f"process {self.pid} ({self.command})" if self.command else f"process {self.pid}"


def readers_of(database: Path) -> tuple[Holder, ...]:
    """Processes in the middle of reading this database; empty where that cannot be found out."""
    try:
        inode = os.stat(f"{database}-shm").st_ino  # noqa: PTH116 - the name has no suffix of its own
        lines = _LOCKS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return ()
    found = {pid for line in lines if (pid := _reader(line.split(), inode)) is not None}
    return tuple(Holder(pid, _command(pid)) for pid in sorted(found))


def _reader(fields: list[str], inode: int) -> int | None:
    """`1: POSIX  ADVISORY  READ 4242 08:01:1234567 123 123`"""
    try:
        kind, pid, place, first, last = fields[1], int(fields[4]), fields[5], int(fields[6]), fields[7]
        is_inode = int(place.rpartition(":")[2]) == inode
        is_inside = first <= _LAST and (last == "EOF" or int(last) >= _FIRST)
    except (IndexError, ValueError):
        return None
    return pid if kind in ("POSIX", "OFDLCK") and pid > 0 and is_inode and is_inside else None


def _command(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return ""
    said = b" ".join(word for word in words if word).decode("utf-8", "replace")
    shown = "".join(char if char.isprintable() else "?" for char in said)
    return shown if len(shown) <= 80 else shown[:79] + "…"
