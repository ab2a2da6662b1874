"""Calibration: the probability that a hit is right, so that scores of different queries can be compared.

A worth is first taken as a share of the question's own, and as less of it where it is mostly meaning: that always finds
something. Fitted by bench/fusion.py on the development sets, each counting the same.
"""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

from axiommind.search.semantic import OF_A_PASSAGE

if TYPE_CHECKING:
    from axiommind.search.rank import Asked

__all__ = ["chance", "share"]

# The logistic curve of first hits among sessions and documents.
SLOPE = 1.2
OFFSET = -1.4
# How much less a worth says where none of the words was found: of the cross-lingual questions 46 % have the right
# passage first, and that is about what their scores say; a question about nothing that is there scores 0.2 to 0.4.
UNFOUND = 2.5


def share(worth: float, asked: Asked) -> float:
    missing = 1.0 - (asked.found or 0.0)
    return worth / (asked.whole or 1.0) / (1.0 + UNFOUND * missing * missing)


def chance(worth: float, asked: Asked, *, is_group: bool) -> float:
    at = share(worth if is_group else worth / OF_A_PASSAGE, asked)
    return 1.0 / (1.0 + exp(-max(min(SLOPE * at + OFFSET, 30.0), -30.0)))
