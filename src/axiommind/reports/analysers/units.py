"""Work units: runs of tool uses in one session without a long pause.

A pause is a gap of more than five minutes between two neighbours that both say when they happened; where a
time is missing there is nothing to measure, so nothing is split.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from axiommind.reports.analysers.tuning import Tuning

MINUTE_MS = 60_000


class ToolStep(NamedTuple):
    """One use of a tool; `counts` is false for one that is only context (a fork's copy, another day)."""

    tool: str
    at: int | None = None
    counts: bool = True


class Unit(NamedTuple):
    session: str
    uses: Sequence[ToolStep]


def split(uses: Sequence[ToolStep], tuning: Tuning | None = None) -> list[Sequence[ToolStep]]:
    """The uses of one session, cut at every pause."""
    pause = (tuning or Tuning()).time_window_minutes * MINUTE_MS
    units: list[Sequence[ToolStep]] = []
    start = 0
    for i in range(1, len(uses)):
        before, after = uses[i - 1].at, uses[i].at
        if before is not None and after is not None and after - before > pause:
            units.append(uses[start:i])
            start = i
    if uses:
        units.append(uses[start:])
    return units
