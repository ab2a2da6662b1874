"""Where distances become similarities, and nowhere else (R2.103): a cosine, from -1 (opposite) to 1 (the same).

A store counts distance in its own way; what leaves it is comparable, so that one threshold means the same everywhere.
"""

from __future__ import annotations

import math
from typing import Literal

__all__ = ["Metric", "cosine", "similarity"]

Metric = Literal["cosine", "squared_l2", "hamming"]


def similarity(distance: float, metric: Metric, dimension: int = 0) -> float:
    """The cosine that a distance stands for; `dimension` is how many bits a Hamming distance is of.

    `cosine` is 1 - cos. `squared_l2` is between unit vectors: 2 - 2 cos. `hamming` counts the axes on whose two sides
    the vectors lie: of random axes that is the share angle / pi, so the cosine is an estimate.
    """
    match metric:
        case "cosine":
            return _within(1.0 - distance)
        case "squared_l2":
            return _within(1.0 - distance / 2.0)
        case "hamming":
            return _within(math.cos(math.pi * distance / dimension))


def cosine(dot: int, squared_a: int, squared_b: int) -> float:
    """The cosine of two vectors of whole numbers, of any length, from their product and their squared lengths."""
    return _within(dot / math.sqrt(squared_a * squared_b))


def _within(value: float) -> float:
    return min(max(value, -1.0), 1.0)
