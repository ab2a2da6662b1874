"""What can be read by its address: a session, an entry, a document, a workflow, a scratchpad, as Markdown.

What was said in another session, or stands in a document, is fenced as quoted history. A scratchpad is the agent's own
working memory: its text is given as it is, but clean.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING

from axiommind.errors import AxmError, NotFound

if TYPE_CHECKING:
    from axiommind.learning.entry_view import EntryShown
    from axiommind.search.session_view import SessionTold, Turn
    from axiommind.surfaces.mcp import Tools

__all__ = ["add"]

_MOST = 40_000  # characters of one answer: clients warn at 10,000 tokens
_TURN = 2_000  # of one prompt or answer
_COMPLETED = 100
_MARKDOWN = "text/markdown"


def add(tools: Tools) -> None:
    memory, home = tools.memory, tools.memory.config.home

    def known(sql: str) -> Callable[[str], list[str]]:
        def complete(typed: str) -> list[str]:
            try:
                rows = memory.sql(sql, memory.scope(all_projects=True))
            except AxmError:  # there is no index yet: nothing to propose
                return []
            return [str(row[0]) for row in rows if str(row[0]).startswith(typed)][:_COMPLETED]

        return complete

    @tools.resource(
        "axm://session/{id}",
        "session",
        "A session",
        "The prompts and answers of an earlier session, in order. The beginning of an id will do.",
        mime=_MARKDOWN,
        complete={"id": known("select id from sessions order by coalesce(last_ts, started_at) desc limit 5000")},
    )
    def session(id: str) -> str:  # noqa: A002 - the template's word
        from axiommind.surfaces.render.recall import fenced

        return fenced(_session(memory.sessions.show(id)), home)

    @tools.resource(
        "axm://entry/{id}",
        "entry",
        "An entry",
        "What was learned, how far it is believed, and the words that it rests on.",
        mime=_MARKDOWN,
        complete={"id": known("select entry_id from entries order by created_ts desc limit 5000")},
    )
    def entry(id: str) -> str:  # noqa: A002
        from axiommind.surfaces.render.recall import fenced

        shown = memory.entries.show(id)
        text = fenced(_entry(shown), home)
        with contextlib.suppress(AxmError, OSError, sqlite3.Error):  # showing does not depend on writing that down
            memory.entries.note_use([shown.entry.entry_id], "shown")
        return text

    @tools.resource(
        "axm://doc/{path}",
        "doc",
        "A document",
        "The text of a document that was added to the knowledge base, by its path.",
        mime=_MARKDOWN,
        complete={"path": known("select path from documents order by mtime desc limit 5000")},
    )
    def doc(path: str) -> str:
        from axiommind.surfaces.render.recall import fenced

        return fenced(_document(tools, path), home)

    @tools.resource(
        "axm://workflow/{id}",
        "workflow",
        "A workflow",
        "A workflow, its scratchpads and their headings.",
        mime=_MARKDOWN,
        complete={"id": known("select id from workflows order by updated_at desc limit 5000")},
    )
    def workflow(id: str) -> str:  # noqa: A002
        from axiommind.surfaces.render.recall import clean
        from axiommind.text.edits import outline

        flow = memory.workflows.show(id)
        state = "active" if flow.is_active else "over"
        parts = [f"# {_line(flow.name)}", f"{flow.id} · {state} · updated {flow.updated_at}"]
        if flow.description:
            parts.append(flow.description)
        for row in memory.scratchpads.list(workflow=flow.id, limit=_COMPLETED):
            found = outline(memory.scratchpads.show(row.id).text)
            lines = [f"{'  ' * (one.level - 1)}- {_line(one.title)} (L{one.line}-L{one.last})" for one in found]
            about = f"{row.id} · version {row.version} · {row.lines} lines · axm://pad/{row.id}"
            parts.append("\n".join([f"## {_line(row.title)}", about, *lines]))
        return clean(_clipped("\n\n".join(parts), "list-scratchpads has the rest"), home)

    @tools.resource(
        "axm://pad/{id}",
        "pad",
        "A scratchpad",
        "The whole text of a scratchpad.",
        mime=_MARKDOWN,
        complete={"id": known("select id from pads order by updated_at desc limit 5000")},
    )
    def pad(id: str) -> str:  # noqa: A002
        from axiommind.surfaces.render.recall import clean

        found = memory.scratchpads.show(id)
        return clean(_clipped(found.text, f"get-scratchpad {found.pad.id} gives the rest by lines"), home)


# --- as Markdown -------------------------------------------------------------------------------------------------


def _session(told: SessionTold) -> str:
    from axiommind.surfaces.render.entries import iso

    began = iso(told.started_at)[:16].replace("T", " ") if told.started_at else "unknown time"
    about = f"session {told.session_id} · {told.project} · {told.agent} · {began} UTC"
    parts = [f"# {_line(told.title) or 'A session'}", about]
    room = _MOST - sum(map(len, parts))
    for n, turn in enumerate(told.turns):
        part = _turn(turn)
        room -= len(part) + 2
        if room < 0:
            left = len(told.turns) - n
            parts.append(
                f"… It goes on: {left:,} more prompts and answers, the next of them is {turn.id} (timeline, get)."
            )
            break
        parts.append(part)
    return "\n\n".join(parts)


def _turn(turn: Turn) -> str:
    text = turn.text.strip()
    if len(text) > _TURN:
        text = f"{text[:_TURN]}… ({len(text) - _TURN:,} more characters: get {turn.id})"
    return f"## {'Prompt' if turn.is_prompt else 'Answer'} [{turn.id}]\n\n{text}"


def _entry(shown: EntryShown) -> str:
    from axiommind.surfaces.render.entries import iso, one_line, words_of
    from axiommind.surfaces.render.tables import counted

    entry = shown.entry
    facts = [
        f"{entry.entry_id} · {words_of(entry.entry_type)} · {entry.stage} · {entry.status}",
        f"confidence {entry.confidence:.2f} by {entry.rule} · {iso(entry.happened_at or entry.created_ts)[:10]}",
        f"session {entry.session_id} · {entry.project} · "
        f"said in {counted(shown.sessions, 'session')}, used {counted(shown.uses, 'time')}",
    ]
    if entry.superseded_by:
        facts.append(f"superseded by {entry.superseded_by}")
    parts = [f"# {one_line(entry.title)}", "\n".join(facts)]
    if " ".join(entry.text.split()) != entry.title:
        parts.append(entry.text)
    parts += [f"**{name}**: {value}" for name in ("rationale", "target") if (value := entry.content.get(name))]
    quotes = []
    for quote in shown.quotes:
        where = f" — {quote.citation.text}" if quote.citation is not None else ""
        quotes.append(f"> {one_line(quote.quote)}{where}" if quote.quote else f"> ({one_line(quote.reason or 'gone')})")
    parts.append("\n\n".join(["## Evidence", *(quotes or ["none"])]))
    history = [f"- {step.at[:10]} {step.what}: {one_line(step.reason)} ({step.who})" for step in shown.history]
    parts.append("\n".join(["## Standing", *history]))
    if shown.conflicts:
        parts.append(
            "\n".join(["## Conflicts", *(f"- {c} with {other}: {how or 'open'}" for c, other, how in shown.conflicts)])
        )
    return _clipped("\n\n".join(parts), f"axm entry show {entry.entry_id} shows all of it")


def _document(tools: Tools, path: str) -> str:
    """A document's text. An address may have lost the slash that its path begins with."""
    from axiommind.model import Citation

    for name in dict.fromkeys((path, f"/{path.lstrip('/')}")):
        with contextlib.suppress(NotFound):
            found = tools.memory.passages.open(Citation(name, 1, 1_000_000))
            if found.kind == "document":
                return _clipped("\n".join(found.lines), f"axm open {found.citation.path}:L1 opens any lines of it")
    raise NotFound(f"there is no document {path!r}", hint="axm kb list --documents lists them")


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 200 else line[:199] + "…"


def _clipped(text: str, more: str) -> str:
    if len(text) <= _MOST:
        return text
    cut = text.rfind("\n", _MOST // 2, _MOST)
    at = cut if cut > 0 else _MOST
    return f"{text[:at]}\n\n… {len(text) - at:,} more characters: {more}"
