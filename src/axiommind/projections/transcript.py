"""A session as it was recorded: every text in order and where it stands, read from the log through the index.

Not a projection: it keeps nothing. Memory reads sessions through this, and opens the words that a span names.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from axiommind.model import Span
from axiommind.projections import _queued
from axiommind.projections._passage_provenance import said_in
from axiommind.projections.teammates import is_teammates
from axiommind.sources import Source
from axiommind.sources import blocks as texts_of
from axiommind.sources import load as load_source
from axiommind.sources.records import Block, CallBlocks
from axiommind.text.pasted import is_pasted, pasted_spans, without
from axiommind.tools.kinds import UNKNOWN_TOOL, KnownTool
from axiommind.tools.provenance import call_provenance, result_provenance

__all__ = ["Blob", "Message", "ToolCall", "Transcript", "head_of", "line_of", "read"]

Blob = Callable[[str], bytes | None]


class Message(NamedTuple):
    """One text of a session (`Block`), with the event that brought it."""

    position: int
    line: int
    block: str
    role: str  # person, assistant, call, result
    text: str
    timestamp: int | None
    use: int | None  # of a call or a result: which of the uses
    failed: bool
    copied: bool = False  # it stands in an earlier session too, which this one was forked from
    provenance: str = "elsewhere"  # of PROVENANCES

    def span(self, start: int, end: int) -> Span:
        return Span(self.position, self.line, self.block, start, end)


class ToolCall(NamedTuple):
    """One use of a tool: what it was given, the messages that hold its texts, and what came back."""

    name: str
    classified_name: str
    given: dict[str, Any]
    timestamp: int | None
    line: int
    leaves: dict[str, int]  # pointer relative to the input, such as /todos/0/content: message
    results: tuple[int, ...]  # messages; none when nothing came back
    failed: bool | None  # None when nothing came back
    copied: bool = False
    tool: KnownTool = UNKNOWN_TOOL  # what it is, whatever the agent calls it


_SESSION = """
    select project, project_path, agent, started_at, ended_at, parent_session is not null
    from sessions
    where id = ?
"""


class Transcript(NamedTuple):
    """What was said in a session. What it has from another one, that it was forked from, is marked as copied: there
    to be understood by, and learned there."""

    session_id: str
    project: str
    agent: str
    started_at: int | None
    ended_at: int | None
    subagent: bool
    head: str  # changes whenever there is something new to read
    messages: tuple[Message, ...]
    uses: tuple[ToolCall, ...]  # in order
    project_path: str = ""  # the folder that it was in: a place of the project

    @property
    def size(self) -> int:
        return sum(len(message.text) for message in self.messages)


def head_of(db: sqlite3.Connection, session: str) -> str:
    """How far a session has been recorded: the last event that brought lines of it, and how many are live."""
    last, count = db.execute(
        "select coalesce(max(position), 0), count(*) from segments where session_id = ? and live", (session,)
    ).fetchone()
    return f"{last}.{count}"


def read(db: sqlite3.Connection, blob: Blob, session: str) -> Transcript | None:
    """A session's texts in order; None when it is not in the index."""
    row = db.execute(_SESSION, (session,)).fetchone()
    if row is None:
        return None
    elsewhere = _said_elsewhere(db, session)
    queued = _queued.places(db, session)
    seen: set[str] = set()
    messages: list[Message] = []
    uses: list[ToolCall] = []
    by_id: dict[str, int] = {}
    early: dict[str, list[int]] = {}  # results that came before their call
    done: set[tuple[str, int]] = set()
    segments = db.execute(
        """
        select position, source, first_line, blob, context from segments where session_id = ? and live
        order by position
        """,
        (session,),
    )
    for position, source, first_line, name, context in segments.fetchall():
        content = blob(name)
        if content is None or (name, first_line) in done:
            continue
        done.add((name, first_line))
        room = load_source(source)
        known = json.loads(context) if context else {}
        blocks, calls = _settled(texts_of(room, content, first_line, frozenset(seen), known), position, queued)
        base = len(messages)
        first_use = len(uses)
        uses += [_call(room, call, base, call.uuid in elsewhere) for call in calls]
        for n, call in enumerate(calls):
            if call.use_id is not None:
                by_id[call.use_id] = first_use + n
        owner = {base + place: first_use + n for n, call in enumerate(calls) for place in call.leaves.values()}
        for n, b in enumerate(blocks):
            at = owner.get(base + n)
            if b.role == "result":
                at = by_id.get(b.use_id or "")
                if at is None:
                    early.setdefault(b.use_id or "", []).append(base + n)
                else:
                    uses[at] = uses[at]._replace(results=(*uses[at].results, base + n), failed=b.failed)
            where = (position, b.line, b.pointer, b.role)
            messages.append(Message(*where, b.text, b.timestamp, at, b.failed, b.uuid in elsewhere, b.provenance))
        seen |= {b.uuid for b in blocks if b.uuid is not None}
    for use_id, places in early.items():
        at = by_id.get(use_id)
        if at is not None:
            failed = messages[places[-1]].failed if uses[at].failed is None else uses[at].failed
            uses[at] = uses[at]._replace(results=(*places, *uses[at].results), failed=failed)
            for place in places:
                messages[place] = messages[place]._replace(use=at)
    project, path, agent, started, ended, subagent = row
    about = (session, project, agent, started, ended, bool(subagent), head_of(db, session))
    said = tuple(_with_provenance(messages, uses, is_teammates(db, session)))
    return Transcript(*about, said, tuple(uses), path)


def _settled(
    read: tuple[list[Block], list[CallBlocks]], position: int, queued: set[tuple[int, int]]
) -> tuple[list[Block], list[CallBlocks]]:
    """The blocks of a segment as they count: queued prompts are a person's words or left out, as the index has it, and
    what a program wrote into a prompt is a block of its own."""
    blocks, calls = read
    kept: list[Block] = []
    moved: dict[int, int] = {}  # places of blocks, after others were left out or put in
    for place, block in enumerate(blocks):
        moved[place] = len(kept)
        if block.role == "queued":
            if (position, block.line) not in queued:
                continue
            block = block._replace(role="person")
        kept += _typed_and_pasted(block) if block.role == "person" and not block.provenance else (block,)
    if any(place != at for place, at in moved.items()):
        calls = [call._replace(leaves={p: moved[at] for p, at in call.leaves.items()}) for call in calls]
    return kept, calls


def _typed_and_pasted(block: Block) -> tuple[Block, ...]:
    """What somebody typed and what a program wrote, at the same place, each with blanks for the other."""
    if is_pasted(block.text):
        return (block._replace(provenance="pasted"),)
    spans = pasted_spans(block.text)
    if not spans:
        return (block,)
    typed = without(block.text, spans)
    ends = [0, *(place for span in spans for place in span), len(block.text)]
    pasted = without(block.text, zip(ends[::2], ends[1::2], strict=True))
    return block._replace(text=typed), block._replace(text=pasted, provenance="pasted")


def _with_provenance(messages: list[Message], uses: list[ToolCall], teammate: bool) -> Iterator[Message]:
    """The messages, each with where its words come from, unless its source said so. Of a result that is told by its
    call, which may have come in another segment."""
    fields = {place: pointer for use in uses for pointer, place in use.leaves.items()}
    for place, message in enumerate(messages):
        use = None if message.use is None else uses[message.use]
        origin = message.provenance or _provenance(message, use, fields.get(place, ""))
        yield message._replace(provenance=said_in(origin, teammate))


def _provenance(message: Message, use: ToolCall | None, field: str) -> str:
    if message.role == "person":
        return "person"
    if message.role == "assistant":
        return "agent"
    if message.role == "call":
        return "agent" if use is None else call_provenance(use.tool, use.given, field)
    if message.role == "result":
        return "tool" if use is None else result_provenance(use.tool, use.name, use.given, message.text)
    return "elsewhere"


def _call(source: Source, call: CallBlocks, base: int, copied: bool) -> ToolCall:
    tool = source.TOOLS.get(call.name, UNKNOWN_TOOL)
    leaves = {pointer: base + place for pointer, place in call.leaves.items()}
    made = (call.name, call.classified_name, call.given, call.timestamp, call.line)
    return ToolCall(*made, leaves, (), None, copied, tool)


def _said_elsewhere(db: sqlite3.Connection, session: str) -> set[str]:
    """The records that an earlier session has: a fork or a resume copied them, and they are learned there."""
    rows = db.execute("select uuid from records where session_id = ? and not canonical", (session,))
    return {row[0] for row in rows}


def line_of(db: sqlite3.Connection, blob: Blob, position: int, line: int) -> bytes | None:
    """One line as the event at a position brought it, whatever became of its file; None when it was purged."""
    row = db.execute("select first_line, lines, blob from segments where position = ?", (position,)).fetchone()
    if row is None or not 0 <= line - row[0] < row[1]:
        return None
    content = blob(row[2])
    return None if content is None else content.split(b"\n")[line - row[0]]
