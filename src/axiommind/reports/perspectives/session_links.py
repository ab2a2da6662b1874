"""Pairs of sessions of one project that edited the same files.

`overlap_ratio` is the Jaccard index of the two sets of edited files; `time_gap_minutes` lies between what was last said
or done in the earlier session and first in the later one, and is null where they overlap or say no time. A set is what
the session itself edited, copies of a fork included: that is what makes a fork resemble its origin. `session` keeps the
links of that session; `since`, `until` and `tool` choose the edits that make up the sets.
"""

from __future__ import annotations

import sqlite3

from axiommind.projections.derived import SPANS
from axiommind.reports.perspectives import Param, Params, Perspective, Plot, Row, common
from axiommind.reports.perspectives._filters import PerspectiveFilters

FILTERS = common(
    {"top": 20},
    since="only edits since then: 2026-01-31, 7d, yesterday (UTC)",
    until="only edits until then, the named day included",
    tool="only edits made by this tool (classified name; a pattern when it contains %)",
    session="only links of this session (id, or its first characters)",
    min_count="only pairs that share at least this many files",
)
COLUMNS = ("session_a", "session_b", "shared_files", "overlap_ratio", "time_gap_minutes")

DERIVED = """
      select session_a, session_b, shared_files, overlap_ratio, time_gap_minutes
      from session_links
"""

RAW = """
      with files as (
        select distinct s.project, e.session_id, e.file_path
        from file_edits e
        join sessions s on s.id = e.session_id
        join tool_uses t on t.id = e.tool_use_id
        where {during}
          and {tool}
      ),
      sizes as (
        select session_id, count(*) as files
        from files
        group by session_id
      ),
      pairs as (
        select a.session_id as session_a, b.session_id as session_b, count(*) as shared_files
        from files a
        join files b
          on b.project = a.project and b.file_path = a.file_path and b.session_id > a.session_id
        where {of_session}
        group by a.session_id, b.session_id
      ),
      spans as ({spans})
      select session_a, session_b, shared_files,
        1.0 * shared_files / (x.files + y.files - shared_files) as overlap_ratio,
        case
          when b.start > a.finish then (b.start - a.finish) / 60000
          when a.start > b.finish then (a.start - b.finish) / 60000
        end as time_gap_minutes
      from pairs
      join sizes x on x.session_id = session_a
      join sizes y on y.session_id = session_b
      join spans a on a.id = session_a
      join spans b on b.id = session_b
"""

SQL = """
    select session_a, session_b, shared_files, round(overlap_ratio, 2), time_gap_minutes
    from ({links})
    where overlap_ratio >= :min_overlap
      and shared_files >= :min_count
      and (:session is null or :session in (session_a, session_b))
    order by overlap_ratio desc, shared_files desc, session_a, session_b
    limit :top
"""


def run(db: sqlite3.Connection, params: Params) -> list[Row]:
    filters = PerspectiveFilters.read(db, params, FILTERS)
    links = DERIVED
    if filters.timed or filters.tool is not None:
        links = RAW.format(
            spans=SPANS,
            during=filters.during("e.timestamp"),
            tool=filters.names("t.classified_name"),
            of_session="1" if filters.session is None else ":session in (a.session_id, b.session_id)",
        )
    bound = {**filters.bound, "min_overlap": params["min_overlap"]}
    found = db.execute(SQL.format(links=links), bound)
    return [dict(zip(COLUMNS, row, strict=True)) for row in found]


PERSPECTIVE = Perspective(
    name="session-links",
    summary="pairs of sessions that edited the same files",
    columns=COLUMNS,
    run=run,
    params=(Param("min_overlap", float, 0.3, "only pairs that overlap at least this much (0 to 1)", least=0, most=1),),
    filters=FILTERS,
    plot=Plot("heat", x="session_a", y="session_b", color="overlap_ratio"),
)
