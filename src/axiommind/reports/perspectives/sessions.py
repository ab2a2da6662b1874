"""The sessions, newest first, with their size and how to resume them.

`since` and `until` keep sessions that were active in that time; `tool` those that used the tool (in that
time); `min_count` those with at least so many tool uses, of that tool when one is given. `dollars` is what the
session's answers cost at list prices, without those that a fork or a resumed session copied from another, and without
its subagents, which are sessions of their own; null where the price of a model is not known
([what dollars mean](dollars.md)).
"""

from __future__ import annotations

import shlex
import sqlite3

from axiommind.reports.perspectives import Params, Perspective, Row, common
from axiommind.reports.perspectives._dollars import sum_dollars
from axiommind.reports.perspectives._filters import PerspectiveFilters
from axiommind.reports.perspectives._times import moment
from axiommind.sources import resume_command

FILTERS = common(
    {"top": 20},
    since="only sessions active since then: 2026-01-31, 7d, yesterday (UTC)",
    until="only sessions active until then, the named day included",
    tool="only sessions that used this tool (classified name; a pattern when it contains %)",
    min_count="only sessions with at least this many tool uses (of that tool, if given)",
)
COLUMNS = (
    "id",
    "project",
    "title",
    "started",
    "minutes",
    "prompts",
    "tool_uses",
    "edits",
    "errors",
    "model",
    "output_tokens",
    "dollars",
    "git_branch",
    "parent_session",
    "missing_since",
    "cwd",
    "resume",
)

SQL = f"""
    select id, project, title, {moment("start")}, (finish - start) / 60000,
      prompt_count, tool_use_count, edit_count, error_count, model, output_tokens,
      git_branch, parent_session, missing_since, cwd,
      agent, case when parent_session is null and missing_since is null then file_path end
    from (
      select *, coalesce(started_at, first_ts) as start, coalesce(ended_at, last_ts) as finish
      from sessions
    )
    where {{of_session}}
      and (:since is null or finish >= :since)
      and (:until is null or start < :until)
      and {{busy}}
    order by start is null, start desc, id
    limit :top
"""

DOLLARS = COLUMNS.index("dollars")
COST = "select {dollars} from responses r where r.session_id = ? and r.canonical"

BUSY = """id in (
        select t.session_id
        from tool_uses t
        where {tool}
          and {during}
        group by t.session_id
        having count(*) >= :min_count
      )"""


def run(db: sqlite3.Connection, params: Params) -> list[Row]:
    filters = PerspectiveFilters.read(db, params, FILTERS)
    busy = "tool_use_count >= :min_count"
    if filters.tool is not None:
        busy = BUSY.format(tool=filters.names("t.classified_name"), during=filters.during("t.timestamp"))
    found = db.execute(SQL.format(of_session=filters.of_session("id"), busy=busy), filters.bound).fetchall()
    # Only of those that are shown: SQLite would price every session before it sorts them.
    cost = COST.format(dollars=sum_dollars(db, "r"))
    rows = []
    for row in found:
        (dollars,) = db.execute(cost, (row[0],)).fetchone()
        values = (*row[:DOLLARS], dollars, *row[DOLLARS:-2], _resume(row[0], *row[-2:]))
        rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows


def _resume(session: str, agent: str, stream: str | None) -> str | None:
    """How a session is taken up again, where its agent can; a subagent's, and one that is gone, cannot."""
    words = None if stream is None else resume_command(agent, session, stream)
    return None if words is None else shlex.join(words)


PERSPECTIVE = Perspective(
    name="sessions",
    summary="the sessions, newest first",
    columns=COLUMNS,
    run=run,
    filters=FILTERS,
)
