"""Epoch milliseconds as UTC text, in SQL. A week starts on Monday."""

from __future__ import annotations

DAY_MS = 86_400_000
WEEK_MS = 7 * DAY_MS
FIRST_MONDAY_MS = 4 * DAY_MS  # 1970-01-05


def moment(column: str) -> str:
    return f"strftime('%Y-%m-%dT%H:%M:%SZ', {column} / 1000, 'unixepoch')"


def day(column: str) -> str:
    return f"date({column} / 1000, 'unixepoch')"


def monday(column: str) -> str:
    return f"date({column} / 1000, 'unixepoch', 'weekday 0', '-6 days')"


def month(column: str) -> str:
    return f"strftime('%Y-%m', {column} / 1000, 'unixepoch')"


def starts_week(at: int) -> bool:
    """Whether a moment is a Monday's first."""
    return (at - FIRST_MONDAY_MS) % WEEK_MS == 0
