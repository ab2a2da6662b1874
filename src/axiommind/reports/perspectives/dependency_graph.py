"""The graph of tools within work units (no pause of more than five minutes), in four kinds of rows:

- `node`: a tool; `entry_rate` and `terminal_rate` are shares of the units that hold it, `mean_position`
  runs from 0 (first) to 1 (last);
- `edge`: `probability` is P(to | from), `reverse_probability` P(from | to), `commit_rate` the share of
  units with this edge that contain Bash:git, `steps_to_end` what still follows in the unit;
- `cycle`: tools that lead to each other and stand side by side; `count` units, `repetitions` a unit;
- `path`: how units start (up to eight tools), seen at least twice.

`tool` keeps the rows that contain it. The kinds take turns to fill `top`.
"""

from __future__ import annotations

import sqlite3

from axiommind.reports.analysers.dependency_graph import build
from axiommind.reports.perspectives import Param, Params, Perspective, Plot, Row, common
from axiommind.reports.perspectives._filters import PerspectiveFilters
from axiommind.reports.perspectives._uses import units

FILTERS = common(
    {"top": 60},
    tool="only nodes, edges, cycles and paths with this tool (a pattern when it contains %)",
    top="at most this many rows, or all; the kinds take turns",
    min_count="only rows counted at least this often (uses, pairs, units)",
)
COLUMNS = (
    "kind",
    "tools",
    "count",
    "from_tool",
    "to_tool",
    "probability",
    "reverse_probability",
    "fan_out",
    "fan_in",
    "mean_position",
    "entry_rate",
    "terminal_rate",
    "commit_rate",
    "steps_to_end",
    "repetitions",
)
ARROW = " → "
CIRCLE = " ↔ "


def run(db: sqlite3.Connection, params: Params) -> list[Row]:
    filters = PerspectiveFilters.read(db, params, FILTERS)
    wanted = filters.tools(db)
    graph = build(units(db, filters), params["min_probability"])
    nodes = [
        _row("node", [n.tool], n.uses, fan_out=n.fan_out, fan_in=n.fan_in, mean_position=n.position,
             entry_rate=n.entry_rate, terminal_rate=n.terminal_rate)
        for n in graph.nodes
    ]  # fmt: skip
    edges = [
        _row("edge", [e.source, e.target], e.count, from_tool=e.source, to_tool=e.target,
             probability=e.probability, reverse_probability=e.reverse, commit_rate=e.commit_rate,
             steps_to_end=e.steps_to_end)
        for e in graph.edges
    ]  # fmt: skip
    cycles = [_row("cycle", c.tools, c.units, repetitions=c.repetitions) for c in graph.cycles]
    paths = [_row("path", p.tools, p.units, commit_rate=p.commit_rate) for p in graph.paths]
    return filters.share(
        [
            [
                {**row, "tools": (CIRCLE if row["kind"] == "cycle" else ARROW).join(row["tools"])}
                for row in kind
                if row["count"] >= filters.min_count and (wanted is None or not wanted.isdisjoint(row["tools"]))
            ]
            for kind in (nodes, edges, cycles, paths)
        ]
    )


def _row(kind: str, tools: object, count: int, **figures: float | str) -> Row:
    rounded = {name: round(f, 2) if isinstance(f, float) else f for name, f in figures.items()}
    return {**dict.fromkeys(COLUMNS), "kind": kind, "tools": tools, "count": count, **rounded}


PERSPECTIVE = Perspective(
    name="dependency-graph",
    summary="what leads to what: tools, their order, cycles and usual beginnings",
    columns=COLUMNS,
    run=run,
    params=(
        Param(
            "min_probability", float, 0.0, "leave out less probable edges, also for cycles (0 to 1)", least=0, most=1
        ),
    ),
    filters=FILTERS,
    plot=Plot("graph", x="from_tool", y="to_tool", color="probability", size="count"),
)
