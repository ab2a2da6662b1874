"""What was said and done in a session, as far as grounding looks at it: prompts, calls, what tools returned, answers.

What tools returned is read from the log, in full: an agent knows what it has read, and the index keeps only the
beginning of some of it. Each session is read with its subagents, and of each so many characters at most.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from axiommind.grounding.judge import LaterText
from axiommind.projections.transcript import Blob, read
from axiommind.tools.call_text import tool_text

__all__ = ["FILE_PATH", "said_in"]

_MOST_CHARS = 12_000_000  # of a session
_TEXT_CHARS = 20_000  # of one text in it
_RESULT_CHARS = 100_000
# An input that was cut, or is no JSON, names no file.
FILE_PATH = """
    case when json_valid(t.input_json) and json_type(t.input_json) = 'object' then cast(coalesce(
        json_extract(t.input_json, '$.file_path'), json_extract(t.input_json, '$.notebook_path')) as text) end
"""
_FAMILY = """
    with recursive family(id) as (
        values (:session)
        union
        select s.id from sessions s join family f on s.parent_session = f.id
    )
"""
_PROMPTS = f"""
    {_FAMILY}
    select p.id, p.timestamp, substr(p.text, 1, :chars) from prompts p
    where p.session_id in family order by p.timestamp, p.id
"""
_CALLS = f"""
    {_FAMILY}
    select t.id, coalesce(t.timestamp, 0), t.tool_name, t.input_json, {FILE_PATH}
    from tool_uses t where t.session_id in family order by t.timestamp, t.id
"""
_ANSWERS = f"""
    {_FAMILY}
    select r.id, coalesce(r.timestamp, 0), substr(r.text, 1, :chars) from responses r
    where r.session_id in family and r.text <> '' order by r.timestamp, r.id
"""


def said_in(db: sqlite3.Connection, blob: Blob, session: str) -> list[LaterText]:
    """Everything of a session; of one that is too long the last answers are left out first."""
    room = _MOST_CHARS
    found = []
    for one in _everything(db, blob, session):
        room -= len(one.text)
        if room < 0:
            break
        found.append(one)
    return found


def _everything(db: sqlite3.Connection, blob: Blob, session: str) -> Iterator[LaterText]:
    asked = {"session": session, "chars": _TEXT_CHARS}
    for row, at, text in db.execute(_PROMPTS, asked):
        yield LaterText(at, text, False, (), ("prompt", row))
    for row, at, name, given, path in db.execute(_CALLS, asked):
        text = tool_text(name, given, None, None)[:_TEXT_CHARS]
        yield LaterText(at, text, True, (path,) if path else (), ("tool", row))
    family = [row[0] for row in db.execute(f"{_FAMILY} select id from family", asked)]
    for one in family:
        yield from _results(db, blob, one)
    for row, at, text in db.execute(_ANSWERS, asked):
        yield LaterText(at, text, True, (), ("response", row))


def _results(db: sqlite3.Connection, blob: Blob, session: str) -> Iterator[LaterText]:
    """What tools returned, when they were called: whatever the agent says of it comes later."""
    transcript = read(db, blob, session)
    if transcript is None:
        return
    for use in transcript.uses:
        for place in use.results:
            message = transcript.messages[place]
            yield LaterText(message.timestamp or use.timestamp or 0, message.text[:_RESULT_CHARS], False)
