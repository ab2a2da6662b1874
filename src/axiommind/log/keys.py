"""The key of a home: redaction marks and seals are HMACs under it, so that a short hash cannot be guessed."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from axiommind.disk import os_error
from axiommind.errors import NotWritable
from axiommind.private import make_private

__all__ = ["home_key", "key_path", "put_key"]

_NAME = "redaction.key"
_BYTES = 32


def key_path(home: Path) -> Path:
    return home / _NAME


def put_key(home: Path, key: bytes) -> None:
    """Make this the key of the home, in one step."""
    mine = home / f"{_NAME}.{os.getpid()}"
    handle = os.open(mine, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(key)
        file.flush()
        os.fsync(file.fileno())
    mine.replace(key_path(home))


def home_key(home: Path, *, make: bool = True) -> bytes:
    """Read the key, or make it once. Two processes that start together end up with the same one. Who only reads makes
    none: it gets one that nobody has, and what it marks with that goes nowhere."""
    path = key_path(home)
    try:
        key = path.read_bytes()
        if len(key) >= _BYTES:
            return key
        raise NotWritable(
            f"{path} is damaged ({len(key)} bytes)", hint="axm restore FILE brings back one that was made --with-key"
        )
    except FileNotFoundError:
        pass
    except OSError as error:
        raise NotWritable(f"{path} cannot be read: {error}") from error
    if not make:
        return secrets.token_bytes(_BYTES)
    mine = home / f"{_NAME}.{os.getpid()}"
    try:
        make_private(home)
        handle = os.open(mine, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(_BYTES))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(mine, path)  # fails when another process was first: then its key is the key
        except FileExistsError:
            pass
        except OSError:  # a file system without hard links
            if not path.exists():
                mine.replace(path)
        return path.read_bytes()
    except OSError as error:
        raise os_error(error, path) or NotWritable(
            f"{home} cannot be written: {error}", hint="set AXM_HOME to a folder that you can write"
        ) from error
    finally:
        with contextlib.suppress(OSError):
            mine.unlink()
