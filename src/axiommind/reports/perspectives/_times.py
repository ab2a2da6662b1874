"""Epoch milliseconds as UTC text, in SQL. A week starts on Monday."""

from __future__ import annotations


def moment(column: str) -> str:
    return f"strftime('%Y-%m-%dT%H:%M:%SZ', {column} / 1000, 'unixepoch')"


def day(column: str) -> str:
    return f"date({column} / 1000, 'unixepoch')"


def monday(column: str) -> str:
    return f"date({column} / 1000, 'unixepoch', 'weekday 0', '-6 days')"


def month(column: str) -> str:
    return f"strftime('%Y-%m', {column} / 1000, 'unixepoch')"
