"""Preparing the next start of a session: what whoever indexes or learns does last.

Nothing depends on it: where it fails, a start is made from the index.
"""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING

from axiommind.errors import AxmError

if TYPE_CHECKING:
    from axiommind.memory import Memory

__all__ = ["prepare_starts"]


def prepare_starts(memory: Memory) -> None:
    if memory.config.hooks.session_start and memory.config.index_path.exists():
        with contextlib.suppress(AxmError, OSError, sqlite3.Error):
            memory.recall.prepare_starts()
