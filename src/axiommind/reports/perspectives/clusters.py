"""Clusters of prompts that ask for the same thing in other words: habits worth a command or a rule.

`tool` keeps prompts whose turn (up to the next prompt of the session) used the tool. `confidence` weighs
the share of all meaningful prompts, the regularity of the intervals and the BM25 score; with `decay` also
how recent the cluster is, and clusters are ordered by `weighted_count` (half-life 14 days, from the newest
prompt).
"""

from __future__ import annotations

import sqlite3

from axiommind.errors import BadQuery
from axiommind.reports.analysers.clusters import PATTERN_CHARS, clusters
from axiommind.reports.analysers.depth import DEPTHS
from axiommind.reports.analysers.prompt_frequency import PromptText
from axiommind.reports.perspectives import Param, Params, Perspective, Plot, Row, common
from axiommind.reports.perspectives._filters import PerspectiveFilters
from axiommind.reports.perspectives._times import moment

FILTERS = common(
    {"top": 20, "min_count": 3},
    tool="only prompts whose turn used this tool (classified name; a pattern when it contains %)",
    min_count="only clusters of at least this many prompts",
)
COLUMNS = (
    "pattern",
    "count",
    "confidence",
    "bm25_score",
    "sessions",
    "last_used",
    "weighted_count",
    "normalized",
    "examples",
)
EXAMPLE_CHARS = 200

SQL = """
    select p.text, p.timestamp, p.session_id
    from prompts p
    where {counts}
    order by p.timestamp, p.id
"""


def run(db: sqlite3.Connection, params: Params) -> list[Row]:
    filters = PerspectiveFilters.read(db, params, FILTERS)
    depth = DEPTHS.get(params["depth"])
    if depth is None:
        raise BadQuery(f"unknown depth {params['depth']!r}", hint=f"one of: {', '.join(DEPTHS)}")
    said = db.execute(SQL.format(counts=filters.counts_prompt("p")), filters.bound)
    found = clusters((PromptText(*row) for row in said), depth, filters.min_count, decay=bool(params["decay"]))
    return filters.cut(
        [
            {
                "pattern": _short(c.pattern, PATTERN_CHARS),
                "count": c.count,
                "confidence": round(c.confidence, 2),
                "bm25_score": round(c.bm25_score, 2),
                "sessions": c.sessions,
                "last_used": db.execute(f"select {moment(':at')}", {"at": c.last_at}).fetchone()[0],
                "weighted_count": round(c.weighted_count, 2),
                "normalized": _short(c.normalized, PATTERN_CHARS),
                "examples": [_short(text, EXAMPLE_CHARS) for text in c.examples],
            }
            for c in found
        ]
    )


def _short(text: str, chars: int) -> str:
    return text if len(text) <= chars else text[: chars - 1].rstrip() + "…"


PERSPECTIVE = Perspective(
    name="clusters",
    summary="prompts that ask for the same thing",
    columns=COLUMNS,
    run=run,
    params=(
        Param("depth", str, "normal", "how far prompts may differ", choices=tuple(DEPTHS)),
        Param("decay", int, 0, "1 = newer prompts weigh more", least=0, most=1),
    ),
    filters=FILTERS,
    plot=Plot("bar", x="count", y="pattern"),
)
