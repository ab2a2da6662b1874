"""The six common filters as conditions in SQL.

Every condition is put together from constant text and column names of ours; what a user typed is only ever
bound. It also holds the counting rule: over several sessions a row counts when it is the canonical
occurrence, within one session every occurrence of that session counts.
"""

from __future__ import annotations

import sqlite3
from typing import Any, NamedTuple, TypeVar

from axiommind.errors import BadQuery
from axiommind.reports.perspectives import Param, Params

T = TypeVar("T")

LARGEST = 2**63 - 1  # what SQLite can bind
LONGEST_PATTERN = 50_000  # bytes; SQLite refuses a longer LIKE pattern with an error of its own

FIND_SESSION = """
    select id
    from sessions
    where id = :session
       or substr(id, 1, length(:session)) = :session
    order by id <> :session, id
    limit 3
"""

# A turn is a prompt and what follows it in its session up to the next prompt; lines give the order.
TURNS_WITH_TOOL = """
    select max(prompt)
    from (
      select session_id, prompt, count(prompt) over (
        partition by session_id
        order by line, prompt is null, prompt
        rows unbounded preceding
      ) as turn
      from (
        select session_id, line, id as prompt
        from prompts
        union all
        select session_id, line, null
        from tool_uses
        where {tool}
      )
    )
    group by session_id, turn
    having count(*) > count(prompt)
"""


class PerspectiveFilters(NamedTuple):
    """The values of the common filters; `session` is a whole id once read."""

    since: int | None
    until: int | None
    tool: str | None
    session: str | None
    top: int
    min_count: int

    @classmethod
    def read(cls, db: sqlite3.Connection, params: Params, common: tuple[Param, ...]) -> PerspectiveFilters:
        defaults: dict[str, Any] = {p.name: p.default for p in common}
        given = {name: defaults[name] if params[name] is None else params[name] for name in defaults}
        return cls(
            since=None if given["since"] is None else _bindable(given["since"]),
            until=None if given["until"] is None else _bindable(given["until"]),
            tool=None if given["tool"] is None else escape(given["tool"]),
            session=_find_session(db, given["session"]),
            top=_bindable(max(given["top"], -1)),
            min_count=_bindable(given["min_count"]),
        )

    @property
    def bound(self) -> dict[str, int | str | None]:
        return {
            "since": self.since,
            "until": self.until,
            "tool": self.tool,
            "session": self.session,
            "top": self.top,
            "min_count": self.min_count,
        }

    @property
    def timed(self) -> bool:
        return self.since is not None or self.until is not None

    def during(self, time: str) -> str:
        """True while `time` lies in the asked days; an unknown time (null, or 0) lies in no bounded span."""
        parts = []
        if self.since is not None:
            parts.append(f"{time} >= :since")
        if self.until is not None:
            parts.append(f"{time} < :until")
        if parts:
            parts.append(f"{time} > 0")
        return " and ".join(parts) or "1"

    def counts(self, row: str) -> str:
        """True where a row of a raw table counts: whose occurrence it is, and when it happened."""
        owned = f"{row}.canonical = 1" if self.session is None else f"{row}.session_id = :session"
        return f"{owned} and {self.during(row + '.timestamp')}"

    def of_session(self, column: str) -> str:
        return "1" if self.session is None else f"{column} = :session"

    def names(self, column: str) -> str:
        """True where `column` is the tool asked for."""
        return "1" if self.tool is None else _is_tool(column, self.tool)

    def counts_prompt(self, row: str) -> str:
        """`counts` for a prompt; `tool` then means that the tool was used in the prompt's turn."""
        if self.tool is None:
            return self.counts(row)
        turns = TURNS_WITH_TOOL.format(tool=self.names("classified_name"))
        return f"{self.counts(row)} and {row}.id in ({turns})"

    def tools(self, db: sqlite3.Connection) -> frozenset[str] | None:
        """The classified names that `tool` means; None when it was not given."""
        return None if self.tool is None else matching_tools(db, self.tool)

    def cut(self, rows: list[T]) -> list[T]:
        return rows if self.top < 0 else rows[: self.top]

    def share(self, kinds: list[list[T]]) -> list[T]:
        """At most `top` rows of several kinds, which take turns, so that each is seen. Every kind stays together."""
        turns = sorted((turn, kind) for kind, rows in enumerate(kinds) for turn in range(len(rows)))
        kept = [kind for _, kind in self.cut(turns)]
        return [row for kind, rows in enumerate(kinds) for row in rows[: kept.count(kind)]]


def matching_tools(db: sqlite3.Connection, tool: str) -> frozenset[str]:
    """Every classified name that a name, or an escaped pattern, means."""
    wanted = _is_tool("classified_name", tool)
    found = db.execute(f"select distinct classified_name from tool_uses where {wanted}", {"tool": tool})
    return frozenset(name for (name,) in found)


def _is_tool(column: str, tool: str) -> str:
    return f"{column} like :tool escape '\\'" if "%" in tool else f"{column} = :tool"


def _bindable(number: int) -> int:
    return max(-LARGEST, min(LARGEST, number))


def _storable(text: str) -> str:
    """What the shell handed over in no known encoding cannot be bound, and is in no index either."""
    return text.encode("utf-8", "replace").decode()


def escape(tool: str) -> str:
    """A name as it is; a pattern with every `_` made literal (it occurs in `mcp__server__tool`)."""
    tool = _storable(tool)
    if "%" not in tool:
        return tool
    escaped = tool.replace("\\", "\\\\").replace("_", "\\_")
    if len(escaped.encode()) > LONGEST_PATTERN:
        raise BadQuery("the tool pattern is too long")
    return escaped


def _find_session(db: sqlite3.Connection, session: str | None) -> str | None:
    """The session meant by an id or its first characters; a text that fits none stays and finds nothing."""
    if session is None:
        return None
    session = _storable(session)
    found = [row[0] for row in db.execute(FIND_SESSION, {"session": session})]
    if not found or found[0] == session or len(found) == 1:
        return found[0] if found else session
    raise BadQuery(
        f"{session!r} begins more than one session id: {', '.join(found)}{' …' if len(found) > 2 else ''}",
        hint="give more of the id; run: axm query --perspective sessions",
    )
