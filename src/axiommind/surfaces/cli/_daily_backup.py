"""The backup of the day: what whoever indexes or learns in the background does last.

Whatever goes wrong there, the index is made; it is said where the worker's words go, and by `axm doctor`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from axiommind.errors import AxmError

if TYPE_CHECKING:
    from axiommind.memory import Memory

__all__ = ["back_up_by_itself"]


def back_up_by_itself(memory: Memory, *, is_first: bool = True) -> None:
    """Make the backup of the day, if it is due; in the foreground not the first one of all, which nobody has to wait
    for."""
    try:
        memory.backups.daily(is_first=is_first)
    except AxmError as error:
        sys.stderr.write(f"Not backed up: {error.message}\n" + (f"  hint: {error.hint}\n" if error.hint else ""))
    except OSError as error:
        sys.stderr.write(f"Not backed up: {error.strerror or error}\n")
