"""Locks that end with their process, however it ends: a file that is locked, never one that merely exists.

Where a file system has no locks, whoever asks goes ahead: two at once find out by the log, which takes everything once.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from axiommind.private import make_private

__all__ = ["alone", "is_held", "is_running", "lease"]

_REFUSED = (errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK)


@contextlib.contextmanager
def alone(path: Path) -> Iterator[bool]:
    """Whether this process is the only one that holds this lock; the file stays."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield _locked(file)
    finally:
        os.close(file)


def is_held(path: Path) -> bool:
    """Whether some process holds this lock now."""
    try:
        file = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        return not _locked(file)
    finally:
        os.close(file)


@contextlib.contextmanager
def lease(path: Path) -> Iterator[bool]:
    """The same for one of many things: its file is removed afterwards."""
    make_private(path.parent)
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    is_ours = False
    try:
        is_ours = _locked(file) and _is_named(file, path)
        yield is_ours
    finally:
        if is_ours and os.name != "nt":  # which removes no file that is open
            path.unlink(missing_ok=True)
        os.close(file)


def is_running(pid: str) -> bool:
    """Whether another process has this number: then a file that is named after it is its own."""
    if not pid.isdigit() or int(pid) == os.getpid():
        return False
    if os.name == "nt":  # os.kill would end the process there; a file in use cannot be unlinked there anyway
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _is_named(file: int, path: Path) -> bool:
    """Who had the lock before may have removed the file: then this is a lock that nobody else would meet."""
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except OSError:
        return False


def _locked(file: int) -> bool:
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _REFUSED
    return True
