"""What was tried and failed: commands that nothing made good later, with what was tried for them; calls that the person
refused; and changes that were taken back.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from axiommind.extraction.rules.errors import UNSOLVED
from axiommind.recall.handoff.values import HandoffNote, passage_id
from axiommind.recall.packets.still_failing import UnsolvedFailure, unsolved_failures
from axiommind.text.patterns import lazy
from axiommind.text.whole_sentences import whole

__all__ = ["failures"]

_CALLS = 400  # of a session, from its end
_COMMAND, _REASON, _CLAIM = 140, 300, 320  # characters
_TRIED = 4  # files and commands that were tried in between
_TAKING_BACK = lazy(
    r"\bgit (?:-C \S+ )?(?:revert\b|reset\b[^;&|]*--hard|restore (?!--staged\b)\S|checkout (?:[^;&|]*\s)?-- \S"
    r"|stash(?: push\b| save\b|\s*$)|clean -\w*f)[^;&|\n]*"
)
_REFUSED = """
    select id, tool_name, input_json, error, timestamp, line from tool_uses
    where session_id = ? and is_error = 1 and error is not null
    order by seq_order desc limit 400
"""
_UNSOLVED = """
    select id, text, coalesce(happened_at, created_ts) from entries
    where session_id = :session and rule = 'errors' and status = 'active' and instr(text, :words)
    order by 3 desc, 1
"""
_RAN = """
    select id, input_json, timestamp from tool_uses
    where session_id = ? and is_error = 0 and input_json like '%git%'
    order by seq_order desc
"""
_BETWEEN = """
    select t.classified_name, t.input_json, t.is_error, e.file_path
    from tool_uses t left join file_edits e on e.tool_use_id = t.id
    where t.session_id = ? and t.line > ? and t.line < ? and t.subagent is null
    order by t.seq_order
"""


class _Attempts(NamedTuple):
    """A command that failed to the end, by its last failure, and how often and since when it did."""

    last: UnsolvedFailure
    first_line: int
    times: int


def failures(db: sqlite3.Connection, session: str) -> Iterator[HandoffNote]:
    rank, told = 0.9, list[str]()
    for one in _attempts(db, session):
        told.append(one.last.told)
        yield _failed(db, session, one)._replace(rank=rank)
        rank += 0.9
    for note in _learned(db, session):
        if not any(line in note.text for line in told):
            yield note._replace(rank=rank + 0.5)
            rank += 0.9
    for n, note in enumerate(_refused(db, session)):
        yield note._replace(rank=2.4 + 1.2 * n)
    for n, note in enumerate(_taken_back(db, session)):
        yield note._replace(rank=3 + 1.5 * n)


def _learned(db: sqlite3.Connection, session: str) -> Iterator[HandoffNote]:
    """What was learned of errors that stayed."""
    for ref, text, at in db.execute(_UNSOLVED, {"session": session, "words": UNSOLVED}):
        yield HandoffNote(whole(text, _CLAIM), 0, passage_id("insight", ref), session, provenance="tool", timestamp=at)


def _attempts(db: sqlite3.Connection, session: str) -> list[_Attempts]:
    """By what ran, and by what was said where programs are unknown; the last first."""
    found: dict[object, _Attempts] = {}
    for one in unsolved_failures(db, session, _CALLS):
        key = one.programs or one.told
        known = found.get(key)
        found[key] = _Attempts(one, one.line, 1) if known is None else _Attempts(known.last, one.line, known.times + 1)
    return list(found.values())


def _failed(db: sqlite3.Connection, session: str, one: _Attempts) -> HandoffNote:
    from axiommind.tools.shell_outcomes import in_short

    last = one.last
    text = f"`{in_short(last.command, _COMMAND).replace('`', chr(39))}`: {last.told}"
    if one.times > 1:
        text += f" (failed {one.times} times"
        tried = _tried(db, session, one.first_line, last.line)
        text += f"; tried in between: {', '.join(tried)})" if tried else ")"
    return HandoffNote(text, 0, passage_id("tool", last.use), session, "failed", provenance="tool", timestamp=last.at)


def _tried(db: sqlite3.Connection, session: str, start: int, end: int) -> list[str]:
    """The files that were edited and the commands that were run to mend it, the last ones."""
    from axiommind.tools.past_call import base_name, changes_things, command_of, fields_of
    from axiommind.tools.shell_outcomes import in_short

    tried: dict[str, None] = {}
    for _, given, failed, path in db.execute(_BETWEEN, (session, start, end)):
        fields = fields_of(given)
        said = ""
        if path:
            said = f"edits of {base_name(path)}"
        elif isinstance(fields.get("command"), str) and not failed and changes_things(fields):
            said = f"`{in_short(command_of(fields), 60).replace('`', chr(39))}`"
        if said:
            tried.pop(said, None)
            tried[said] = None
    return list(tried)[-_TRIED:]


def _refused(db: sqlite3.Connection, session: str) -> Iterator[HandoffNote]:
    """What the person did not let the agent do, where they said why."""
    from axiommind.text.summary import preview
    from axiommind.tools.past_call import command_of
    from axiommind.tools.refusals import refusal_in

    for ref, tool, given, error, at, _ in db.execute(_REFUSED, (session,)):
        refused = refusal_in(error)
        if refused is None or not refused.reason:
            continue
        about = preview(command_of(given), 90).replace("`", "'")
        yield HandoffNote(
            f"{tool} `{about}`: {whole(refused.reason, _REASON)}",
            0,
            passage_id("tool", ref),
            session,
            "refused by the person",
            timestamp=at,
        )


def _taken_back(db: sqlite3.Connection, session: str) -> Iterator[HandoffNote]:
    for ref, given, at in db.execute(_RAN, (session,)):
        from axiommind.tools.past_call import fields_of

        command = fields_of(given).get("command")
        found = _TAKING_BACK.search(command) if isinstance(command, str) and "<<" not in command else None
        if found is not None:
            text = f"`{' '.join(found[0].split())[:_COMMAND].replace('`', chr(39))}`"
            yield HandoffNote(text, 0, passage_id("tool", ref), session, "taken back", timestamp=at)
