"""When work went on: stretches of time without a pause of more than five minutes.

What happened alone, with a longer pause on both sides, takes no time; so does a command that ran longer than that.
Both make the sum smaller than what a clock would say, never larger. Sessions that ran side by side count once.
"""

from __future__ import annotations

from collections.abc import Iterable

from axiommind.reports.analysers.tuning import Tuning
from axiommind.reports.analysers.units import MINUTE_MS

__all__ = ["DAY_MS", "PAUSE_MS", "by_day", "stretches", "together", "total"]

PAUSE_MS = Tuning().time_window_minutes * MINUTE_MS  # what ends a unit of work, too
DAY_MS = 86_400_000

Stretch = tuple[int, int]


def stretches(times: Iterable[int]) -> list[Stretch]:
    """Moments (epoch milliseconds, in any order) as stretches from the first to the last of each."""
    found: list[Stretch] = []
    for at in sorted(times):
        if found and at - found[-1][1] <= PAUSE_MS:
            found[-1] = (found[-1][0], at)
        else:
            found.append((at, at))
    return found


def together(each: Iterable[Iterable[Stretch]]) -> list[Stretch]:
    """Stretches of several sessions, where they overlap as one."""
    found: list[Stretch] = []
    for start, end in sorted(one for some in each for one in some):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def total(some: Iterable[Stretch]) -> int:
    return sum(end - start for start, end in some)


def by_day(some: Iterable[Stretch]) -> dict[int, int]:
    """Milliseconds by day (UTC, counted from 1970-01-01), cut at midnight."""
    found: dict[int, int] = {}
    for start, end in some:
        while start < end:
            day = start // DAY_MS
            until = min(end, (day + 1) * DAY_MS)
            found[day] = found.get(day, 0) + until - start
            start = until
    return found
