"""A perspective's rows as a chart, written to .svg or .png.

Altair and vl-convert are loaded only here and only when asked for. Nothing is fetched: the renderer is part
of vl-convert. What to draw comes from the perspective's `plot` hint; a row without a value for an axis is
left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from axiommind.distribution import extra_command
from axiommind.errors import BadQuery, MissingExtra
from axiommind.reports.perspectives import Perspective, Plot

Row = dict[str, Any]

# The first font that the machine has and that knows a letter draws it; CJK families follow the Latin ones.
FONT = (
    "Inter, Helvetica Neue, Arial, Liberation Sans, DejaVu Sans, Noto Sans, "
    "Noto Sans CJK SC, Noto Sans CJK KR, Noto Sans CJK JP, Apple SD Gothic Neo, PingFang SC, Hiragino Sans, "
    "Malgun Gothic, Microsoft YaHei, sans-serif"
)
INK = "#1f2933"
FAINT = "#6b7785"
ACCENT = "#2f6f9f"
SCHEME = ["#2f6f9f", "#e07b39", "#3f9a6d", "#b8485f", "#7a64b0", "#c8a02c", "#4fa3b5", "#8a6d58", "#9aa5b1"]
OTHER = "other"
MOST_LINES = len(SCHEME) - 1
MOST_BARS = 60
MOST_DATES = 1_500
MOST_CELLS = 20  # rows or columns of a heat map that can still be read
LABEL_PX = 320
SCALE = 2.0
ENDINGS = (".svg", ".png")
GENERATED_ID = re.compile(r"""(id="|url\(#)(clip|gradient_)(\d+)""")
PATH_CHARS = 44
NARROWS = " · an edge narrows towards the tool that comes next"


def draw(rows: list[Row], perspective: Perspective, path: Path) -> None:
    """Write the chart; the ending of the path says which format."""
    hint = perspective.plot
    if hint is None:
        raise BadQuery(f"{perspective.name} has no chart", hint="use --format table instead")
    if path.suffix.lower() not in ENDINGS:
        raise BadQuery(f"cannot draw to {path.name!r}", hint="the name must end in .svg or .png")
    shown = [row for row in rows if row.get(hint.x) is not None and row.get(hint.y) is not None]
    if not shown:
        raise BadQuery(f"{perspective.name} has nothing to draw", hint="no rows: widen the filters")
    try:
        import altair as alt
        import vl_convert
    except ImportError as error:
        raise MissingExtra("charts need altair and vl-convert", hint=extra_command("plot")) from error
    spec = _style(_CHARTS[hint.mark](alt, shown, hint), perspective).to_dict(format="vega-lite")
    if path.suffix.lower() == ".svg":
        path.write_text(_renumbered(vl_convert.vegalite_to_svg(spec)), encoding="utf-8")
    else:
        path.write_bytes(vl_convert.vegalite_to_png(spec, scale=SCALE))


def _renumbered(svg: str) -> str:
    """The renderer numbers its clip paths on and on through a process; here every picture begins with 0."""
    seen: dict[str, int] = {}
    return GENERATED_ID.sub(lambda m: f"{m[1]}{m[2]}{seen.setdefault(m[2] + m[3], len(seen))}", svg)


def _style(chart: Any, perspective: Perspective) -> Any:
    title = {
        "text": perspective.summary[:1].upper() + perspective.summary[1:],
        "subtitle": perspective.name + (NARROWS if perspective.plot and perspective.plot.mark == "graph" else ""),
        "anchor": "start",
        "offset": 14,
        "fontSize": 17,
        "fontWeight": 600,
        "color": INK,
        "subtitleColor": FAINT,
        "subtitleFontSize": 12,
    }
    return (
        chart.properties(title=title, background="white", padding=18)
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK, titleColor=FAINT, titleFontWeight="normal", labelFontSize=11, titleFontSize=11,
            gridColor="#e8ecf0", domainColor="#c5ccd3", tickColor="#c5ccd3", labelLimit=LABEL_PX, titlePadding=14,
        )
        .configure_legend(
            labelColor=INK, titleColor=FAINT, titleFontWeight="normal", labelFontSize=11, titleFontSize=11,
            symbolType="circle", offset=40, labelLimit=LABEL_PX,
        )
    )  # fmt: skip


def _words(column: str) -> str:
    return column.replace("_", " ")


def _bar(alt: Any, rows: Sequence[Row], hint: Plot) -> Any:
    """A ranking: one bar a row, in the order of the rows. Equal names are told apart by their place."""
    rows = rows[:MOST_BARS]
    data = [{**_plain(row, hint), "place": i} for i, row in enumerate(rows)]
    places = {i: _label(str(row[hint.y])) for i, row in enumerate(rows)}
    labels = "[" + ", ".join(_quoted(places[i]) for i in range(len(data))) + "]"
    base = alt.Chart(alt.Data(values=data)).encode(
        x=alt.X(f"{hint.x}:Q", title=_words(hint.x), axis=alt.Axis(tickMinStep=1, format=_figures(data, hint.x))),
        y=alt.Y(
            "place:O",
            title=None,
            axis=alt.Axis(labelExpr=f"{labels}[datum.value]", ticks=False, domain=False, labelPadding=6),
            scale=alt.Scale(paddingInner=0.28),
        ),
    )
    bars = base.mark_bar(color=ACCENT, cornerRadiusEnd=2)
    if hint.color:
        bars = bars.encode(color=_palette(alt, hint.color, [str(row[hint.color]) for row in rows]))
    numbers = base.mark_text(align="left", dx=5, color=FAINT, fontSize=11).encode(
        text=alt.Text(f"{hint.x}:Q", format=",")
    )
    return (bars + numbers).properties(width=520, height={"step": 24})


def _line(alt: Any, rows: Sequence[Row], hint: Plot) -> Any:
    data = _over_time(rows, hint)
    several = len({row[hint.x] for row in data}) > 1
    chart = alt.Chart(alt.Data(values=data))
    lines = chart.mark_line(strokeWidth=2, point={"size": 26, "filled": True} if several else {"size": 60})
    return lines.encode(**_time_axes(alt, data, hint, stack=False)).properties(width=640, height=320)


def _area(alt: Any, rows: Sequence[Row], hint: Plot) -> Any:
    """Stacked: an area over several dates, a bar where there is one."""
    data = _over_time(rows, hint)
    chart = alt.Chart(alt.Data(values=data))
    if len({row[hint.x] for row in data}) > 1:
        marks = chart.mark_area(opacity=0.88, line={"strokeWidth": 1})
    else:
        marks = chart.mark_bar(size=60)
    return marks.encode(**_time_axes(alt, data, hint, stack=True)).properties(width=640, height=320)


def _heat(alt: Any, rows: Sequence[Row], hint: Plot) -> Any:
    """A matrix of the largest rows and columns, both in order of their totals."""
    assert hint.color is not None
    across, down = _ranked(rows, hint.x, hint.color), _ranked(rows, hint.y, hint.color)
    data = [
        {hint.x: row[hint.x], hint.y: row[hint.y], hint.color: row[hint.color]}
        for row in rows
        if row[hint.x] in across and row[hint.y] in down
    ]
    most = max(row[hint.color] for row in data)
    base = alt.Chart(alt.Data(values=data)).encode(
        x=alt.X(
            f"{hint.x}:N",
            title=_words(hint.x),
            sort=across,
            axis=alt.Axis(labelAngle=-40, orient="top", ticks=False),
        ),
        y=alt.Y(f"{hint.y}:N", title=_words(hint.y), sort=down, axis=alt.Axis(ticks=False)),
    )
    color = alt.Color(
        f"{hint.color}:Q",
        title=_words(hint.color),
        scale=alt.Scale(scheme="blues", domainMin=0, domainMax=most),
    )
    cells = base.mark_rect(stroke="white", strokeWidth=1.5, cornerRadius=2).encode(color=color)
    numbers = base.mark_text(fontSize=10).encode(
        text=alt.Text(f"{hint.color}:Q", format=".2~f"),
        color=alt.condition(f"datum[{_quoted(hint.color)}] > {most * 0.55}", alt.value("white"), alt.value(INK)),
    )
    return (cells + numbers).properties(width={"step": 46}, height={"step": 28})


def _graph(alt: Any, rows: Sequence[Row], hint: Plot) -> Any:
    """Nodes on a circle, largest first; an edge bends to its right, so that both directions can be seen."""
    assert hint.size is not None
    assert hint.color is not None
    size = hint.size
    weight: dict[str, float] = {}
    for row in rows:
        for end in (hint.x, hint.y):
            weight[row[end]] = weight.get(row[end], 0) + row[size]
    order = sorted(weight, key=lambda tool: (-weight[tool], tool))[:MOST_CELLS]
    angle = {tool: math.pi / 2 - 2 * math.pi * i / len(order) for i, tool in enumerate(order)}
    spot = {tool: (math.cos(a), math.sin(a)) for tool, a in angle.items()}
    edges = []
    most = max(row[size] for row in rows)
    for i, row in enumerate(rows):
        if row[hint.x] in spot and row[hint.y] in spot:
            for step, (x, y) in enumerate(_bow(spot[row[hint.x]], spot[row[hint.y]])):
                width = 0.8 + 6 * row[size] / most * (1 - step / 30)
                edges.append({"edge": i, "step": step, "x": x, "y": y, "width": width, hint.color: row[hint.color]})
    looped = {row[hint.x] for row in rows if row[hint.x] == row[hint.y]}
    nodes = [
        {"tool": tool, "x": spot[tool][0], "y": spot[tool][1], "uses": weight[tool],
         "lx": (out := 1.32 if tool in looped else 1.13) * spot[tool][0], "ly": out * spot[tool][1]}
        for tool in order
    ]  # fmt: skip
    plane: dict[str, Any] = {"axis": None, "scale": alt.Scale(domain=[-1.5, 1.5])}
    lines = (
        alt.Chart(alt.Data(values=edges))
        .mark_trail(opacity=0.75)
        .encode(
            x=alt.X("x:Q", **plane),
            y=alt.Y("y:Q", **plane),
            order="step:Q",
            detail="edge:N",
            size=alt.Size("width:Q", scale=None, legend=None),
            color=alt.Color(
                f"{hint.color}:Q",
                title=_words(hint.color),
                scale=alt.Scale(range=["#c9dcea", "#17466b"], domain=[0, 1]),
            ),
        )
    )
    placed = alt.Chart(alt.Data(values=nodes))
    dots = placed.mark_circle(color="#e07b39", opacity=1, stroke="white", strokeWidth=1.5).encode(
        x=alt.X("x:Q", **plane),
        y=alt.Y("y:Q", **plane),
        size=alt.Size("uses:Q", scale=alt.Scale(range=[90, 900]), legend=None),
    )
    named = []
    for align, test in (
        ("left", "datum.x > 0.1"),
        ("right", "datum.x < -0.1"),
        ("center", "abs(datum.x) <= 0.1"),
    ):
        some = placed.transform_filter(test).mark_text(align=align, fontSize=12, color=INK, limit=LABEL_PX)
        named.append(some.encode(x=alt.X("lx:Q", **plane), y=alt.Y("ly:Q", **plane), text="tool:N"))
    return alt.layer(lines, dots, *named).resolve_scale(size="independent").properties(width=620, height=560)


def _bow(start: tuple[float, float], end: tuple[float, float]) -> list[tuple[float, float]]:
    """Points of an edge: a bow between two nodes, a loop outside the circle at one."""
    (ax, ay), (bx, by) = start, end
    if start == end:
        turn, cx, cy = math.atan2(ay, ax), 1.12 * ax, 1.12 * ay
        around = [turn + math.pi + 2 * math.pi * i / 24 for i in range(25)]
        return [(cx + 0.12 * math.cos(a), cy + 0.12 * math.sin(a)) for a in around]
    mx, my = (ax + bx) / 2 + (by - ay) * 0.18, (ay + by) / 2 - (bx - ax) * 0.18
    steps = [i / 24 for i in range(25)]
    return [
        (
            (1 - t) ** 2 * ax + 2 * (1 - t) * t * mx + t * t * bx,
            (1 - t) ** 2 * ay + 2 * (1 - t) * t * my + t * t * by,
        )
        for t in steps
    ]


def _over_time(rows: Sequence[Row], hint: Plot) -> list[Row]:
    """Every date has a value for every series, zero where nothing was; small series are summed up as one."""
    assert hint.color is not None
    totals: dict[str, float] = {}
    for row in rows:
        name = str(row[hint.color] or "unknown")
        totals[name] = totals.get(name, 0) + row[hint.y]
    ranked = sorted(totals, key=lambda name: (-totals[name], name))
    kept = ranked if len(ranked) <= len(SCHEME) else ranked[:MOST_LINES]
    dates = _dates([row[hint.x] for row in rows])
    names = [*kept, *([OTHER] if len(kept) < len(ranked) else [])]
    sums = {(date, name): 0.0 for date in dates for name in names}
    for row in rows:
        name = str(row[hint.color] or "unknown")
        sums[row[hint.x], name if name in kept else OTHER] += row[hint.y]
    return [
        {hint.x: date, hint.color: name, hint.y: sums[date, name], "rank": names.index(name)}
        for date in dates
        for name in names
    ]


def _dates(seen: Sequence[str]) -> list[str]:
    """The dates from first to last without a hole: weeks where all lie whole weeks apart, else days."""
    distinct = sorted(set(seen))
    if any(len(text) != len("2026-01-05") for text in distinct):
        return distinct  # months
    days = [date.fromisoformat(text) for text in distinct]
    step = 7 if all((day - days[0]).days % 7 == 0 for day in days) else 1
    steps = (days[-1] - days[0]).days // step
    if steps > MOST_DATES:
        return distinct
    return [(days[0] + timedelta(days=i * step)).isoformat() for i in range(steps + 1)]


def _time_axes(alt: Any, data: Sequence[Row], hint: Plot, *, stack: bool) -> dict[str, Any]:
    assert hint.color is not None
    names = list(dict.fromkeys(row[hint.color] for row in data))
    dates = sorted({row[hint.x] for row in data})
    every = {"values": dates} if len(dates) <= 12 else {}
    spoken = alt.Axis(format="%Y-%m-%d", labelAngle=-35, grid=False, title=None, labelOverlap=True, **every)
    return {
        "x": alt.X(f"utcyearmonthdate({hint.x}):T", axis=spoken, scale=alt.Scale(type="utc")),
        "y": alt.Y(
            f"{hint.y}:Q",
            title=_words(hint.y),
            stack="zero" if stack else None,
            axis=alt.Axis(format=_figures(data, hint.y), tickMinStep=1),
        ),
        "color": _palette(alt, hint.color, names),
        **({"order": alt.Order("rank:Q")} if stack else {}),
    }


def _label(text: str) -> str:
    """Of a path the end says more."""
    return f"…{text[1 - PATH_CHARS :]}" if text.startswith("/") and len(text) > PATH_CHARS else text


def _figures(data: Sequence[Row], column: str) -> str:
    """Whole numbers while they are short, then with k and M."""
    return ",.0f" if max(row[column] for row in data) < 10_000 else "~s"


def _palette(alt: Any, column: str, names: Sequence[str]) -> Any:
    distinct = list(dict.fromkeys(names))
    colours = [SCHEME[i % len(SCHEME)] for i in range(len(distinct))]
    return alt.Color(f"{column}:N", title=_words(column), scale=alt.Scale(domain=distinct, range=colours))


def _ranked(rows: Sequence[Row], column: str, value: str) -> list[str]:
    totals: dict[str, float] = {}
    for row in rows:
        totals[row[column]] = totals.get(row[column], 0.0) + float(row["count"] if "count" in row else row[value])
    return sorted(totals, key=lambda name: (-totals[name], name))[:MOST_CELLS]


def _plain(row: Row, hint: Plot) -> Row:
    return {column: row[column] for column in (hint.x, hint.y, hint.color) if column}


def _quoted(text: str) -> str:
    """A string literal of the Vega expression language: no character of it can end the literal."""
    return "'" + "".join(c if c.isalnum() or c in " _-./:" else f"\\u{ord(c):04x}" for c in _bmp(text)) + "'"


def _bmp(text: str) -> str:
    """Characters beyond U+FFFF as the two surrogates that an expression can spell."""
    units = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(int.from_bytes(units[i : i + 2], "little")) for i in range(0, len(units), 2))


_CHARTS = {"bar": _bar, "line": _line, "area": _area, "heat": _heat, "graph": _graph}
