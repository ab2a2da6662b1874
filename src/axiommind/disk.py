"""A disk that is full or fails, by whatever name it is reported, as an error for people."""

from __future__ import annotations

import errno
from pathlib import Path

from axiommind.errors import DiskFull, NotWritable, StoreError

__all__ = ["disk_fails", "disk_full", "no_space", "os_error"]

_LEAST_FREE = 1 << 20  # less than this is none: SQLite writes pages, a write-ahead log and its index


def disk_full(path: Path) -> DiskFull:
    """What is said when there is no room for a file."""
    return DiskFull(
        f"the disk is full: {path} cannot be written",
        hint="free some space on it and run the same command again; what was stored before is safe",
    )


def disk_fails(path: Path, reported: str) -> NotWritable:
    """What is said when the disk itself reports an error."""
    return NotWritable(
        f"{path} cannot be read or written: the disk reports an error ({reported})",
        hint="check the disk that holds it, then run the command again",
    )


def os_error(error: OSError, path: Path) -> StoreError | None:
    """The error of ours that an error of the system means for the file at `path`, if there is one."""
    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return disk_full(path)
    if error.errno == errno.EFBIG:
        return _file_limit(path)
    if error.errno == errno.EIO:
        return disk_fails(path, "EIO")
    return None


def no_space(path: Path) -> DiskFull | None:
    """What SQLite calls an I/O error is most often a disk that is full, or a file that may not grow."""
    import shutil

    try:
        if shutil.disk_usage(path if path.is_dir() else path.parent).free < _LEAST_FREE:
            return disk_full(path)
        import resource  # not on Windows

        if resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY:
            return _file_limit(path)
    except (OSError, ImportError):
        pass
    return None


def _file_limit(path: Path) -> DiskFull:
    return DiskFull(
        f"{path} cannot grow: a limit on the size of files is set for this process",
        hint="raise it (ulimit -f) and run the same command again; what was stored before is safe",
    )
