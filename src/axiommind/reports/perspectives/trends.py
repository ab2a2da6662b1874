"""Tool uses and prompts per week, with the straight line through each tool's weeks.

Weeks start on Monday, UTC; prompts are counted under the name `(prompts)`. `since` keeps the weeks that start
on or after it, so that no week is shown in part at the front; `until` cuts the last week. `slope` (uses per
week, each week) and `r_squared` are taken over all weeks from the first to the last shown, whatever `tool`,
`min_count` and `top` then hide; a slope whose r² is below 0.3 is shown as 0.
"""

from __future__ import annotations

import sqlite3

from axiommind.reports.analysers.trends import WEEK_MS, fit, starts_week
from axiommind.reports.perspectives import Params, Perspective, Plot, Row, common
from axiommind.reports.perspectives._filters import PerspectiveFilters
from axiommind.reports.perspectives._times import monday

FILTERS = common(
    {},
    since="only weeks that start on or after this time (UTC)",
    tool="only this tool, or (prompts) (classified name; a pattern when it contains %)",
    min_count="only weeks in which the tool was used at least this often",
)
COLUMNS = ("week_start", "tool_name", "count", "session_count", "slope", "r_squared")

DERIVED = """
      select week_start, tool_name, count, session_count
      from weekly_buckets
"""

RAW = f"""
      select {monday("t.timestamp")} as week_start, t.classified_name as tool_name,
        count(*) as count, count(distinct t.session_id) as session_count
      from tool_uses t
      where {{uses}}
        and t.timestamp > 0
      group by week_start, t.classified_name
      union all
      select {monday("p.timestamp")} as week_start, '(prompts)', count(*), count(distinct p.session_id)
      from prompts p
      where {{prompts}}
        and p.timestamp > 0
      group by week_start
"""

SQL = """
    select week_start, tool_name, count, session_count, begins, {tool}
    from (
      select *, cast(strftime('%s', week_start) as integer) * 1000 as begins
      from ({weeks})
    )
    where (:since is null or begins >= :since)
      and (:until is null or begins < :until)
    order by week_start, count desc, tool_name
"""


def run(db: sqlite3.Connection, params: Params) -> list[Row]:
    filters = PerspectiveFilters.read(db, params, FILTERS)
    cuts_a_week = filters.until is not None and not starts_week(filters.until)
    raw = cuts_a_week or filters.session is not None
    weeks = RAW.format(uses=filters.counts("t"), prompts=filters.counts("p")) if raw else DERIVED
    found = db.execute(SQL.format(weeks=weeks, tool=filters.names("tool_name")), filters.bound).fetchall()
    if not found:
        return []
    first, last = found[0][4], found[-1][4]
    by_tool: dict[str, dict[int, int]] = {}
    for _, tool, count, _, begins, _ in found:
        by_tool.setdefault(tool, {})[(begins - first) // WEEK_MS] = count
    lines = {tool: fit(counts, (last - first) // WEEK_MS + 1) for tool, counts in by_tool.items()}
    return filters.cut(
        [
            {
                "week_start": week,
                "tool_name": tool,
                "count": count,
                "session_count": sessions,
                "slope": round(lines[tool].slope, 2),
                "r_squared": round(lines[tool].r_squared, 2),
            }
            for week, tool, count, sessions, _, wanted in found
            if wanted and count >= filters.min_count
        ]
    )


PERSPECTIVE = Perspective(
    name="trends",
    summary="tool uses and prompts per week",
    columns=COLUMNS,
    run=run,
    filters=FILTERS,
    plot=Plot("line", x="week_start", y="count", color="tool_name"),
)
