"""The tool uses of every session in order, each marked whether it counts under the filters.

Uses that do not count are kept between those that do, so that nobody sees neighbours that never were.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from axiommind.reports.analysers.units import ToolStep, Unit, split
from axiommind.reports.perspectives._filters import PerspectiveFilters

IN_ORDER = """
    select t.session_id, t.subagent, t.classified_name, t.timestamp, ({counts}) as counts
    from tool_uses t
    where {of_session}
    order by t.session_id, t.subagent, t.seq_order
"""


def by_session(db: sqlite3.Connection, filters: PerspectiveFilters) -> Iterator[tuple[str, list[ToolStep]]]:
    """Every session in which something counts, with all its uses; a subagent's, that it tells of, by themselves."""
    sql = IN_ORDER.format(counts=filters.counts("t"), of_session=filters.of_session("t.session_id"))
    for (session, _), rows in groupby(db.execute(sql, filters.bound), key=itemgetter(0, 1)):
        uses = [ToolStep(tool, at, bool(counts)) for _, _, tool, at, counts in rows]
        if any(use.counts for use in uses):
            yield session, uses


def units(db: sqlite3.Connection, filters: PerspectiveFilters) -> Iterator[Unit]:
    """The work units of those sessions."""
    for session, uses in by_session(db, filters):
        for unit in split(uses):
            yield Unit(session, unit)
