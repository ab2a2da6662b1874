"""A session as a conversation to be shared: what was said in order, and each use of a tool with what came back.

Every text is redacted again: what goes to somebody else is looked at with today's rules.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from axiommind.errors import NotFound
from axiommind.home import Home, Scope
from axiommind.ids import one_of
from axiommind.model import Citation
from axiommind.projections.transcript import Message, ToolCall, Transcript, read
from axiommind.text.redaction import Redactor

__all__ = ["PageText", "PageToolUse", "SessionPage", "conversation"]

_SHORT = 120


class PageText(NamedTuple):
    """`role` is person or assistant; `provenance` tells what a program put into a prompt."""

    role: str
    text: str
    timestamp: int | None
    citation: str
    provenance: str


class PageToolUse(NamedTuple):
    """A use of a tool: the first of what it was given in short, all of it as JSON, and what came back."""

    name: str
    subject: str
    given: str
    result: str
    failed: bool | None
    timestamp: int | None
    citation: str


class SessionPage(NamedTuple):
    session_id: str
    title: str
    project: str
    agent: str
    model: str
    started_at: int | None
    ended_at: int | None
    subagents: tuple[str, ...]
    items: tuple[PageText | PageToolUse, ...]


def conversation(home: Home, name: str) -> SessionPage:
    """A session by its id, or the beginning of it."""
    with home.read_log() as (log, key), home.reading(Scope(None), None) as db:
        chosen = one_of(name.strip(), {row[0] for row in db.execute("select id from sessions")}, "session")
        told = read(db, log.blob, chosen)
        if told is None or not told.messages:
            raise NotFound(
                f"nothing is stored of what was said in {chosen}", hint="axm index reads it, if it is on disk"
            )
        (title, model) = db.execute(
            "select coalesce(title, ''), coalesce(model, '') from sessions where id = ?", (chosen,)
        ).fetchone()
        children = db.execute("select id from sessions where parent_session = ? order by first_ts, id", (chosen,))
        subagents = tuple(row[0] for row in children)
        paths = dict(db.execute("select position, path from segments where session_id = ?", (chosen,)).fetchall())
    redactor = Redactor(key)
    items = _items(told, paths, redactor)
    about = (told.project, told.agent, model, told.started_at, told.ended_at)
    return SessionPage(chosen, redactor.text(title), *about, subagents, items)


def _items(told: Transcript, paths: dict[int, str], redactor: Redactor) -> tuple[PageText | PageToolUse, ...]:
    """What was said and done, in order: a use of a tool stands where its call was written."""
    placed: list[tuple[int, int, PageText | PageToolUse]] = []
    for at, message in enumerate(told.messages):
        if message.role in ("person", "assistant") and message.text.strip():
            where = _citation(paths, message.position, message.line)
            text = redactor.text(message.text.strip())
            placed.append((at, 0, PageText(message.role, text, message.timestamp, where, message.provenance)))
    before = 0
    for number, use in enumerate(told.uses, 1):
        before = min([*use.leaves.values(), *use.results], default=before)
        placed.append((before, number, _tool_use(use, told.messages, paths, before, redactor)))
    return tuple(item for _, _, item in sorted(placed, key=lambda one: one[:2]))


def _tool_use(
    use: ToolCall, messages: tuple[Message, ...], paths: dict[int, str], at: int, redactor: Redactor
) -> PageToolUse:
    given = redactor.text(json.dumps(redactor.value(use.given), ensure_ascii=False, indent=1))
    first = next((value for value in use.given.values() if isinstance(value, str) and value.strip()), "")
    subject = " ".join(redactor.text(first).split())
    if len(subject) > _SHORT:
        subject = subject[: _SHORT - 1] + "…"
    result = redactor.text("\n".join(messages[place].text for place in use.results).strip())
    where = _citation(paths, messages[at].position if messages else 0, use.line)
    return PageToolUse(redactor.text(use.name), subject, given, result, use.failed, use.timestamp, where)


def _citation(paths: dict[int, str], position: int, line: int) -> str:
    path = paths.get(position)
    return "" if path is None else Citation(path, line, line).text
