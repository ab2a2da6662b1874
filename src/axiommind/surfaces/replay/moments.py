"""The moments of past sessions at which a hook is asked: prompts, the first edit of each file, and errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from axiommind.tools.kinds import EDIT, KnownTool
from axiommind.tools.past_call import fields_of

__all__ = ["Moment", "moments_of"]

_PROMPTS = """
    select timestamp, text
    from prompts
    where session_id = :session and canonical and timestamp > 0
"""
_CALLS = """
    select timestamp, tool_name, input_json, is_error, error
    from tool_uses
    where session_id = :session and canonical and timestamp > 0
    order by seq_order
"""


class Moment(NamedTuple):
    """When a hook was asked, or would have been, and what the client told it."""

    at: int
    session_id: str
    event: str
    given: dict[str, Any]

    @property
    def about(self) -> str:
        """In a line, for whoever reads it: the prompt, the file or the error."""
        if self.event == "UserPromptSubmit":
            return str(self.given["prompt"])
        if self.event == "PreToolUse":
            return f"{self.given['tool_name']} {self.given['file']}"
        return f"{self.given['tool_name']}: {self.given['error']}"


def moments_of(db: sqlite3.Connection, sessions: Iterable[str], tools: dict[str, KnownTool]) -> list[Moment]:
    """The moments of these sessions in the order of time."""
    found = [moment for session in sessions for moment in _of_session(db, session, tools)]
    return sorted(found, key=lambda moment: (moment.at, moment.session_id, moment.event))


def _of_session(db: sqlite3.Connection, session: str, tools: dict[str, KnownTool]) -> Iterator[Moment]:
    for at, text in db.execute(_PROMPTS, {"session": session}):
        yield Moment(at, session, "UserPromptSubmit", {"prompt": text})
    edited: set[str] = set()
    for at, name, given_json, is_error, error in db.execute(_CALLS, {"session": session}):
        given = fields_of(given_json)
        tool = tools.get(name)
        file = given.get(tool.file_field) if tool is not None and tool.kind == EDIT else None
        if isinstance(file, str) and file and file not in edited:
            edited.add(file)
            yield Moment(at, session, "PreToolUse", {"tool_name": name, "tool_input": given, "file": file})
        if is_error and error:
            failed = {"tool_name": name, "tool_input": given, "error": error, "is_interrupt": False}
            yield Moment(at + 1, session, "PostToolUseFailure", failed)
