"""What providers say about a call, in numbers: read with care, because anybody's server may answer."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from axiommind.errors import UsageError

if TYPE_CHECKING:
    from axiommind.config import Config

__all__ = ["count", "money", "time_limit"]

# Above what any one call may take, and what timers of every platform can hold.
_MOST_SECONDS = 3_600.0


def time_limit(config: Config) -> float:
    """How many seconds one call may take."""
    seconds = config.extract_seconds
    if not 0 < seconds < math.inf:
        raise UsageError(f"extract.seconds = {seconds:g} is no time limit", hint="a number of seconds above 0")
    return min(seconds, _MOST_SECONDS)


def count(body: Any, *names: str) -> int:
    """The sum of the numbers under these names; what is no number counts nothing."""
    found = [body.get(name) for name in names] if isinstance(body, dict) else []
    return sum(n for n in found if isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 2**53)


def money(value: Any) -> float | None:
    """An amount that the other side states. No price list is kept here, so otherwise nobody knows."""
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e6
    return float(value) if good else None
