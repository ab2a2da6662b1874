"""Refreshing: a project's entries compared with its code as it is now, and what git knows of their commits."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from axiommind.freshness.state import DRIFTED, FRESH, GONE, UNKNOWN, Freshness, freshness_of

if TYPE_CHECKING:
    from axiommind.home import Home
    from axiommind.projections.entry_rows import EntryRow

__all__ = ["RefreshReport", "StaleEntry", "refresh"]

_STATES = (FRESH, DRIFTED, GONE, UNKNOWN)
_EVERY = 1_000_000
_TYPES = ("fact", "decision", "insight", "reference")


class StaleEntry(NamedTuple):
    """An entry that does not hold as it did."""

    entry: EntryRow
    freshness: Freshness


class RefreshReport(NamedTuple):
    counts: dict[str, int]  # entries by state
    stale: tuple[StaleEntry, ...]  # the gone ones first
    anchored: int  # entries that had no anchors before and have some now
    commits: int  # whose state changed


def refresh(home: Home, project: str | None) -> RefreshReport:
    """Anchor what is not yet, ask git about commits, and compare. Nothing is withdrawn: that is for a person."""
    from axiommind.learning.anchoring import anchor_entries, check_commits
    from axiommind.learning.event_writer import writing
    from axiommind.projections.entry_rows import list_entries
    from axiommind.projections.runner import Segments

    with writing(home) as (log, writer, index):
        commits = check_commits(index.db, writer, project)
        anchored = anchor_entries(index.db, writer, project)
        index.catch_up(log, Segments(log))
        listed = list_entries(
            index.db, types=_TYPES, statuses=("active", "contested"), project=project, every=True, limit=_EVERY
        )
        states = freshness_of(index.db, [one.entry.entry_id for one in listed])
    judged = [StaleEntry(one.entry, states.get(one.entry.entry_id, Freshness())) for one in listed]
    stale = [one for one in judged if one.freshness.state in (DRIFTED, GONE)]
    stale.sort(key=lambda one: one.freshness.state != GONE)
    counts = {state: sum(one.freshness.state == state for one in judged) for state in _STATES}
    return RefreshReport(counts, tuple(stale), anchored.anchored, commits)
