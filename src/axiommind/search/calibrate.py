"""What a worth says: the chance that the hit is right, so that scores of different questions can be compared.

A worth is first taken as a share of the question's own. Fitted by bench/fusion.py on the development sets.
"""

from __future__ import annotations

from math import exp

__all__ = ["chance"]

# (slope, offset) of the logistic curve: of sessions and documents, and of single passages.
OF_GROUPS = (1.9, -2.1)
OF_PASSAGES = (1.9, -2.1)


def chance(share: float, *, is_group: bool) -> float:
    slope, offset = OF_GROUPS if is_group else OF_PASSAGES
    return 1.0 / (1.0 + exp(-max(min(slope * share + offset, 30.0), -30.0)))
