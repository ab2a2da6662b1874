"""One thing that `doctor` looked at, and how sizes and shares are written in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Check", "percent", "size_text"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at: `ok`, `note` (good to know), `warn` (do something) or `bad` (broken)."""

    name: str
    status: str
    text: str
    details: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)


def size_text(count: int) -> str:
    """Bytes as a person reads them."""
    value = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError


def percent(part: int, whole: int) -> str:
    """Of a whole, rounded down: 100 % is all of it."""
    return f"{part * 100 // whole if whole else 100} %"
