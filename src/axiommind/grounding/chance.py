"""What a share of a few is worth, and how much looks used by chance. Light, because hooks weigh with it."""

from __future__ import annotations

from math import sqrt

__all__ = ["CHANCE_AT_MOST", "FEW", "bounds", "chance"]

FEW = 10  # items that can be judged: of fewer nothing is said
_Z = 1.645  # nineteen times in twenty the share is above the lower bound, and as often below the upper one
# Of 199 things that hooks would have given to agents of the development transcripts, who were given nothing, 5 look
# used (`bench/replay.py`): 2.5 %, and 5 % at most. Things that fit a prompt look used more often than controls, so no
# share below that is called more than chance; and controls have to be this many to count for as much.
_CHANCE, CHANCE_AT_MOST, _CHANCE_WEIGHT = 0.025, 0.05, 20


def bounds(used: float, total: float) -> tuple[float, float]:
    """Between what a share lies of which `used` of `total` were seen."""
    if total <= 0:
        return 0.0, 1.0
    share, square = used / total, _Z * _Z
    middle = share + square / (2 * total)
    spread = _Z * sqrt(share * (1 - share) / total + square / (4 * total * total))
    return max((middle - spread) / (1 + square / total), 0.0), min((middle + spread) / (1 + square / total), 1.0)


def chance(by_chance: float, controls: float) -> float:
    """The share that looks used without having been given, from few controls too."""
    return (by_chance + _CHANCE * _CHANCE_WEIGHT) / (controls + _CHANCE_WEIGHT)
