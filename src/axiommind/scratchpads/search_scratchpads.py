"""Searching scratchpads by their titles and texts, as any other passage is searched: one hit per scratchpad."""

from __future__ import annotations

import sqlite3
import time

from axiommind.errors import BadQuery
from axiommind.projections.scratchpad_rows import one_scratchpad
from axiommind.scratchpads.search_workflows import checked_query
from axiommind.scratchpads.values import ScratchpadHit, ScratchpadPage
from axiommind.text.query_terms import keyword_clauses, search_method

__all__ = ["no_scratchpads", "search_scratchpads"]

MOST_SCRATCHPADS = 50
# Passages that are scored to find the best scratchpads: several of them may belong to one.
_SCORED = 600


def search_scratchpads(
    db: sqlite3.Connection,
    query: str,
    *,
    workflow: str | None = None,
    project_scope: str | None = None,
    limit: int = 20,
    cursor: str | None = None,
    now: int | None = None,
) -> ScratchpadPage:
    """The scratchpads that match best, as of `now` (epoch ms)."""
    from axiommind.search.find import Options, asked_at, connect, find
    from axiommind.search.query import Query, ScratchpadFilter

    asked = _checked(query, limit)
    connect(db)
    now = asked_at(cursor) or now or time.time_ns() // 1_000_000
    parsed = Query.parse(asked, now=now)
    parsed = parsed._replace(filters=parsed.filters._replace(scratchpads=ScratchpadFilter(workflow, project_scope)))
    page = find(db, parsed, Options(k=limit, group=True, cursor=cursor, scored=_SCORED), now)
    hits = []
    for hit in page.hits:
        row = one_scratchpad(db, hit.doc_id or "")
        if row is None or hit.citation is None:
            continue
        lines = hit.citation.line_start, hit.citation.line_end
        found = (row, hit.title or "", hit.score, hit.score_kind, hit.snippet.text)
        hits.append(ScratchpadHit(*found, *lines, hit.citation))
    return ScratchpadPage(asked, page.search_method, tuple(hits), page.total, page.next_cursor)


def no_scratchpads(query: str, *, limit: int = 20) -> ScratchpadPage:
    """The page of a home without any."""
    asked = _checked(query, limit)
    return ScratchpadPage(asked, search_method(asked) if keyword_clauses(asked) else "like", (), 0, None)


def _checked(query: str, limit: int) -> str:
    if not 1 <= limit <= MOST_SCRATCHPADS:
        raise BadQuery(f"a page cannot have {limit} scratchpads", hint=f"give a limit of 1 to {MOST_SCRATCHPADS}")
    return checked_query(query)
