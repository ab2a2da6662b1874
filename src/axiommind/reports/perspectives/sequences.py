"""Tool sequences that come back: two to five tools in a row, without a pause of more than five minutes.

`tool` and `include_tool` keep the sequences that contain a tool. `include_tool` also takes a piece of a row
of `transitions`, as `xargs` cuts it from JSON (`to_tool: Read,`), so that one query can feed the next; a
piece that names no tool finds nothing. A sequence belongs to its last use: that one decides whether and
when it counts.
"""

from __future__ import annotations

import re
import sqlite3

from axiommind.reports.analysers.sequences import frequent
from axiommind.reports.perspectives import Param, Params, Perspective, Plot, Row, common
from axiommind.reports.perspectives._filters import PerspectiveFilters, escape, matching_tools
from axiommind.reports.perspectives._uses import units

FILTERS = common(
    {"top": 20, "min_count": 3},
    tool="only sequences that contain this tool (classified name; a pattern when it contains %)",
    min_count="only sequences seen at least this often",
)
COLUMNS = ("sequence", "count", "sessions", "length")
ARROW = " → "

# `"to_tool": "X",` with or without its quotes and braces, but not `from_tool`.
PIECE = re.compile(r"""(?:^|[\s{,"'])(?:to_)?tool["']?\s*:\s*["']?([^\s"',{}][^"',{}]*?)["']?\s*(?:[,}]|$)""")


def run(db: sqlite3.Connection, params: Params) -> list[Row]:
    filters = PerspectiveFilters.read(db, params, FILTERS)
    asked = (filters.tools(db), _included(db, params["include_tool"]))
    needed = [names for names in asked if names is not None]
    if not all(needed):
        return []
    return filters.cut(
        [
            {
                "sequence": ARROW.join(found.tools),
                "count": found.count,
                "sessions": found.sessions,
                "length": len(found.tools),
            }
            for found in frequent(units(db, filters), filters.min_count)
            if all(not names.isdisjoint(found.tools) for names in needed)
        ]
    )


def _included(db: sqlite3.Connection, text: str | None) -> frozenset[str] | None:
    if text is None:
        return None
    piece = PIECE.search(text)
    return matching_tools(db, escape(piece[1] if piece else text.strip()))


PERSPECTIVE = Perspective(
    name="sequences",
    summary="tool sequences that come back",
    columns=COLUMNS,
    run=run,
    params=(
        Param(
            "include_tool",
            str,
            None,
            "only sequences with this tool (a name, or a row of transitions)",
        ),
    ),
    filters=FILTERS,
    plot=Plot("bar", x="count", y="sequence"),
)
