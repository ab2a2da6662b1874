"""Where it stopped: how a session ended, the last answer, and what was called after it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any, NamedTuple

from axiommind.recall.handoff.asked import last_request
from axiommind.recall.handoff.values import OWN_WORDS, HandoffNote, in_parts, passage_id
from axiommind.recall.packets.last_session import says_any, withdrawn_claims
from axiommind.sources import tool_names
from axiommind.text.summary import preview
from axiommind.text.whole_sentences import pieces, whole
from axiommind.tools.kinds import ASK, PLAN

__all__ = ["Ending", "ending_notes", "ending_of"]

_PART = 420  # characters of a part of the last answer
_PARTS, _SOON = 16, 4  # that are told at all, and that are told soon
_CALLS = 5  # that are told, of those after the last answer
_COMMAND = 110
_ERROR = 240
_SAID, _SAYS = 200, 15  # characters of what was said before; less says nothing
_LAST_WORDS = f"""
    select id, text, timestamp, line_start from responses
    where session_id = ? and text <> '' and not is_error and {OWN_WORDS}
    order by line_start desc, id desc limit 1
"""
_BROKE = """
    select id, text, timestamp, line_start from responses
    where session_id = ? and is_error and text <> ''
    order by line_start desc limit 1
"""
_BEFORE = f"""
    select id, text, timestamp from responses
    where session_id = :session and line_start > :start and line_start < :end and text <> '' and not is_error
      and {OWN_WORDS}
    order by line_start desc limit 8
"""
_CALLS_AFTER = """
    select id, line, tool_name, classified_name, input_json, is_error, coalesce(error, ''), timestamp
    from tool_uses where session_id = ? and line > ? and subagent is null
    order by seq_order
"""


class _LastCall(NamedTuple):
    id: int
    line: int
    tool: str
    kind: str
    given: str | None
    failed: int | None  # None: nothing came back
    error: str
    at: int | None


class _Words(NamedTuple):
    id: int
    text: str
    at: int | None
    line: int


class Ending(NamedTuple):
    """How a session ended."""

    words: _Words | None  # the last answer
    error: _Words | None  # what it broke off with, if it did
    calls: tuple[_LastCall, ...]  # after the last answer
    is_open: bool  # the last request has no answer

    @property
    def is_done(self) -> bool:
        """Whether the agent came to an end by itself."""
        return not self.is_open and not self.calls and self.error is None

    @property
    def running(self) -> tuple[_LastCall, ...]:
        """What had been called and had not come back."""
        return tuple(call for call in self.calls if call.failed is None)


def ending_of(db: sqlite3.Connection, session: str) -> Ending:
    row, broke = db.execute(_LAST_WORDS, (session,)).fetchone(), db.execute(_BROKE, (session,)).fetchone()
    words = _Words._make(row) if row is not None else None
    after = words.line if words is not None else 0
    asked = last_request(db, session)
    calls = tuple(map(_LastCall._make, db.execute(_CALLS_AFTER, (session, after))))
    is_open = asked is not None and (words is None or asked.line > words.line)
    error = _Words._make(broke) if broke is not None and broke[3] > max(after, calls[-1].line if calls else 0) else None
    return Ending(words, error, calls, is_open)


def ending_notes(db: sqlite3.Connection, session: str, ending: Ending) -> Iterator[HandoffNote]:
    yield from _state(session, ending)
    words = ending.words
    if words is None:
        return
    withdrawn = withdrawn_claims(db, session)
    if ending.calls and not ending.is_open:
        yield from _said_before(db, session, words, withdrawn)
    lead = "the last answer, before the last request" if ending.is_open else "the last answer"
    note = HandoffNote("", 0, passage_id("response", words.id), session, lead, timestamp=words.at, provenance="agent")
    many = len(pieces(words.text, _PART))
    # What it says first and last, then what is between; of a long answer most of it after what was asked.
    ranks = [
        0.5 if n == 0 else 0.7 if n == many - 1 else 2 + 0.9 * n if n < _SOON else 7 + n
        for n in range(min(many, _PARTS))
    ]
    for part in in_parts(words.text, note, ranks, _PART):
        if not says_any(part.text, withdrawn):
            yield part


def _said_before(
    db: sqlite3.Connection, session: str, words: _Words, withdrawn: list[set[str]]
) -> Iterator[HandoffNote]:
    """What the agent said of its work on the last request before that, in short: it was broken off in the midst."""
    asked = last_request(db, session)
    values = {"session": session, "start": asked.line if asked is not None else 0, "end": words.line}
    rows = db.execute(_BEFORE, values).fetchall()
    for n, (ref, text, at) in reversed(list(enumerate(rows))):
        said = whole(text, _SAID)
        if len(said) > _SAYS and not says_any(said, withdrawn):
            lead = "said before" if n == len(rows) - 1 else "then"
            yield HandoffNote(
                said, 3.2 + 0.5 * n, passage_id("response", ref), session, lead, timestamp=at, provenance="agent"
            )


def _state(session: str, ending: Ending) -> Iterator[HandoffNote]:
    """What happened after the last answer."""
    if ending.error is not None:
        text = f"It broke off with an error: {whole(ending.error.text, _ERROR)}"
        yield HandoffNote(text, 0.1, passage_id("response", ending.error.id), session, timestamp=ending.error.at)
    for call in ending.running[-2:]:
        if question := _question_in(call):
            text = f"It had asked the person, who has not answered: {question}"
        else:
            text = f"It broke off while this was running, and nothing came back: {_called(call)}"
        yield HandoffNote(text, 0.2, passage_id("tool", call.id), session, timestamp=call.at)
    told_elsewhere = tool_names(PLAN, ASK)
    done = [call for call in ending.calls if call.failed is not None and call.tool not in told_elsewhere]
    more = len(done) - _CALLS
    for n, call in enumerate(done[-_CALLS:]):
        lead = "called after the last answer" if n == 0 else "then"
        if n == 0 and more > 0:
            lead = f"called after the last answer, and {more} calls before it"
        yield HandoffNote(
            f"{_called(call)}{_outcome(call)}",
            3 + 0.3 * (_CALLS - n),
            passage_id("tool", call.id),
            session,
            lead,
            timestamp=call.at,
        )


def _question_in(call: _LastCall) -> str:
    """What the person was asked, if that is what the call does."""
    from axiommind.tools.past_call import fields_of

    if call.tool not in tool_names(ASK):
        return ""
    asked = (text for text in _texts(fields_of(call.given)) if text.rstrip().endswith(("?", "？")))
    return whole(next(asked, ""), _ERROR)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _called(call: _LastCall) -> str:
    from axiommind.tools.past_call import command_of

    about = preview(command_of(call.given), _COMMAND)
    return f"{call.tool} `{about.replace('`', chr(39))}`" if about else call.tool


def _outcome(call: _LastCall) -> str:
    from axiommind.tools.error_signature import told_by
    from axiommind.tools.refusals import refusal_in

    if not call.failed:
        return ""
    refused = refusal_in(call.error)
    if refused is not None:
        return f": refused by the person{f', who said: {whole(refused.reason, _ERROR)}' if refused.reason else ''}"
    return f": failed: {told_by(call.error)}"
