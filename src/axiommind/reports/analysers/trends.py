"""Weeks, and the straight line through a tool's weekly counts.

A week starts on Monday, UTC, and is named as ISO 8601 does. `weekly` draws the line through the weeks in which
something happened, one after the other, as v2 did: a week without the tool counts zero, one without any work is no
point. A slope that explains less than 0.3 of the variance is noise and is reported as 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from axiommind.reports.analysers.activity import DAY_MS
from axiommind.reports.analysers.tuning import Tuning

WEEK_MS = 7 * DAY_MS
FIRST_MONDAY_MS = 4 * DAY_MS  # 1970-01-05
_END_MS = 253_402_300_800_000  # the year 10000: no time that anybody can name


class Trend(NamedTuple):
    slope: float
    r_squared: float


class ToolEvent(NamedTuple):
    """Something that happened in a session: a prompt (no tool, no file), the use of a tool, the edit of a file."""

    at: int | None
    session: str
    tool: str | None = None
    file: str | None = None


@dataclass(slots=True)
class Week:
    name: str
    prompts: int = 0
    tools: Counter[str] = field(default_factory=Counter)
    sessions: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)


class Weekly(NamedTuple):
    """The weeks in which something happened, by their number since 1970, and the trend of each tool."""

    weeks: dict[int, Week]
    trends: dict[str, Trend]


def week_of(at: int) -> int:
    """The number of the week that a moment lies in; week 0 starts on the first Monday of 1970."""
    return (at - FIRST_MONDAY_MS) // WEEK_MS


def starts_week(at: int) -> bool:
    """Whether a moment is a Monday's first."""
    return (at - FIRST_MONDAY_MS) % WEEK_MS == 0


def week_name(number: int) -> str:
    """`2026-W02`."""
    year, week, _ = datetime.fromtimestamp((number * WEEK_MS + FIRST_MONDAY_MS) // 1000, UTC).isocalendar()
    return f"{year:04d}-W{week:02d}"


def weekly(events: Iterable[ToolEvent], tuning: Tuning | None = None) -> Weekly:
    """What happened week by week; what does not say when is in no week."""
    weeks: dict[int, Week] = {}
    for at, session, tool, file in events:
        if at is None or not 0 < at < _END_MS:
            continue
        number = week_of(at)
        week = weeks.get(number)
        if week is None:
            week = weeks[number] = Week(week_name(number))
        week.sessions.add(session)
        if file is not None:
            week.files.add(file)
        elif tool is not None:
            week.tools[tool] += 1
        else:
            week.prompts += 1
    ordered = dict(sorted(weeks.items()))
    by_tool: dict[str, dict[int, int]] = {}
    for place, week in enumerate(ordered.values()):
        for tool, n in week.tools.items():
            by_tool.setdefault(tool, {})[place] = n
    return Weekly(ordered, {tool: fit(counts, len(ordered), tuning) for tool, counts in sorted(by_tool.items())})


def fit(counts: Mapping[int, int], weeks: int, tuning: Tuning | None = None) -> Trend:
    """Least squares over weeks 0 … weeks - 1, where `counts` holds only the weeks that are not zero."""
    if weeks < 2:
        return Trend(0.0, 0.0)
    middle = (weeks - 1) / 2
    mean = sum(counts.values()) / weeks
    var_week = weeks * (weeks * weeks - 1) / 12
    covariance = sum((week - middle) * count for week, count in counts.items())
    var_count = sum((count - mean) ** 2 for count in counts.values()) + (weeks - len(counts)) * mean**2
    if var_count == 0:
        return Trend(0.0, 0.0)
    slope = covariance / var_week
    r_squared = covariance**2 / (var_week * var_count)
    least = (tuning or Tuning()).min_trend_r_squared
    return Trend(slope if r_squared >= least else 0.0, r_squared)
