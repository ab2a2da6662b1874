"""Which files this process opens: what a run with nothing new must not do."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

__all__ = ["opened"]

_watching: list[tuple[str, list[str]]] = []


@contextmanager
def opened(folder: Path) -> Iterator[list[str]]:
    """The files in a folder that are opened, also as databases, while this lasts: those too that are not there."""
    _listen()
    watch = (f"{folder}{os.sep}", list[str]())
    _watching.append(watch)
    try:
        yield watch[1]
    finally:
        _watching.remove(watch)


@cache
def _listen() -> None:
    """A hook of the interpreter's, which cannot be taken away again: it stays for the process, and for all tests."""
    sys.addaudithook(_hear)


def _hear(event: str, args: tuple[object, ...]) -> None:
    if _watching and event in ("open", "sqlite3.connect"):
        path = os.fsdecode(args[0]) if isinstance(args[0], (str, bytes)) else str(args[0])
        for folder, found in _watching:
            if folder in path:  # a database is named by a URI
                found.append(path)
