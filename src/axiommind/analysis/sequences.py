"""Frequent tool sequences.

Every window of two to five neighbours inside a work unit is counted, when its last use counts. Kept are
those seen often enough that no longer one explains: a sequence inside a longer one that is at least as
frequent says nothing of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from axiommind.analysis.units import Unit

SHORTEST = 2
LONGEST = 5

Tools = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Frequent:
    tools: Tools
    count: int
    sessions: int


def frequent(units: Iterable[Unit], at_least: int) -> list[Frequent]:
    """The maximal sequences seen at least so often: most frequent first, then longest, then by name.

    The units of one session must follow each other.
    """
    seen: dict[Tools, list[int]] = {}  # count, sessions, number of the last session
    sessions: dict[str, int] = {}
    for session, uses in units:
        number = sessions.setdefault(session, len(sessions))
        tools = tuple(use.tool for use in uses)
        for end, use in enumerate(uses, start=1):
            if not use.counts:
                continue
            for length in range(SHORTEST, min(LONGEST, end) + 1):
                tally = seen.setdefault(tools[end - length : end], [0, 0, -1])
                tally[0] += 1
                if tally[2] != number:
                    tally[1] += 1
                    tally[2] = number
    often = {tools: tally for tools, tally in seen.items() if tally[0] >= at_least}
    explained = {
        inner
        for tools, tally in often.items()
        for inner in _inner(tools)
        if inner in often and tally[0] >= often[inner][0]
    }
    kept = [Frequent(tools, tally[0], tally[1]) for tools, tally in often.items() if tools not in explained]
    return sorted(kept, key=lambda f: (-f.count, -len(f.tools), f.tools))


def _inner(tools: Tools) -> Iterator[Tools]:
    """Every shorter sequence inside this one."""
    for length in range(SHORTEST, len(tools)):
        for start in range(len(tools) - length + 1):
            yield tools[start : start + length]
