"""Files: those edited most often, and those that change together.

A hot file counts its edits; its sessions are also those that only read it. Two files change together in a session that
edited both; a session that edited one file, or more than fifty, says nothing about pairs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

FEWEST_FILES = 2
MOST_FILES = 50
LEAST_SESSIONS = 2
MOST_PAIRS = 20


class Touch(NamedTuple):
    """One use of a tool on a file; `edits` is false where it was only read."""

    session: str
    file: str
    tool: str
    edits: bool


class HotFile(NamedTuple):
    """`tools` used on it with their counts, most used first."""

    file: str
    edits: int
    sessions: int
    tools: list[tuple[str, int]]


class ChangedPair(NamedTuple):
    files: tuple[str, str]
    sessions: int


def hot_files(touches: Iterable[Touch]) -> list[HotFile]:
    """Every file that was edited, the most often edited first."""
    edits: Counter[str] = Counter()
    sessions: dict[str, set[str]] = {}
    tools: dict[str, Counter[str]] = {}
    for session, file, tool, edited in touches:
        edits[file] += edited
        sessions.setdefault(file, set()).add(session)
        tools.setdefault(file, Counter())[tool] += 1
    found = [HotFile(file, n, len(sessions[file]), most_first(tools[file])) for file, n in edits.items() if n]
    return sorted(found, key=lambda f: (-f.edits, -f.sessions, f.file))


def changed_together(touches: Iterable[Touch], top: int = MOST_PAIRS) -> list[ChangedPair]:
    """The pairs of files edited in the same sessions, two at least, most often first."""
    edited: dict[str, set[str]] = {}
    for session, file, _, edits in touches:
        if edits:
            edited.setdefault(session, set()).add(file)
    pairs = Counter(
        pair
        for files in edited.values()
        if FEWEST_FILES <= len(files) <= MOST_FILES
        for pair in combinations(sorted(files), 2)
    )
    found = [ChangedPair(pair, n) for pair, n in pairs.items() if n >= LEAST_SESSIONS]
    return sorted(found, key=lambda p: (-p.sessions, p.files))[:top]


def most_first(counts: Counter[str]) -> list[tuple[str, int]]:
    """Names with their counts: the largest first, equals by name."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
