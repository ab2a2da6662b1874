"""Line authors: which earlier edits of a file wrote the lines that are about to change.

What an edit wrote and did not find there is its own, and the newest edit that wrote a line answers for it. So a reason
that was given for those lines can be told before somebody undoes them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from axiommind.text.patterns import lazy

__all__ = ["Change", "LineAuthor", "authors_of", "change_in", "symbols_in"]

_EDITS = 80  # of a file, from the newest
_CHARS = 60_000  # of what one edit wrote
_LEAST = 8  # letters and digits of a line that is not everybody's
_SURE = 24  # of all lines that an edit is known by
_NO_WORD = lazy(r"[\W_]+")
_SYMBOL = lazy(r"[A-Za-z_$][\w$]*(?:-[A-Za-z][\w$]*)+|[A-Za-z_$][\w$]{3,}")
_SHAPED = lazy(r"[a-z0-9][A-Z]|[A-Z][a-z]+[A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|[a-z]-[a-z]")
_PAST = f"""
    select t.id, t.session_id, t.line, t.timestamp, t.input_json
    from file_edits f join tool_uses t on t.id = f.tool_use_id
    where f.id in (
        select id from file_edits
        where file_path in (select value from json_each(:paths))
        order by timestamp desc, id desc
        limit {_EDITS}
      )
      and f.canonical
      and t.is_error is not 1
      and length(t.input_json) < {_CHARS}
      and t.session_id is not :session
      and t.session_id not in (select id from sessions where parent_session = :session)
    order by t.timestamp desc, t.id desc
"""


class Change(NamedTuple):
    """What an edit takes away and what it writes; of a file that is written whole, all of it is kept or new."""

    old: str
    new: str
    is_whole: bool

    @property
    def touched(self) -> str:
        return self.new if self.is_whole else self.old


class LineAuthor(NamedTuple):
    """An earlier edit that wrote some of these lines."""

    use: int
    session: str
    line: int  # of the transcript
    at: int | None
    lines: tuple[str, ...]
    first: int  # of the transcript's lines at which the session edited the file
    last: int


def change_in(given: Mapping[str, Any] | None) -> Change:
    """The change that a call's input asks for, whatever the tool is called."""
    given = given if isinstance(given, dict) else {}
    several = given.get("edits")
    parts = [given, *(part for part in several if isinstance(part, dict))] if isinstance(several, list) else [given]
    old = [text for part in parts if isinstance(text := part.get("old_string"), str)]
    new = [
        text
        for part in parts
        for name in ("new_string", "content", "new_source")
        if isinstance(text := part.get(name), str)
    ]
    return Change("\n".join(old)[:_CHARS], "\n".join(new)[:_CHARS], isinstance(given.get("content"), str))


def authors_of(db: sqlite3.Connection, paths: Sequence[str], change: Change, session: str | None) -> list[LineAuthor]:
    """The edits of other sessions that wrote lines of this change, the newest first."""
    wanted = set(_lines(change.touched))
    if not wanted:
        return []
    past = db.execute(_PAST, {"paths": json.dumps(paths), "session": session}).fetchall()
    places: dict[str, list[int]] = {}
    for _, owner, line, _, _ in past:
        places.setdefault(owner, []).append(line)
    found = []
    for use, owner, line, at, given in past:
        written = _written(change_in(_parsed(given)), wanted)
        if sum(map(_letters, written)) >= _SURE:
            found.append(LineAuthor(use, owner, line, at, written, min(places[owner]), max(places[owner])))
            wanted.difference_update(written)
    return found


def _written(past: Change, wanted: set[str]) -> tuple[str, ...]:
    """The lines that an edit wrote and did not find there."""
    known = set(_lines(past.old))
    return tuple(line for line in dict.fromkeys(_lines(past.new)) if line in wanted and line not in known)


def _parsed(given: str) -> dict[str, Any]:
    try:
        value = json.loads(given or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _lines(text: str) -> list[str]:
    return [line for line in map(str.strip, text.split("\n")) if _letters(line) >= _LEAST]


def _letters(line: str) -> int:
    return len(_NO_WORD.sub("", line))


def symbols_in(text: str) -> frozenset[str]:
    """Names that only a program would have."""
    return frozenset(name for name in _SYMBOL.findall(text) if _SHAPED.search(name))
