"""Which tool follows which, and how surely.

`tool` is the tool that comes first. A pair belongs to its second use: that one decides whether it counts. With `since`
or `until` both uses have to lie within. `probability` is a share of everything that followed `from_tool` under the same
filters; `min_count` and `top` only hide rows.
"""

from __future__ import annotations

import sqlite3

from axiommind.reports.perspectives import Params, Perspective, Plot, Row, common
from axiommind.reports.perspectives._filters import PerspectiveFilters

FILTERS = common(
    {},
    tool="only what follows this tool (classified name; a pattern when it contains %)",
    min_count="only pairs seen at least this often",
)
COLUMNS = ("to_tool", "count", "probability", "from_tool")

DERIVED = """
      select from_tool, to_tool, count, probability
      from tool_transitions
"""

RAW = """
      select from_tool, to_tool, count, 1.0 * count / sum(count) over (partition by from_tool) as probability
      from (
        select from_tool, to_tool, count(*) as count
        from (
          select lag(t.classified_name) over uses as from_tool, lag(t.timestamp) over uses as from_at,
            t.classified_name as to_tool, ({counts}) as counts
          from tool_uses t
          where {of_session}
          window uses as (partition by t.session_id, t.subagent order by t.seq_order)
        )
        where counts
          and from_tool is not null
          and {from_during}
        group by from_tool, to_tool
      )
"""

SQL = """
    select to_tool, count, probability, from_tool
    from ({pairs})
    where {tool}
      and count >= :min_count
    order by probability desc, count desc, from_tool, to_tool
    limit :top
"""


def run(db: sqlite3.Connection, params: Params) -> list[Row]:
    filters = PerspectiveFilters.read(db, params, FILTERS)
    raw = filters.timed or filters.session is not None
    pairs = DERIVED
    if raw:
        pairs = RAW.format(
            counts=filters.counts("t"),
            from_during=filters.during("from_at"),
            of_session=filters.of_session("t.session_id"),
        )
    found = db.execute(SQL.format(pairs=pairs, tool=filters.names("from_tool")), filters.bound)
    return [dict(zip(COLUMNS, row, strict=True)) for row in found]


PERSPECTIVE = Perspective(
    name="transitions",
    summary="which tool follows which, and how surely",
    columns=COLUMNS,
    run=run,
    filters=FILTERS,
    plot=Plot("heat", x="to_tool", y="from_tool", color="probability"),
)
