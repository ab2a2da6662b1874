"""Syncing by itself: after the index of a hook, where the settings say so, and at most as often as they say.

Whatever goes wrong there, the index is made; it is said where the worker's words go, and by `axm sync status`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from axiommind.errors import AxmError, Locked

if TYPE_CHECKING:
    from axiommind.memory import Memory

__all__ = ["sync_by_itself"]


def sync_by_itself(memory: Memory) -> bool:
    """Sync, if that is wanted and due; returns whether anything came."""
    minutes = memory.config.sync_minutes
    if not minutes:
        return False
    try:
        if not memory.sync.is_due(minutes):
            return False
        report = memory.sync.run()
    except Locked:  # somebody else is at it
        return False
    except AxmError as error:
        sys.stderr.write(f"Not synced: {error.message}\n" + (f"  hint: {error.hint}\n" if error.hint else ""))
        return False
    from axiommind.surfaces.render import syncing

    for line in syncing.report(report):
        sys.stderr.write(f"{line}\n")
    return any(one.pulled.segments for one in report.spaces)
