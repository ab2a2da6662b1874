"""Frequent tool sequences.

Every window of two to five neighbours inside a work unit is counted, when its last use counts. Kept are
those seen often enough that no longer one explains: a sequence inside a longer one that is at least as
frequent says nothing of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from axiommind.reports.analysers.tuning import Tuning
from axiommind.reports.analysers.units import Unit

Tools = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Frequent:
    tools: Tools
    count: int
    session_ids: tuple[str, ...]  # in the order of the units

    @property
    def sessions(self) -> int:
        return len(self.session_ids)


class Sequences(NamedTuple):
    """`total` windows were counted, of which `unique` are different; `frequent` are those worth telling."""

    total: int
    unique: int
    frequent: list[Frequent]


class _SequenceTally:
    __slots__ = ("count", "sessions")

    def __init__(self) -> None:
        self.count = 0
        self.sessions: list[str] = []


def count(units: Iterable[Unit], at_least: int, tuning: Tuning | None = None) -> Sequences:
    """The maximal sequences seen at least so often: most frequent first, then longest, then by name.

    The units of one session must follow each other.
    """
    tuning = tuning or Tuning()
    shortest, longest = tuning.min_seq_length, tuning.max_seq_length
    seen: dict[Tools, _SequenceTally] = {}
    total = 0
    for session, uses in units:
        tools = tuple(use.tool for use in uses)
        for end, use in enumerate(uses, start=1):
            if not use.counts:
                continue
            for length in range(shortest, min(longest, end) + 1):
                window = tools[end - length : end]
                tally = seen.get(window)
                if tally is None:
                    tally = seen[window] = _SequenceTally()
                tally.count += 1
                total += 1
                if not tally.sessions or tally.sessions[-1] != session:
                    tally.sessions.append(session)
    often = {tools: tally for tools, tally in seen.items() if tally.count >= at_least}
    explained = {
        inner
        for tools, tally in often.items()
        for inner in _inner(tools, shortest)
        if inner in often and tally.count >= often[inner].count
    }
    kept = [Frequent(t, tally.count, tuple(tally.sessions)) for t, tally in often.items() if t not in explained]
    return Sequences(total, len(seen), sorted(kept, key=lambda f: (-f.count, -len(f.tools), f.tools)))


def frequent(units: Iterable[Unit], at_least: int, tuning: Tuning | None = None) -> list[Frequent]:
    return count(units, at_least, tuning).frequent


def _inner(tools: Tools, shortest: int) -> Iterator[Tools]:
    """Every shorter sequence inside this one."""
    for length in range(shortest, len(tools)):
        for start in range(len(tools) - length + 1):
            yield tools[start : start + length]
