"""Tokens by time and model, each answer once however often forks and resumes copied it.

`by` groups: day, week (its Monday), month, session (on its last day), project, or model alone; all but the
last keep models apart. Answers that no model gave (`<synthetic>`) and rows without a token are left out. `tool` keeps
answers that used the tool; `min_count` is about messages. `dollars` is what the answers cost at list prices, each at
that of its day, and null where the price of the model is not known ([what dollars mean](dollars.md)).
"""

from __future__ import annotations

import sqlite3

from axiommind.errors import BadQuery
from axiommind.reports.perspectives import Param, Params, Perspective, Plot, Row, common
from axiommind.reports.perspectives._dollars import sum_dollars
from axiommind.reports.perspectives._filters import PerspectiveFilters
from axiommind.reports.perspectives._times import day, monday, month

FILTERS = common(
    {},
    tool="only messages that used this tool (classified name; a pattern when it contains %)",
    min_count="only rows of at least this many messages",
)
COLUMNS = (
    "date",
    "model",
    "messages",
    "input_tokens",
    "output_tokens",
    "cache_creation_tokens",
    "cache_read_tokens",
    "total_tokens",
    "dollars",
    "sessions",
    "session_id",
    "project",
)

# by → (date shown, session shown, project shown); whatever is shown and is no aggregate is grouped by.
BY = {
    "day": (day("r.timestamp"), "null", "null"),
    "week": (monday("r.timestamp"), "null", "null"),
    "month": (month("r.timestamp"), "null", "null"),
    "model": ("null", "null", "null"),
    "session": (day("max(r.timestamp)"), "r.session_id", "s.project"),
    "project": ("null", "null", "s.project"),
}

SQL = """
    select {date} as date, r.model, count(*) as messages,
      sum(r.input_tokens), sum(r.output_tokens), sum(r.cache_creation_tokens), sum(r.cache_read_tokens),
      sum(r.input_tokens + r.output_tokens + r.cache_creation_tokens + r.cache_read_tokens) as total_tokens,
      {dollars},
      count(distinct r.session_id), {session} as session, {project} as project
    from responses r
    join sessions s on s.id = r.session_id
    where {counts}
      and r.model is not '<synthetic>'
      and {used}
    group by {groups}
    having messages >= :min_count
       and total_tokens > 0
    order by date is null, date desc, total_tokens desc, project, session, r.model
    limit :top
"""

USED = """(r.session_id, r.message_id) in (
        select t.session_id, t.message_id
        from tool_uses t
        where {tool}
      )"""


def run(db: sqlite3.Connection, params: Params) -> list[Row]:
    filters = PerspectiveFilters.read(db, params, FILTERS)
    if params["by"] not in BY:
        raise BadQuery(f"cannot group by {params['by']!r}", hint=f"one of: {', '.join(BY)}")
    date, session, project = BY[params["by"]]
    groups = [g for g in (date, session, project, "r.model") if g != "null" and not g.startswith("date(max(")]
    sql = SQL.format(
        date=date,
        session=session,
        project=project,
        dollars=sum_dollars(db, "r"),
        counts=filters.counts("r"),
        used="1" if filters.tool is None else USED.format(tool=filters.names("t.classified_name")),
        groups=", ".join(groups),
    )
    return [dict(zip(COLUMNS, row, strict=True)) for row in db.execute(sql, filters.bound)]


PERSPECTIVE = Perspective(
    name="usage",
    summary="tokens by time and model",
    columns=COLUMNS,
    run=run,
    params=(Param("by", str, "day", "what a row stands for", choices=tuple(BY)),),
    filters=FILTERS,
    plot=Plot("area", x="date", y="total_tokens", color="model"),
)
