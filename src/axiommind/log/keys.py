"""The key of a home: redaction marks and seals are HMACs under it, so that a short hash cannot be guessed."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from axiommind.errors import NotWritable

__all__ = ["home_key"]

_NAME = "redaction.key"
_BYTES = 32


def home_key(home: Path) -> bytes:
    """Read the key, or make it once. Two processes that start together end up with the same one."""
    path = home / _NAME
    try:
        key = path.read_bytes()
        if len(key) >= _BYTES:
            return key
        raise NotWritable(f"{path} is damaged ({len(key)} bytes)", hint="restore it from a backup")
    except FileNotFoundError:
        pass
    except OSError as error:
        raise NotWritable(f"{path} cannot be read: {error}") from error
    mine = home / f"{_NAME}.{os.getpid()}"
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
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
        raise NotWritable(
            f"{home} cannot be written: {error}", hint="set AXM_HOME to a folder that you can write"
        ) from error
    finally:
        with contextlib.suppress(OSError):
            mine.unlink()
