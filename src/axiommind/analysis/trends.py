"""The straight line through a tool's weekly counts.

A week without the tool counts zero. A slope that explains less than 0.3 of the variance is noise and is
reported as 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

LEAST_R_SQUARED = 0.3


class Trend(NamedTuple):
    slope: float
    r_squared: float


def fit(counts: Mapping[int, int], weeks: int) -> Trend:
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
    return Trend(slope if r_squared >= LEAST_R_SQUARED else 0.0, r_squared)
