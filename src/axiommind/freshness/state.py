"""The state of entries against the code: fresh, drifted, gone or unknown.

Read at the moment when something is about to be said, so it costs one question to the index and a look at the files
that the entries are anchored to, each once. An entry without anchors, or whose project is not on this machine, is
unknown, and is said as it always was.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

__all__ = ["DRIFTED", "FRESH", "GONE", "UNKNOWN", "Freshness", "freshness_of"]

FRESH, DRIFTED, GONE, UNKNOWN = "fresh", "drifted", "gone", "unknown"
_AT_ONCE = 200
_ANCHORS = """
    select a.entry_id, e.project, a.path, a.symbol, a.hash, a.commit_id, a.commit_state
    from entry_anchors a
    join entries e on e.entry_id = a.entry_id
    where a.entry_id in ({places})
    order by a.entry_id, a.seq_order
"""


class Freshness(NamedTuple):
    state: str = UNKNOWN
    why: str = ""  # what changed, for whoever is told

    @property
    def label(self) -> str:
        """What is said beside a claim that does not hold as it did; nothing otherwise."""
        return f"{self.state}: {self.why}" if self.state in (DRIFTED, GONE) else ""


class _Files:
    """The project files that were looked at, each read once."""

    def __init__(self) -> None:
        self._read: dict[tuple[str, str], bytes | None] = {}
        self._here: dict[str, bool] = {}

    def has_folder(self, root: str) -> bool:
        if root not in self._here:
            self._here[root] = Path(root).is_dir()
        return self._here[root]

    def content(self, root: str, path: str) -> bytes | None:
        from axiommind.freshness.contents import read_file

        if (root, path) not in self._read:
            self._read[root, path] = read_file(root, path)
        return self._read[root, path]


def freshness_of(db: sqlite3.Connection, entries: Collection[str]) -> dict[str, Freshness]:
    """The freshness of each of these entries; those without anchors are left out."""
    names = list(dict.fromkeys(entries))
    anchors: dict[str, list[tuple[str, ...]]] = {}
    roots: dict[str, str] = {}
    for start in range(0, len(names), _AT_ONCE):
        some = names[start : start + _AT_ONCE]
        try:
            rows = db.execute(_ANCHORS.format(places=", ".join("?" * len(some))), some).fetchall()
        except sqlite3.OperationalError:  # an index that was made before there were anchors
            return {}
        for entry, project, *anchor in rows:
            roots[entry] = project
            anchors.setdefault(entry, []).append(tuple(anchor))
    files = _Files()
    return {entry: _judge(files, roots[entry], found) for entry, found in anchors.items()}


def _judge(files: _Files, root: str, anchors: list[tuple[str, ...]]) -> Freshness:
    """All that it speaks of is gone, some of it changed, or nothing did."""
    judged = [_one(files, root, *anchor) for anchor in anchors]
    known = [one for one in judged if one.state != UNKNOWN]
    if not known:
        return Freshness()
    reverted = next((one for one in known if one.state == GONE and one.why.startswith("commit ")), None)
    if reverted is not None:
        return reverted
    if all(one.state == GONE for one in known):
        return known[0]
    changed = [one.why for one in known if one.state != FRESH]
    if not changed:
        return Freshness(FRESH)
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    return Freshness(DRIFTED, f"{changed[0]}{more}")


def _one(files: _Files, root: str, path: str, symbol: str, before: str, commit: str, state: str) -> Freshness:
    from axiommind.freshness.contents import fingerprint

    if commit:
        return _commit(commit, state)
    if not path or not before or not files.has_folder(root):
        return Freshness()
    content = files.content(root, path)
    if content is None:
        if os.path.lexists(Path(root, path)):  # too large by now, or not to be read: nobody can tell
            return Freshness()
        return Freshness(GONE, f"{path} is gone")
    now = fingerprint(content, symbol)
    if now == before:
        return Freshness(FRESH)
    name = path.rpartition("/")[2]
    if symbol and not now:
        return Freshness(GONE, f"{symbol} is no longer in {name}")
    return Freshness(DRIFTED, f"{symbol} in {name} changed since" if symbol else f"{name} changed since")


def _commit(commit: str, state: str) -> Freshness:
    if state == "reverted":
        return Freshness(GONE, f"commit {commit[:9]} was reverted")
    if state == "unreachable":
        return Freshness(DRIFTED, f"commit {commit[:9]} is on no branch")
    return Freshness(FRESH) if state == "reachable" else Freshness()
