"""A session as it is read on a screen: an outline of everything in it, and any stretch of it in full.

The outline is a few bytes a line, so that a session of 20,000 lines is seen as a whole; texts are read for the stretch
that is looked at. All of it comes from the index, but for what is asked of one tool use: what it was given and what
came back stand in the log.
"""

from __future__ import annotations

import json
import sqlite3
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from axiommind.errors import NotFound
from axiommind.model import Citation
from axiommind.projections import PLACE_BITS
from axiommind.sources import blocks as texts_of
from axiommind.sources import load as load_source
from axiommind.tools.call_text import input_fields
from axiommind.tools.kinds import DELEGATE, UNKNOWN_TOOL, KnownTool
from axiommind.tools.past_call import command_of
from axiommind.tools.refusals import refusal_in

__all__ = [
    "CallInFull",
    "Outline",
    "OutlineLine",
    "Said",
    "SessionHead",
    "ToolCalled",
    "call_in_full",
    "head_of_session",
    "outline",
    "stretch",
]

Blob = Callable[[str], bytes | None]

# The kinds of lines, in the order in which they stand where they share a line of the file.
_INPUT = "/input"  # in a pointer to what a tool was given
PROMPT, ANSWER, TOOL, COMPACTION, SUMMARY, COMMAND = range(6)
_PLACE = f"""
    select {PROMPT} as kind, id, line, timestamp, char_count as size, 0 as failed, origin as note,
      null as result_line
    from prompts where session_id = :session
    union all
    select {ANSWER}, id, line_start, timestamp, char_count, is_error, '', null from responses
    where session_id = :session and char_count > 0
    union all
    select {TOOL}, id, line, timestamp, coalesce(result_chars, 0), coalesce(is_error, 0), tool_name,
      result_line
    from tool_uses
    where session_id = :session
    union all
    select {COMPACTION}, id, line, timestamp, coalesce(pre_tokens, 0), 0, coalesce(trigger, ''), null from compactions
    where session_id = :session
    union all
    select {SUMMARY}, id, line, timestamp, length(text), 0, '', null from compaction_summaries
    where session_id = :session
    union all
    select {COMMAND}, id, line, timestamp, length(args), 0, name, null from commands where session_id = :session
"""
_OUTLINE = f"select * from ({_PLACE}) order by id >> {PLACE_BITS}, line, kind, id"
_HEAD = """
    select id, coalesce(title, ''), project, agent, coalesce(model, ''), coalesce(git_branch, ''),
      coalesce(cwd, project), coalesce(started_at, first_ts), coalesce(ended_at, last_ts), parent_session, agent_type,
      prompt_count, response_count, tool_use_count, edit_count, error_count,
      input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens, file_path, missing_since is not null
    from sessions where id = ?
"""
_TEXTS = {
    PROMPT: "select id, text, '' from prompts where id in ({})",
    ANSWER: "select id, text, coalesce(model, '') from responses where id in ({})",
    SUMMARY: "select id, text, '' from compaction_summaries where id in ({})",
    COMMAND: "select id, args, name from commands where id in ({})",
    COMPACTION: "select id, coalesce(trigger, ''), pre_tokens || '/' || post_tokens from compactions where id in ({})",
}
_CALLS = """
    select id, tool_name, classified_name, is_error, coalesce(result_chars, 0), error, output, input_json, tool_use_id
    from tool_uses where id in ({})
"""


class SessionHead(NamedTuple):
    """What is said of a session above its lines."""

    session_id: str
    title: str
    project: str
    agent: str
    model: str
    branch: str
    folder: str
    started_at: int | None
    ended_at: int | None
    parent: str | None
    agent_type: str | None
    prompts: int
    answers: int
    tool_uses: int
    edits: int
    errors: int
    input_tokens: int
    output_tokens: int
    cache_creation_tokens: int
    cache_read_tokens: int
    file: str
    is_missing: bool

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens + self.cache_creation_tokens + self.cache_read_tokens


class OutlineLine(NamedTuple):
    """One thing of a session and where it stands; `size` in characters (of a compaction: tokens before it)."""

    kind: int
    id: int
    line: int
    timestamp: int | None
    size: int
    failed: bool
    note: str
    result_line: int | None  # of a use of a tool: where what came back stands

    @property
    def position(self) -> int:
        return self.id >> PLACE_BITS


@dataclass(frozen=True)
class Outline:
    head: SessionHead
    lines: tuple[OutlineLine, ...]

    @cached_property
    def _results(self) -> dict[int, int]:
        """The uses of tools by the line of what came back."""
        return {one.result_line: at for at, one in enumerate(self.lines) if one.result_line is not None}

    def at(self, position: int, line: int, block: str = "") -> int:
        """The number of what stands at a line of the log: the use of a tool whose result it is, or the last thing that
        begins at or before it. Of several things in one line, `block` (a JSON pointer) says whether it is a call."""
        if (called := self._results.get(line)) is not None and self.lines[called].position <= position:
            return called
        found = max(bisect_right(self._starts, (position, line)) - 1, 0)
        if block and _INPUT not in block:
            while found and self.lines[found].kind == TOOL and self._starts[found - 1] == self._starts[found]:
                found -= 1
        return found

    @cached_property
    def _starts(self) -> list[tuple[int, int]]:
        return [(one.position, one.line) for one in self.lines]


class Said(NamedTuple):
    """A text: a prompt, an answer, a summary, a command, or the mark of a compaction."""

    number: int  # of its line in the outline
    kind: int
    timestamp: int | None
    text: str
    note: str
    citation: Citation | None


class ToolCalled(NamedTuple):
    """A use of a tool. `error` and `output` are excerpts; `children` are the subagents that it started."""

    number: int
    id: int
    name: str
    counted_as: str
    tool: KnownTool
    given: dict[str, Any]
    subject: str
    failed: bool | None  # None: nothing came back
    refused: str | None  # what a person said who refused it
    error: str
    output: str
    result_chars: int
    timestamp: int | None
    citation: Citation | None
    children: tuple[tuple[str, str], ...]  # (session, its title)


class CallInFull(NamedTuple):
    given: str
    result: str


def head_of_session(db: sqlite3.Connection, session: str) -> SessionHead:
    """A session by its whole id."""
    row = db.execute(_HEAD, (session,)).fetchone()
    if row is None:
        raise NotFound(f"there is no session {session!r}", hint="axm query sessions lists them")
    return SessionHead._make((*row[:-1], bool(row[-1])))


def outline(db: sqlite3.Connection, session: str) -> Outline:
    """Everything in a session, in the order of its file."""
    head = head_of_session(db, session)
    rows = db.execute(_OUTLINE, {"session": session})
    return Outline(head, tuple(OutlineLine._make((*row[:5], bool(row[5]), *row[6:])) for row in rows))


def stretch(db: sqlite3.Connection, of: Outline, first: int, count: int) -> list[Said | ToolCalled]:
    """Some lines of an outline in full."""
    first = max(first, 0)
    lines = of.lines[first : first + max(count, 0)]
    paths = _paths(db, of.head.session_id)
    texts = {kind: _by_id(db, _TEXTS[kind], [one.id for one in lines if one.kind == kind]) for kind in _TEXTS}
    calls = _by_id(db, _CALLS, [one.id for one in lines if one.kind == TOOL])
    known = load_source(of.head.agent).TOOLS
    children = _children(db, of.head.session_id)
    found: list[Said | ToolCalled] = []
    for number, one in enumerate(lines, first):
        path = paths.get(one.position)
        where = None if path is None else Citation(path, one.line, one.line)
        if one.kind == TOOL and one.id in calls:
            found.append(_called(number, one, calls[one.id], known, children, where))
        elif one.kind != TOOL and one.id in texts[one.kind]:
            text, note = texts[one.kind][one.id]
            told = one.note if one.kind == PROMPT else str(note or "")
            found.append(Said(number, one.kind, one.timestamp, text, told, where))
    return found


def call_in_full(db: sqlite3.Connection, blob: Blob, call: int) -> CallInFull:
    """All that a use of a tool was given, and all that came back."""
    row = db.execute(
        "select session_id, input_json, tool_use_id, result_line, error, output from tool_uses where id = ?", (call,)
    ).fetchone()
    if row is None:
        raise NotFound(f"there is no tool use {call}", hint="open its session again")
    session, given, use_id, line, error, output = row
    pretty = json.dumps(input_fields(given), ensure_ascii=False, indent=2)
    results = [] if line is None else list(_results(db, blob, session, call >> PLACE_BITS, line, use_id))
    return CallInFull(pretty, "\n".join(results) or error or output or "")


def _results(
    db: sqlite3.Connection, blob: Blob, session: str, position: int, line: int, use_id: str | None
) -> Iterator[str]:
    """The texts that came back, from the line that they stand in; it may have come later than the call."""
    rows = db.execute(
        """
        select s.source, s.first_line, s.blob, s.context from segments s
        where s.session_id = :session and s.live and s.position >= :position
          and s.path = (select path from segments where position = :position)
          and :line between s.first_line and s.first_line + s.lines - 1
        order by s.position
        """,
        {"session": session, "position": position, "line": line},
    ).fetchall()
    for source, first, name, context in rows:
        content = blob(name)
        if content is None:
            continue
        text = content.split(b"\n")[line - first]
        known = json.loads(context) if context else {}
        read, _calls = texts_of(load_source(source), text, line, frozenset(), known)
        yield from (one.text for one in read if one.role == "result" and use_id in (None, one.use_id))
        return


def _called(
    number: int,
    one: OutlineLine,
    row: Sequence[Any],
    known: Any,
    children: dict[str, list[tuple[str, str]]],
    where: Citation | None,
) -> ToolCalled:
    name, counted, failed, chars, error, output, given, use_id = row
    tool = known.get(name, UNKNOWN_TOOL)
    fields = input_fields(given)
    fields = tool.in_common(fields) if isinstance(fields, dict) else {"input": fields}
    refusal = refusal_in(error or "") if failed else None
    return ToolCalled(
        number=number,
        id=one.id,
        name=name,
        counted_as=counted,
        tool=tool,
        given=fields,
        subject=command_of(fields),
        failed=None if failed is None else bool(failed),
        refused=None if refusal is None else refusal.reason,
        error=error or "",
        output=output or "",
        result_chars=chars,
        timestamp=one.timestamp,
        citation=where,
        children=tuple(children.get(use_id or "", ())) if tool.kind == DELEGATE or use_id in children else (),
    )


def _children(db: sqlite3.Connection, session: str) -> dict[str, list[tuple[str, str]]]:
    """The subagents of a session by the use of the tool that started them."""
    found: dict[str, list[tuple[str, str]]] = {}
    for child, use, title in db.execute(
        """
        select id, coalesce(parent_tool_use_id, ''), coalesce(title, agent_type, '') from sessions
        where parent_session = ? order by coalesce(started_at, first_ts), id
        """,
        (session,),
    ):
        found.setdefault(use, []).append((child, title))
    return found


def _paths(db: sqlite3.Connection, session: str) -> dict[int, str]:
    return dict(db.execute("select position, path from segments where session_id = ?", (session,)).fetchall())


def _by_id(db: sqlite3.Connection, sql: str, ids: Sequence[int]) -> dict[int, Sequence[Any]]:
    if not ids:
        return {}
    # Numbers of ours: nothing of a user's gets into the statement.
    return {row[0]: row[1:] for row in db.execute(sql.format(", ".join(str(int(one)) for one in ids)))}
