"""Citations: which lines of which file a passage is. `reading.lines` opens them."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable

from axiommind.errors import BadQuery
from axiommind.model import Citation
from axiommind.projections import PLACE_BITS
from axiommind.text.patterns import lazy

__all__ = ["SCRATCHPAD", "WORKFLOW", "locate", "parse"]

# The addresses of scratchpads and workflows, which have no path.
SCRATCHPAD = "axm://pad/"
WORKFLOW = "axm://workflow/"
_ALL_LINES = 999_999_999
_CITATION = lazy(r"(?P<path>.+?)[:#]L?(?P<start>\d{1,9})(?:-L?(?P<end>\d{1,9}))?", re.DOTALL)
_WHERE = {
    "prompt": f"select r.line, r.line, g.path from prompts r join segments g on g.position = r.id >> {PLACE_BITS}",
    "response": f"""
        select r.line_start, r.line_end, g.path from responses r join segments g on g.position = r.id >> {PLACE_BITS}
    """,
    # A call and what came back are lines of their own; what came back counts when the passage holds some of it.
    "tool": f"""
        select r.line, case when r.error is null and r.output is null then r.line
                            else max(r.line, coalesce(r.result_line, r.line)) end, g.path
        from tool_uses r join segments g on g.position = r.id >> {PLACE_BITS}
    """,
    "summary": f"""
        select r.line, r.line, g.path from compaction_summaries r join segments g on g.position = r.id >> {PLACE_BITS}
    """,
    # The first words that the claim rests on.
    "insight": """
        select v.line, v.line, v.path from entries r
        join entry_evidence v on v.entry_id = r.entry_id and v.line is not null and v.is_live
    """,
    "doc": "select r.line_start, r.line_end, d.path from chunks r join documents d on d.id = r.doc_id",
    # No file, but lines all the same: a scratchpad's, or those of a workflow's description.
    "pad": f"""
        select r.line_start, r.line_end, coalesce('{SCRATCHPAD}' || r.pad_id, '{WORKFLOW}' || r.workflow_id)
        from pad_chunks r
    """,
}
# A session that was moved goes on in another file, which begins with the same lines.
_REACHING = """
    select o.path from segments g join segments o on o.session_id = g.session_id
    where g.position = :position and o.live and o.first_line + o.lines > :end
    order by o.path = g.path desc, o.position
"""


def locate(db: sqlite3.Connection, rows: Iterable[tuple[int, str, int]]) -> dict[int, Citation]:
    """Where passages are, given as (id, kind, ref)."""
    found = {}
    for passage, kind, ref in rows:
        row = db.execute(f"{_WHERE[kind]} where r.id = ?", (ref,)).fetchone()
        if row is None:
            continue
        start, end, path = row
        if start < end and kind not in ("doc", "pad"):
            values = {"position": ref >> PLACE_BITS, "end": end}
            (path,) = db.execute(_REACHING, values).fetchone() or (path,)
        found[passage] = Citation(path, start, end)
    return found


def parse(text: str) -> Citation:
    """`path:L12-L34`, `path:L12`, `path:12`, or the same with `#`. Numbers may be in either order."""
    match = _CITATION.fullmatch(text.strip())
    if match is None and text.strip().startswith((SCRATCHPAD, WORKFLOW)):  # their address alone: all of it
        return Citation(text.strip(), 1, _ALL_LINES)
    if match is None:
        raise BadQuery(f"{text!r} is no citation", hint="a citation looks like notes/plan.md:L12-L34")
    start = int(match["start"])
    end = int(match["end"] or start)
    if not start or not end:
        raise BadQuery(f"{text!r}: lines are counted from 1", hint="a citation looks like notes/plan.md:L12-L34")
    return Citation(match["path"], min(start, end), max(start, end))
