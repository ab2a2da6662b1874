"""Overview: how work is done, as charts. Each is made of a perspective, and tells its data and its SQL."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from axiommind.errors import NotFound
from axiommind.home import Scope, now
from axiommind.memory import Memory
from axiommind.reports import perspectives
from axiommind.surfaces.web.drawing import Area, calendar, flow, treemap
from axiommind.surfaces.web.site import MenuPlace, page, site_of

__all__ = ["CHARTS", "PLACE", "ROUTES"]

PLACE = MenuPlace(80, "overview", "/overview", "Overview", "o", has_gap=True)

_TIMES = {"30d": "30 days", "90d": "90 days", "365d": "a year", "": "all time"}
_MOST_LINES = 6  # of a chart: the rest is one line
_MOST_LETTERS = 23
_MOST_ROWS = 200  # of the data that is shown


class ChartData(NamedTuple):
    """A chart: a drawing of the server's, or series for the script; and where it is from."""

    drawing: Markup | None
    series: str
    columns: tuple[str, ...]
    rows: Sequence[Mapping[str, Any]]
    statements: tuple[str, ...]
    notes: tuple[str, ...] = ()


class _Asked(NamedTuple):
    memory: Memory
    scope: Scope
    since: str
    tool: str
    project: str

    def rows(self, name: str, *, priced: bool = False, **params: Any) -> tuple[Any, tuple[str, ...]]:
        """The rows of a perspective within what is looked at. What answers cost is asked only where it is shown."""
        one = perspectives.load(name)
        if not priced:
            one = one._replace(columns=tuple(column for column in one.columns if column != "dollars"))
        given = {"since": self.since or None, "tool": self.tool or None, **params}
        return self.memory.reports.statements(one, one.read(given, now()), self.scope)

    def link(self, path: str, **params: str) -> str:
        kept = {"project": self.project, **params}
        return f"{path}?{urlencode({name: value for name, value in kept.items() if value})}"


def overview(request: Request) -> Response:
    site = site_of(request)
    site.scope(request)  # a project that is not there is said at once
    params = request.query_params
    given = {"since": params.get("since", "90d"), "tool": params.get("tool", "")}
    return page(request, "overview.html", charts=CHARTS, times=_TIMES, given=given)


def chart(request: Request) -> Response:
    name, params = request.path_params["name"], request.query_params
    if name not in CHARTS:
        raise NotFound(f"there is no chart {name!r}", hint=", ".join(CHARTS))
    site = site_of(request)
    asked = _Asked(
        site.memory,
        site.scope(request),
        params.get("since", ""),
        params.get("tool", ""),
        params.get("project", ""),
    )
    made = CHARTS[name][2](asked)
    return page(request, "overview_chart.html", name=name, made=made, rows=made.rows[:_MOST_ROWS])


def _calendar(asked: _Asked) -> ChartData:
    rows, statements = asked.rows("usage", by="day")
    days: dict[str, float] = {}
    for row in rows:
        days[row["date"]] = days.get(row["date"], 0) + row["messages"]
    drawn = calendar(days, "Answers by day", unit="answers", where=asked.link("/sessions", day="DAY"))
    return ChartData(drawn, "", rows.columns, rows, statements)


def _by_model(asked: _Asked, column: str, unit: str) -> ChartData:
    rows, statements = asked.rows("usage", by="day", priced=column == "dollars")
    points = [(row["date"], row["model"] or "unknown", row.get(column)) for row in rows]
    return ChartData(None, _series(points, unit), rows.columns, rows, statements, rows.notes)


def _tokens(asked: _Asked) -> ChartData:
    return _by_model(asked, "output_tokens", "tokens")


def _dollars(asked: _Asked) -> ChartData:
    return _by_model(asked, "dollars", "dollars")


def _tools(asked: _Asked) -> ChartData:
    rows, statements = asked.rows("trends")
    points = [(row["week_start"], row["tool_name"], row["count"]) for row in rows]
    return ChartData(None, _series(points, "uses"), rows.columns, rows, statements)


def _flow(asked: _Asked) -> ChartData:
    rows, statements = asked.rows("transitions")
    most = sorted(rows, key=lambda row: -row["count"])[:28]
    drawn = flow([(row["from_tool"], row["to_tool"], row["count"]) for row in most], "From tool to tool")
    return ChartData(drawn, "", rows.columns, sorted(rows, key=lambda row: -row["count"]), statements)


def _files(asked: _Asked) -> ChartData:
    rows, statements = asked.rows("hotfiles", top=45)
    areas = [
        Area(
            row["file_path"].replace("\\", "/").rpartition("/")[2],
            f"{row['file_path']}: {row['edit_count']} edits in {row['session_count']} sessions",
            row["edit_count"],
            asked.link("/search", q=row["file_path"].replace("\\", "/").rpartition("/")[2], file=row["file_path"]),
        )
        for row in rows
    ]
    return ChartData(treemap(areas, "Files by edits"), "", rows.columns, rows, statements)


_TOGETHER = """
select a.file_path as one, b.file_path as other, count(distinct a.session_id) as sessions
from file_edits a
join file_edits b on b.session_id = a.session_id and b.file_path > a.file_path
where a.file_path in (select file_path from file_edits group by file_path order by count(*) desc limit 60)
  and b.file_path in (select file_path from file_edits group by file_path order by count(*) desc limit 60)
group by 1, 2
having sessions > 1
order by sessions desc, one, other
limit 24
"""


def _together(asked: _Asked) -> ChartData:
    """Which files are changed in the same sessions. There is no perspective for it: this is its SQL."""
    rows = asked.memory.own_sql(_TOGETHER, asked.scope).dicts()
    drawn = flow([(_name(row["one"]), _name(row["other"]), row["sessions"]) for row in rows], "Files changed together")
    return ChartData(drawn, "", ("one", "other", "sessions"), rows, (_TOGETHER.strip(),))


def _outcomes(asked: _Asked) -> ChartData:
    rows, statements = asked.rows("tool-frequency", top=14)
    return ChartData(None, "", rows.columns, rows, statements)


def _name(path: str) -> str:
    name = "/".join(path.replace("\\", "/").split("/")[-2:])
    return name if len(name) <= _MOST_LETTERS else f"…{name[-_MOST_LETTERS:]}"


def _series(points: Sequence[tuple[str, str, float | None]], unit: str) -> str:
    """Series for the script: the largest by name, and all others as one."""
    sums: dict[str, float] = {}
    for _, name, value in points:
        sums[name] = sums.get(name, 0) + (value or 0)
    shown = sorted(sums, key=lambda name: -sums[name])[:_MOST_LINES]
    days = sorted({day for day, _, _ in points if day})
    at = {day: number for number, day in enumerate(days)}
    lines: dict[str, list[float]] = {}
    for day, name, value in points:
        if day:
            line = lines.setdefault(name if name in shown else "others", [0.0] * len(days))
            line[at[day]] += value or 0
    names = [*shown, *(["others"] if "others" in lines and "others" not in shown else [])]
    known = [{"label": name, "values": [round(value, 4) for value in lines[name]]} for name in names if name in lines]
    return json.dumps({"days": days, "series": known, "unit": unit}, ensure_ascii=False)


CHARTS: dict[str, tuple[str, str, Callable[[_Asked], ChartData]]] = {
    "calendar": ("Activity", "answers by day", _calendar),
    "dollars": ("Dollars", "by day and model, at list prices", _dollars),
    "tokens": ("Tokens written", "by day and model", _tokens),
    "tools": ("Tools", "uses by week", _tools),
    "outcomes": ("How tools end", "uses, and how many failed", _outcomes),
    "flow": ("What follows what", "from one tool to the next", _flow),
    "files": ("Hot files", "by edits", _files),
    "together": ("Changed together", "files that the same sessions edit", _together),
}

ROUTES = [Route("/overview", overview), Route("/overview/{name}", chart)]
