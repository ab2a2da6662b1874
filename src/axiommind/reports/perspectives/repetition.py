"""Doing the same again and again, in three kinds of rows:

- `edits`: a file edited unusually often in one session: `z_score` against all sessions and files is at least
  `z_threshold`. With `corrected` only those that chance does not explain among so many files (`p_value` by
  Benjamini-Hochberg at 1 - Phi(z_threshold));
- `loop`: two or three tools repeated in a row (`count` = repeats of the longest chain, `times` = chains);
- `run`: the longest row of one tool in a session, from five uses on.

`tool` keeps edits made by that tool, loops that contain it, runs of it. The kinds take turns to fill `top`.
"""

from __future__ import annotations

import sqlite3

from axiommind.reports.analysers.repetition import longest_run, loops, outliers, unusual
from axiommind.reports.analysers.tuning import Tuning
from axiommind.reports.perspectives import Param, Params, Perspective, Plot, Row, common
from axiommind.reports.perspectives._filters import PerspectiveFilters
from axiommind.reports.perspectives._uses import by_session

FILTERS = common(
    {"top": 60},
    tool="only edits by, loops with and runs of this tool (a pattern when it contains %)",
    top="at most this many rows, or all; the kinds take turns",
    min_count="only at least this many edits, repeats, or uses in a row",
)
COLUMNS = ("kind", "session_id", "subject", "count", "times", "mean", "z_score", "p_value")
ARROW = " → "
SHORTEST_RUN = 5
Z_THRESHOLD = Tuning().z_score_threshold

EDITS = """
    select e.session_id, e.file_path, count(*)
    from file_edits e
    join tool_uses t on t.id = e.tool_use_id
    where {counts}
      and {tool}
    group by e.session_id, e.file_path
    order by e.session_id, e.file_path
"""


def run(db: sqlite3.Connection, params: Params) -> list[Row]:
    filters = PerspectiveFilters.read(db, params, FILTERS)
    circles, runs = _tools(db, filters)
    kinds = (_edits(db, filters, params), circles, runs)
    return filters.share([[row for row in rows if row["count"] >= filters.min_count] for rows in kinds])


def _edits(db: sqlite3.Connection, filters: PerspectiveFilters, params: Params) -> list[Row]:
    sql = EDITS.format(counts=filters.counts("e"), tool=filters.names("t.classified_name"))
    edits = {(session, file): n for session, file, n in db.execute(sql, filters.bound)}
    choose = outliers if params["corrected"] else unusual
    return [
        _row("edits", o.session, o.file, o.edits, 1)
        | {"mean": round(o.mean, 2), "z_score": round(o.z, 2), "p_value": float(f"{o.p:.3g}")}
        for o in choose(edits, params["z_threshold"])
    ]


def _tools(db: sqlite3.Connection, filters: PerspectiveFilters) -> tuple[list[Row], list[Row]]:
    wanted = filters.tools(db)
    circles, runs = [], []
    for session, uses in by_session(db, filters):
        for loop in loops(uses):
            if wanted is None or not wanted.isdisjoint(loop.tools):
                circles.append(_row("loop", session, ARROW.join(loop.tools), loop.repeats, loop.times))
        longest = longest_run(uses)
        if longest.length >= SHORTEST_RUN and (wanted is None or longest.tool in wanted):
            runs.append(_row("run", session, longest.tool, longest.length, 1))
    circles.sort(key=lambda row: (-row["count"], -row["times"], row["session_id"], row["subject"]))
    runs.sort(key=lambda row: (-row["count"], row["session_id"]))
    return circles, runs


def _row(kind: str, session: str, subject: str, count: int, times: int) -> Row:
    named = {"kind": kind, "session_id": session, "subject": subject, "count": count, "times": times}
    return {**dict.fromkeys(COLUMNS), **named}


PERSPECTIVE = Perspective(
    name="repetition",
    summary="files edited unusually often, tools going in circles",
    columns=COLUMNS,
    run=run,
    params=(
        Param("z_threshold", float, Z_THRESHOLD, "how many standard deviations above the mean are unusual", least=0),
        Param("corrected", int, 0, "1 = only what chance does not explain among so many files", least=0, most=1),
    ),
    filters=FILTERS,
    plot=Plot("bar", x="count", y="subject", color="kind"),
)
