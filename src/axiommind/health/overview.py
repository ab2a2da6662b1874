"""The overview: how much there is of what, over one project or all of them."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from axiommind.prices.dollars import Pricing

__all__ = ["Overview", "overview"]


@dataclass(frozen=True, slots=True)
class Overview:
    sessions: int
    subagents: int
    projects: list[tuple[str, int]]
    prompts: int
    tool_uses: int
    edits: int
    first: int | None
    last: int | None
    output_tokens: int
    tools: list[tuple[str, int]]
    files: list[tuple[str, int]]
    recent: list[tuple[str, str, int]]
    proposals: int = 0  # of agents, that wait for a person
    dollars: float | None = None  # at list prices, of what has one; None where nothing has, or dollars are turned off
    unpriced: tuple[str, ...] = ()  # models without a known price


_DOLLARS = """
    select sum(dollars(model, timestamp, input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens,
                       cache_1h_tokens, service_tier))
    from responses where canonical
"""


def overview(db: sqlite3.Connection, pricing: Pricing | None = None) -> Overview:
    """The figures of a scope, over a connection that is scoped already; with `pricing`, what its answers cost."""

    def rows(sql: str) -> list[tuple[Any, ...]]:
        return db.execute(sql).fetchall()

    ((sessions, subagents, first, last),) = rows(
        """
        select count(*) filter (where parent_session is null), count(*) filter (where parent_session is not null),
               min(coalesce(first_ts, started_at)), max(coalesce(last_ts, ended_at))
        from sessions
        """
    )
    dollars = None
    if pricing is not None:
        pricing.register(db)
        ((dollars,),) = rows(_DOLLARS)
    ((tokens,),) = rows("select coalesce(sum(output_tokens), 0) from responses where canonical")
    return Overview(
        sessions=sessions,
        subagents=subagents,
        projects=rows(
            "select project, count(*) as n from sessions where parent_session is null group by 1 order by n desc, 1"
        ),
        prompts=rows("select count(*) from prompts where canonical")[0][0],
        tool_uses=rows("select count(*) from tool_uses where canonical")[0][0],
        edits=rows("select count(*) from file_edits where canonical")[0][0],
        first=first,
        last=last,
        output_tokens=tokens,
        tools=rows(
            """
            select classified_name, count(*) as n from tool_uses where canonical
            group by 1 order by n desc, 1 limit 8
            """
        ),
        files=rows("select file_path, edit_count from file_hotspots order by edit_count desc, file_path limit 5"),
        recent=rows(
            """
            select id, coalesce(title, '(no title)'), coalesce(last_ts, ended_at, 0) from sessions
            where parent_session is null order by 3 desc, id limit 3
            """
        ),
        proposals=rows("select count(*) from proposals where status = 'open'")[0][0],
        dollars=None if dollars is None else round(dollars, 6),
        unpriced=() if pricing is None else tuple(sorted(pricing.unpriced)),
    )
