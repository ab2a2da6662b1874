"""Why edits of a file failed in earlier sessions: a person refused one and said why, a hook or the client rejected it.

A failed edit counts when its error says something, or when the same happened in another session.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from axiommind.recall.packet import Note
from axiommind.recall.packets.notes import day, passage_note
from axiommind.text.summary import preview
from axiommind.tools.refusals import refusal_in

__all__ = ["failed_edits"]

_EDITS = 400  # of a file, from the newest

_FAILED = f"""
    select t.id, t.session_id, t.error, t.timestamp, t.seq_order, t.is_error
    from file_edits f join tool_uses t on t.id = f.tool_use_id
    where f.id in (
        select id from file_edits where file_path in (select value from json_each(:paths))
        order by id desc limit {_EDITS}
      )
      and t.session_id is not :session
      and t.session_id not in (select id from sessions where parent_session = :session)
    order by t.id desc
"""
# How the client complains about a call, in our words; None for what says nothing about the file.
_USAGE = (
    ("has not been read yet", None),
    ("ibling tool call", None),
    ("nterrupted", None),
    ("does not exist", None),
    ("modified since read", "it changed between reading and editing (a formatter or a person)"),
    ("unexpectedly modified", "it changed between reading and editing (a formatter or a person)"),
    ("tring to replace not found", None),
    ("matches of the string to replace", None),
)


def failed_edits(db: sqlite3.Connection, paths: Sequence[str], session: str | None) -> Iterable[Note]:
    """Why edits of the file failed in sessions other than this one and its subagents: each reason once."""
    rows = db.execute(_FAILED, {"paths": json.dumps(paths), "session": session}).fetchall()
    uses = len({row[0] for row in rows})
    newest: dict[str, tuple[Any, ...]] = {}
    met: Counter[str] = Counter()
    sessions: set[tuple[str, str]] = set()
    for row in rows:
        _, owner, error, _, _, is_error = row
        if not is_error or not error:
            continue
        why, is_telling = _reason(error)
        if why and (why, owner) not in sessions:
            sessions.add((why, owner))
            met[why] += 2 if is_telling else 1
            newest.setdefault(why, row)
    for why, times in met.most_common():
        use, owner, _, at, seq, _ = newest[why]
        often = sum(reason == why for reason, _ in sessions)
        if times >= 2 and (times > often or often * 8 >= uses):
            count = f"edits failed in {often} sessions, last on" if often > 1 else "an edit failed on"
            text = f"{count} {day(at)}: {why}{_then(db, owner, seq, paths)}"
            yield passage_note(db, "tool", use, text, at)


def _reason(error: str) -> tuple[str, bool]:
    """Why an edit failed, and whether that is worth knowing on its own."""
    if (refusal := refusal_in(error)) is not None:
        return (f"the user refused it: “{preview(refusal.reason, 120)}”", True) if refusal.reason else ("", False)
    for words, why in _USAGE:
        if words in error[:300]:
            return why or "", False
    line = next(
        (
            line
            for line in error.replace("<tool_use_error>", "").replace("</tool_use_error>", "").splitlines()
            if len(line.strip()) > 10
        ),
        "",
    )
    return preview(line, 140), True


_NEXT = """
    select exists (select 1 from file_edits e where e.tool_use_id = tool_uses.id), is_error,
           case when json_valid(input_json) then json_extract(input_json, '$.file_path') end
    from tool_uses
    where session_id = :session and seq_order > :seq
      and subagent is (select subagent from tool_uses where session_id = :session and seq_order = :seq)
    order by seq_order
    limit 12
"""


def _then(db: sqlite3.Connection, session: str, seq: int, paths: Sequence[str]) -> str:
    """What made the next edit of the file work, where that is known."""
    was_read = False
    for is_edit, is_error, file in db.execute(_NEXT, {"session": session, "seq": seq}):
        if file in paths and is_error == 0:
            if is_edit:
                return "; it worked after reading the file again" if was_read else ""
            was_read = True
    return ""
