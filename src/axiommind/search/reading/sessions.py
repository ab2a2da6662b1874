"""A session from start to end: its prompts and answers in order."""

from __future__ import annotations

from typing import NamedTuple

from axiommind.home import Home, Scope
from axiommind.ids import one_of

__all__ = ["SessionTold", "Sessions", "Turn"]

_TURNS = """
    select 0, id, timestamp, text from prompts where session_id = :session
    union all
    select 1, id, coalesce(timestamp, 0), text from responses where session_id = :session and text <> ''
    order by 3, 2
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
            chosen = one_of(name.strip(), {row[0] for row in db.execute("select id from sessions")}, "session")
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
