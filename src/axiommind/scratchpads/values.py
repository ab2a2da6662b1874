"""What workflows and scratchpads answer with: versions, written scratchpads, pages of hits, and matching lines.

Values only, and light to import: the MCP server writes the schemas of its answers from them. Lines, and places in
them, are counted from 1, places in characters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from axiommind.model import Citation
    from axiommind.projections.scratchpad_rows import ScratchpadRow, WorkflowRow

__all__ = [
    "LineMatch",
    "LineRange",
    "MatchingScratchpad",
    "ScratchpadConflict",
    "ScratchpadHit",
    "ScratchpadMatches",
    "ScratchpadPage",
    "ScratchpadVersion",
    "WorkflowHit",
    "WorkflowPage",
    "WrittenScratchpad",
]


class WrittenScratchpad(NamedTuple):
    """A scratchpad after a write, and a note if the text was not stored exactly as given."""

    row: ScratchpadRow
    note: str | None = None


class ScratchpadVersion(NamedTuple):
    version: int
    at: str
    actor: str
    mode: str
    lines: int
    size_bytes: int
    session: str | None  # in which it was written
    machine: str = ""  # on which, if not on this one
    conflicts: int = 0  # texts that stood beside it then


class ScratchpadConflict(NamedTuple):
    """A text beside the text of a scratchpad, or the description of a workflow: two machines changed one version."""

    number: int
    at: str
    actor: str
    machine: str  # on which it was written; empty: this one
    lines: int
    text: str


class MatchingScratchpad(NamedTuple):
    row: ScratchpadRow
    score: int
    snippet: str


class WorkflowHit(NamedTuple):
    workflow: WorkflowRow
    score: int
    rank: int  # from 1, over all pages
    matching_scratchpads: tuple[MatchingScratchpad, ...]  # only those that matched, most points first


class WorkflowPage(NamedTuple):
    query: str
    search_method: str
    results: tuple[WorkflowHit, ...]
    page: int
    per_page: int
    total_results: int
    has_more: bool
    message: str
    score_kind: str = "points"


class ScratchpadHit(NamedTuple):
    """A scratchpad, and the lines of it that match best."""

    scratchpad: ScratchpadRow
    workflow_name: str
    score: float
    score_kind: str
    snippet: str
    line_start: int
    line_end: int
    citation: Citation


class ScratchpadPage(NamedTuple):
    query: str
    search_method: str
    results: tuple[ScratchpadHit, ...]
    total_results: int
    next_cursor: str | None


class LineMatch(NamedTuple):
    """A matching line: where its first match begins, what that is, and how many matches the line has."""

    line_number: int
    char_position: int
    match_text: str
    snippet: str
    times: int


class LineRange(NamedTuple):
    """Consecutive lines: `> 12: …` is one that matched, `... 13: …` one beside it."""

    first: int
    last: int
    text: str


class ScratchpadMatches(NamedTuple):
    scratchpad: ScratchpadRow
    query: str | None
    regex: str | None
    matches: tuple[LineMatch, ...]  # one per line, from the top
    ranges: tuple[LineRange, ...]
    total_matches: int  # lines
    truncated: bool  # more lines match than are here
