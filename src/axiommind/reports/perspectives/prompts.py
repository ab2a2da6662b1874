"""What was asked: a full-text search over the prompts, best first, or the newest prompts.

`tool` keeps prompts whose turn (up to the next prompt of the session) used the tool; `min_count` those said
at least so often, without regard to case and spacing. `text` is a piece of at most 200 characters, around
the first word found; `file_path` and `line` say where the whole prompt stands.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence

from axiommind.reports.analysers.prompt_frequency import normalise
from axiommind.reports.perspectives import Param, Params, Perspective, Row, common
from axiommind.reports.perspectives._filters import PerspectiveFilters
from axiommind.reports.perspectives._times import moment
from axiommind.text.keywords import keywords
from axiommind.text.query_terms import fts_query

FILTERS = common(
    {"top": 20},
    tool="only prompts whose turn used this tool (classified name; a pattern when it contains %)",
    min_count="only prompts said at least this often (case and spacing aside)",
)
COLUMNS = ("id", "session_id", "timestamp", "date", "text", "char_count", "title", "file_path", "line")
SNIPPET_CHARS = 200
LEAD_CHARS = 60  # what is shown before the first word found

COLUMNS_SQL = f"""
    select p.id, p.session_id, p.timestamp, case when p.timestamp > 0 then {moment("p.timestamp")} end,
      p.text, p.char_count, s.title, coalesce(g.path, s.file_path) as file_path, p.line
    from prompts p
    join sessions s on s.id = p.session_id
    left join segments g on g.position = p.id >> 24  -- a session may have two files: the one this line is in
"""

NEWEST = (
    COLUMNS_SQL
    + """
    where {counts}
    order by p.timestamp desc, p.id desc
"""
)

SEARCH = (
    COLUMNS_SQL
    + """
    join passages on passages.kind = 'prompt' and passages.ref = p.id
    join passages_fts on passages_fts.rowid = passages.id
    where passages_fts match :query
      and {counts}
    order by bm25(passages_fts), p.id
"""
)

TEXTS = """
    select p.id, p.text
    from prompts p
    where {counts}
"""


def run(db: sqlite3.Connection, params: Params) -> list[Row]:
    filters = PerspectiveFilters.read(db, params, FILTERS)
    search = params["search"]
    query = None if search is None else fts_query(search)
    if filters.top == 0 or (search is not None and query is None):
        return []
    counts = filters.counts_prompt("p")
    often = _said_often(db, filters, counts)
    words = keywords(search) or search.casefold().split() if search is not None else []
    rows: list[Row] = []
    sql = NEWEST if search is None else SEARCH
    for found in db.execute(sql.format(counts=counts), {**filters.bound, "query": query}):
        if often is not None and found[0] not in often:
            continue
        row = dict(zip(COLUMNS, found, strict=True))
        row["text"] = snippet(row["text"], words)
        rows.append(row)
        if len(rows) == filters.top:
            break
    return rows


def _said_often(db: sqlite3.Connection, filters: PerspectiveFilters, counts: str) -> set[int] | None:
    """The prompts said at least `min_count` times; None when every prompt is."""
    if filters.min_count <= 1:
        return None
    texts = {i: normalise(text) for i, text in db.execute(TEXTS.format(counts=counts), filters.bound)}
    said = Counter(texts.values())
    return {i for i, text in texts.items() if said[text] >= filters.min_count}


def snippet(text: str, words: Sequence[str]) -> str:
    """At most 200 characters on one line, ellipses included, around the first of the words."""
    line = " ".join(text.split())
    if len(line) <= SNIPPET_CHARS:
        return line
    folded = line.lower()  # may differ in length for a few letters; then the cut is a little off, no more
    places = [at for word in words if (at := folded.find(word)) >= 0]
    start = max(0, min(places, default=0) - LEAD_CHARS)
    if start + SNIPPET_CHARS > len(line):
        start = len(line) - SNIPPET_CHARS + 1
    if start == 0:
        return line[: SNIPPET_CHARS - 1].rstrip() + "…"
    piece = line[start : start + SNIPPET_CHARS - 1]
    if start + len(piece) < len(line):
        piece = piece[:-1].rstrip() + "…"
    return "…" + piece.lstrip()


PERSPECTIVE = Perspective(
    name="prompts",
    summary="what was asked: search, or the newest",
    columns=COLUMNS,
    run=run,
    params=(Param("search", str, None, "words that the prompt must hold (any language)"),),
    filters=FILTERS,
)
