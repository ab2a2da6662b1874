"""What is kept aside: the log and the index that a restore or a new beginning took the place of, each time in a folder
of its own. Nothing here is ever removed by the program, except the text of what is forgotten.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from axiommind import db as sqlite
from axiommind.private import make_private

__all__ = ["keep_copy", "kept_files", "new_folder"]

_FOLDER = "kept"


def new_folder(home: Path) -> Path:
    """A folder that is not there yet, named after the time."""
    base = home / _FOLDER
    make_private(base)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    for count in range(1_000_000):
        folder = base / (f"{stamp}-{count}" if count else stamp)
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            continue
        return folder
    raise AssertionError


def kept_files(home: Path, name: str) -> list[Path]:
    """The files of this name (`log.db`, `index.db`) that were kept aside, oldest first."""
    return sorted((home / _FOLDER).glob(f"*/{name}"))


def keep_copy(path: Path, folder: Path) -> Path:
    """Copy a database into the folder, with what is in its write-ahead log; a damaged one byte by byte."""
    target = folder / path.name
    part = folder / f".{path.name}.part-{os.getpid()}"
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    try:
        with closing(sqlite.open_read(path)) as live, closing(sqlite3.connect(part)) as copy:
            live.backup(copy)
            copy.execute("pragma journal_mode=delete")
    except sqlite3.DatabaseError as error:
        if not sqlite.is_damage(error):
            raise sqlite.store_error(error, target) or error from error
        for suffix in ("", "-wal"):
            beside = path.with_name(path.name + suffix)
            if beside.exists():
                shutil.copyfile(beside, part if not suffix else target.with_name(target.name + suffix))
    part.replace(target)
    return target
