"""The files edited most often, and in how many sessions. `tool` is the tool that made the edit."""

from __future__ import annotations

import sqlite3

from axiommind.reports.perspectives import Params, Perspective, Plot, Row, common
from axiommind.reports.perspectives._filters import PerspectiveFilters

FILTERS = common(
    {"top": 20},
    tool="only edits made by this tool (classified name; a pattern when it contains %)",
    min_count="only files edited at least this often",
)
COLUMNS = ("file_path", "edit_count", "session_count")

DERIVED = """
      select file_path, edit_count, session_count
      from file_hotspots
"""

RAW = """
      select e.file_path, count(*) as edit_count, count(distinct e.session_id) as session_count
      from file_edits e
      join tool_uses t on t.id = e.tool_use_id
      where {counts}
        and {tool}
      group by e.file_path
"""

SQL = """
    select file_path, edit_count, session_count
    from ({files})
    where edit_count >= :min_count
    order by edit_count desc, session_count desc, file_path
    limit :top
"""


def run(db: sqlite3.Connection, params: Params) -> list[Row]:
    filters = PerspectiveFilters.read(db, params, FILTERS)
    files = DERIVED
    if filters.timed or filters.session is not None or filters.tool is not None:
        files = RAW.format(counts=filters.counts("e"), tool=filters.names("t.classified_name"))
    found = db.execute(SQL.format(files=files), filters.bound)
    return [dict(zip(COLUMNS, row, strict=True)) for row in found]


PERSPECTIVE = Perspective(
    name="hotfiles",
    summary="the files edited most often",
    columns=COLUMNS,
    run=run,
    filters=FILTERS,
    plot=Plot("bar", x="edit_count", y="file_path"),
)
