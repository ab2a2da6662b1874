"""Doing the same again and again: files edited unusually often, tools going in circles, one tool on end.

A file is unusual by the z-score of its edits in one session against all (session, file) pairs. Of many files some are
unusual by chance: `outliers` holds that rate by Benjamini and Hochberg's procedure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import erfc, sqrt
from typing import NamedTuple

from axiommind.reports.analysers.tuning import Tuning
from axiommind.reports.analysers.units import ToolStep

SessionFile = tuple[str, str]


# A z of exactly the threshold is a discovery, whatever its last digit became.
_ROUNDING = 1e-9


class Outlier(NamedTuple):
    session: str
    file: str
    edits: int
    mean: float
    z: float
    p: float


class ToolLoop(NamedTuple):
    """`repeats` is the longest chain in the session, up to its last use that counts; `times` the chains."""

    tools: tuple[str, ...]
    repeats: int
    times: int


class Run(NamedTuple):
    tool: str
    length: int


class Spread(NamedTuple):
    mean: float
    deviation: float


def spread(counts: Iterable[int]) -> Spread:
    """The mean and the population's standard deviation; 0 and 0 of nothing."""
    numbers = list(counts)
    if not numbers:
        return Spread(0.0, 0.0)
    mean = sum(numbers) / len(numbers)
    return Spread(mean, sqrt(sum((n - mean) ** 2 for n in numbers) / len(numbers)))


def unusual(edits: Mapping[SessionFile, int], z_threshold: float) -> list[Outlier]:
    """Files whose edits in a session are so many standard deviations above the mean, the furthest first."""
    return [one for one in _above_mean(edits) if one.z >= z_threshold - _ROUNDING]


def outliers(edits: Mapping[SessionFile, int], z_threshold: float) -> list[Outlier]:
    """Files edited more often in a session than chance explains, the furthest first."""
    above = _above_mean(edits)
    return above[: discoveries([o.p for o in above], tail(z_threshold))]


def _above_mean(edits: Mapping[SessionFile, int]) -> list[Outlier]:
    mean, deviation = spread(edits.values())
    if deviation == 0:
        return []
    above = []
    for (session, file), n in edits.items():
        z = (n - mean) / deviation
        if z > 0:
            above.append(Outlier(session, file, n, mean, z, tail(z)))
    above.sort(key=lambda o: (-o.z, o.session, o.file))
    return above


def tail(z: float) -> float:
    """1 - Phi(z)."""
    return erfc(z / sqrt(2)) / 2


def discoveries(ascending: Sequence[float], alpha: float) -> int:
    """Benjamini-Hochberg: how many of the smallest p-values are discoveries at this rate."""
    total = len(ascending)
    rate = alpha * (1 + _ROUNDING)
    return max((k for k, p in enumerate(ascending, start=1) if p <= rate * k / total), default=0)


def loops(uses: Sequence[ToolStep], tuning: Tuning | None = None, *, any_row: bool = False) -> list[ToolLoop]:
    """Two or three tools, not all the same, repeated in a row in one session: longest chain first.

    With `any_row` as v2 counted: four uses of one tool are a loop of two as well.
    """
    tuning = tuning or Tuning()
    least = tuning.loop_min_repeats
    tools = [use.tool for use in uses]
    found: dict[tuple[str, ...], tuple[int, int]] = {}
    for length in range(2, tuning.loop_max_seq_length + 1):
        start = 0
        while start + least * length <= len(tools):
            end = start + length
            while end < len(tools) and tools[end] == tools[end - length]:
                end += 1
            repeats = (end - start) // length
            loop = tuple(tools[start : start + length])
            if repeats < least or (not any_row and _repeats_itself(loop)):
                # What was compared with the period still holds up to here, so nothing can begin before.
                start = max(start + 1, end - length + 1)
                continue
            chain = uses[start : start + repeats * length]
            counted = max((i for i, use in enumerate(chain, start=1) if use.counts), default=0) // length
            if counted >= least:
                longest, times = found.get(loop, (0, 0))
                found[loop] = (max(longest, counted), times + 1)
            start += repeats * length
    ordered = [ToolLoop(tools_, repeats, times) for tools_, (repeats, times) in found.items()]
    return sorted(ordered, key=lambda loop: (-loop.repeats, -loop.times, loop.tools))


def _repeats_itself(loop: Sequence[str]) -> bool:
    """Whether it is a shorter loop, or one tool, several times."""
    size = len(loop)
    return any(size % part == 0 and loop[part:] == loop[:-part] for part in range(1, size // 2 + 1))


def longest_run(uses: Sequence[ToolStep]) -> Run:
    """The longest row of one and the same tool, the first of equals; of length 0 where nothing counts."""
    best = Run("", 0)
    length = 0
    before = None
    for use in uses:
        length = length + 1 if use.tool == before else 1
        before = use.tool
        if use.counts and length > best.length:
            best = Run(use.tool, length)
    return best
