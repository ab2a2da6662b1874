"""A session from start to end: its prompts and answers in order."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from axiommind.home import Home, Scope
from axiommind.ids import one_of

if TYPE_CHECKING:
    from axiommind.model import Citation, Span
    from axiommind.search.reading.conversation import CallInFull, Outline, Said, ToolCalled
    from axiommind.search.reading.session_margin import SessionMargin

__all__ = ["SessionTold", "Sessions", "Turn"]

_TURNS = """
    select 0, id, timestamp, text from prompts where session_id = :session
    union all
    select 1, id, coalesce(timestamp, 0), text from responses where session_id = :session and text <> ''
    order by 3, 2
"""

_SEGMENT = """
    select position from segments
    where session_id = :session and path = :path and :line_start between first_line and first_line + lines - 1
    order by live desc, position
    limit 1
"""


class Turn(NamedTuple):
    """A prompt or an answer, with the id that opens it."""

    id: str
    is_prompt: bool
    timestamp: int | None
    text: str


class SessionTold(NamedTuple):
    session_id: str
    title: str
    project: str
    agent: str
    started_at: int | None
    ended_at: int | None
    turns: tuple[Turn, ...]


class Sessions:
    """Whole sessions, to be read from start to end."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def show(self, name: str) -> SessionTold:
        """A session by its id, or the beginning of it."""
        from axiommind.ids import short_id
        from axiommind.projections.passages import KIND_BITS, KINDS

        kinds = (KINDS["prompt"], KINDS["response"])
        with self.home.reading(Scope(None), None) as db:
            db.execute("begin")
            chosen = _chosen(db, name)
            row = db.execute(
                """
                select coalesce(title, ''), project, agent, coalesce(started_at, first_ts), coalesce(ended_at, last_ts)
                from sessions where id = ?
                """,
                (chosen,),
            ).fetchone()
            turns = tuple(
                Turn(short_id(number << KIND_BITS | kinds[kind]), kind == 0, at or None, text)
                for kind, number, at, text in db.execute(_TURNS, {"session": chosen})
            )
        return SessionTold._make((chosen, *row, turns))

    def outline(self, name: str) -> Outline:
        """Everything in a session, a few bytes for each thing, in the order of its file."""
        from axiommind.search.reading.conversation import outline

        with self.home.reading(Scope(None), None) as db:
            db.execute("begin")
            return outline(db, _chosen(db, name))

    def stretch(self, of: Outline, first: int, count: int) -> list[Said | ToolCalled]:
        """Some things of an outline in full, by their numbers."""
        from axiommind.search.reading.conversation import stretch

        with self.home.reading(Scope(None), None) as db:
            return stretch(db, of, first, count)

    def place_of(self, of: Outline, citation: Citation) -> int | None:
        """The number in an outline of what stands at a line of one of its files; None where it is not there."""
        with self.home.reading(Scope(None), None) as db:
            row = db.execute(_SEGMENT, {"session": of.head.session_id, **citation._asdict()}).fetchone()
        return None if row is None else of.at(row[0], citation.line_start)

    def at_lines(self, path: str, first: int, last: int) -> tuple[Outline, list[int]] | None:
        """What stands at some lines of a file, or came back there, as numbers in its session's outline; None where
        no session is in that file."""
        from axiommind.search.reading.conversation import outline

        with self.home.reading(Scope(None), None) as db:
            db.execute("begin")
            rows = db.execute("select position, session_id from segments where path = ? order by position", (path,))
            positions = dict(rows.fetchall())
            if not positions:
                return None
            of = outline(db, positions[max(positions)])
        found = [
            at
            for at, one in enumerate(of.lines)
            if one.position in positions and any(first <= (line or 0) <= last for line in (one.line, one.result_line))
        ]
        return of, found

    def call(self, number: int) -> CallInFull:
        """All that a use of a tool was given, and all that came back."""
        from axiommind.search.reading.conversation import call_in_full

        with self.home.read_log() as (log, _key), self.home.reading(Scope(None), None) as db:
            return call_in_full(db, log.blob, number)

    def margin(self, session: str) -> SessionMargin:
        """What was learned from a session, given in it, and changed by it; by its whole id."""
        from axiommind.search.reading.session_margin import margin_of

        with self.home.reading(Scope(None), None) as db:
            db.execute("begin")
            return margin_of(db, session)

    def words(self, spans: Sequence[Span]) -> list[str]:
        """The exact words at some spans, from the log; empty where they were purged."""
        from axiommind.search.reading.session_margin import words_at

        with self.home.read_log() as (log, _key), self.home.reading(Scope(None), None) as db:
            return [words_at(db, log.blob, span) for span in spans]


def _chosen(db: sqlite3.Connection, name: str) -> str:
    """The session with this id, or whose id begins so."""
    wanted = name.strip()
    if db.execute("select 1 from sessions where id = ?", (wanted,)).fetchone():
        return wanted
    return one_of(wanted, {row[0] for row in db.execute("select id from sessions")}, "session")
