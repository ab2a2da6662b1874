"""How often each tool was used, in how many sessions, and how often it failed."""

from __future__ import annotations

import sqlite3

from axiommind.reports.perspectives import Params, Perspective, Plot, Row, common
from axiommind.reports.perspectives._filters import PerspectiveFilters

FILTERS = common({"top": 10}, min_count="only tools used at least this often")
COLUMNS = ("tool", "frequency", "sessions", "errors")

SQL = """
    select t.classified_name, count(*) as frequency, count(distinct t.session_id), total(t.is_error = 1)
    from tool_uses t
    where {counts}
      and {tool}
    group by t.classified_name
    having frequency >= :min_count
    order by frequency desc, t.classified_name
    limit :top
"""


def run(db: sqlite3.Connection, params: Params) -> list[Row]:
    filters = PerspectiveFilters.read(db, params, FILTERS)
    sql = SQL.format(counts=filters.counts("t"), tool=filters.names("t.classified_name"))
    return [
        {"tool": tool, "frequency": frequency, "sessions": sessions, "errors": int(errors)}
        for tool, frequency, sessions, errors in db.execute(sql, filters.bound)
    ]


PERSPECTIVE = Perspective(
    name="tool-frequency",
    summary="how often each tool was used",
    columns=COLUMNS,
    run=run,
    filters=FILTERS,
    plot=Plot("bar", x="frequency", y="tool"),
)
