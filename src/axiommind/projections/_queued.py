"""Which queued prompts count: those that nobody repeats and nobody took back.

A prompt typed while the agent was at work stands in a line of its own before it is handed over, and mostly a user line
or an attachment says it again. A session arrives in pieces, so this is decided anew with every piece, over all rows of
the session: what is repeated goes, whichever came first. Only rows without a uuid are such prompts.
"""

from __future__ import annotations

import re
import sqlite3

from axiommind.projections import PLACE_BITS
from axiommind.sources.records import Decoded

__all__ = ["places", "settle"]

_ORIGIN = "queued"
_QUEUED = f"session_id = ? and origin = '{_ORIGIN}' and uuid is null"
_NEVER = 1 << 62
# What a client shows instead of a long text that was pasted; the other line has the text.
_PLACEHOLDER = re.compile(r"\[Pasted text #\d+[^\]\n]*\]")
_COMMANDS = """
    delete from commands
    where session_id = :session and uuid is null
      and exists (
        select 1 from commands c
        where c.session_id = :session and c.kind = commands.kind and c.name = commands.name and c.args = commands.args
          and (c.uuid is not null or (c.id < commands.id and c.timestamp = commands.timestamp)))
"""


def settle(db: sqlite3.Connection, session: str, decoded: Decoded) -> None:
    """After the rows of a segment came: take out the queued prompts and commands that do not count."""
    if decoded.commands:
        db.execute(_COMMANDS, {"session": session})
    if not decoded.prompts and not decoded.taken_back and not decoded.not_typed:
        return
    queued = db.execute(f"select id, timestamp, text from prompts where {_QUEUED} order by id", (session,)).fetchall()
    if not queued:
        return
    others = db.execute(f"select text from prompts where session_id = ? and not ({_QUEUED})", (session, session))
    said = [_lines(text) for (text,) in others]
    said += map(_lines, decoded.not_typed)  # queued by a program; that is always before it is handed over
    seen: set[tuple[int, str]] = set()
    for row, when, text in queued:
        again = (when, text) in seen  # the same line in another file of the session
        seen.add((when, text))
        withdrawn = any(
            when <= (_NEVER if at is None else at) and _repeats(_lines(back), text) for at, back in decoded.taken_back
        )
        if again or withdrawn or any(_repeats(one, text) for one in said):
            db.execute("delete from prompts where id = ?", (row,))


def places(db: sqlite3.Connection, session: str) -> set[tuple[int, int]]:
    """Where the queued prompts stand that count: (position of the event, line)."""
    rows = db.execute(f"select id >> {PLACE_BITS}, line from prompts where {_QUEUED}", (session,))
    return {(position, line) for position, line in rows}


def _lines(text: str) -> str:
    """The text with an end before its first line and after each: so whole lines can be looked for."""
    return "\n" + "".join(f"{line.strip()}\n" for line in text.splitlines())


def _repeats(said: str, queued: str) -> bool:
    """Whether another line says the queued text, as whole lines of its own."""
    at = 0
    for part in _PLACEHOLDER.split(queued):
        wanted = _lines(part.strip()) if part.strip() else ""
        if part != queued:
            wanted = wanted.strip("\n")  # it may go on in the same line
        found = said.find(wanted, at)
        if found < 0:
            return False
        at = found + len(wanted) - 1 if wanted else at
    return True
