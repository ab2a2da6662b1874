"""What resources share: Markdown cut to what clients accept, and the ids that complete a URI."""

from __future__ import annotations

from axiommind.errors import AxmError
from axiommind.surfaces.mcp.context import Context
from axiommind.surfaces.mcp.declarations import Complete
from axiommind.surfaces.mcp.pages import PAGE_TOKENS, lines_fitting

MARKDOWN = "text/markdown"
MOST_COMPLETIONS = 100


def completed_by(sql: str) -> Complete:
    """Completes a variable with the values of a select that begin with what was typed."""

    def complete(ctx: Context, typed: str) -> list[str]:
        try:
            rows = ctx.memory.own_sql(sql, ctx.memory.scope(all_projects=True))
        except AxmError:  # there is no index yet: nothing to propose
            return []
        return [str(row[0]) for row in rows if str(row[0]).startswith(typed)][:MOST_COMPLETIONS]

    return complete


def one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 200 else line[:199] + "…"


def clipped(text: str, more: str) -> str:
    """The text, cut at a line end if it is too long; `more` says how to get the rest."""
    return lines_fitting(text, PAGE_TOKENS, more)
