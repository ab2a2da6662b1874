"""A session as a person reads it in a terminal: who said what, and each use of a tool on a line with how it went.

Everything is redacted again and cannot steer the terminal; texts keep their lines, which the terminal wraps.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from axiommind.recall.packets.notes import gist
from axiommind.reports.digest.days import local
from axiommind.search.reading.conversation import ANSWER, COMMAND, COMPACTION, PROMPT, Said
from axiommind.sources import load
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.fence import clean
from axiommind.surfaces.render.table_layout import cut_end, width

if TYPE_CHECKING:
    from pathlib import Path

    from axiommind.search.reading.conversation import CallInFull, SessionHead, ToolCalled

__all__ = ["conversation_text", "head_text", "item_json", "item_text"]

_TITLE = 300  # characters
_ERROR_LINES = 3

Calls = Callable[[int], "CallInFull"]  # what a use of a tool was given, and gave


def head_text(head: SessionHead, home: Path) -> str:
    """What the session is, and what else can be done with it."""
    about = [
        render.printable(head.project),
        load(head.agent).TITLE,
        head.model,
        head.branch,
        _day(head),
        render.counted(head.prompts, "request"),
        render.counted(head.tool_uses, "tool use"),
        f"{render.counted(head.errors, 'error')}" if head.errors else "",
    ]
    name = head.session_id[:8]
    do = f"axm resume {name} · axm handoff {name} · axm export html FILE --session {name}"
    title = _line(gist(head.title, _TITLE), home) or "(no title)"
    lines = [render.bold(title), render.dim(" · ".join(render.printable(part) for part in about if part))]
    return "\n".join([*lines, render.dim(f"{head.session_id}  {do}")])


def _day(head: SessionHead) -> str:
    return f"{local(head.started_at):%Y-%m-%d %H:%M}" if head.started_at else ""


def conversation_text(
    items: Iterable[Said | ToolCalled], home: Path, calls: Calls | None = None, root: str = ""
) -> Iterator[str]:
    """All of them, with uses of tools that follow each other on lines of their own; with `calls`, in full. What lies
    below `root` is called as from there."""
    was_tool = True
    for item in items:
        is_tool = not isinstance(item, Said)
        blank = "" if is_tool and was_tool and calls is None else "\n"
        yield blank + item_text(item, home, calls, root=root)
        was_tool = is_tool


def item_text(
    item: Said | ToolCalled, home: Path, calls: Calls | None = None, *, most: int | None = None, root: str = ""
) -> str:
    """One of them; of a use of a tool, with `calls`, what it was given and what came back, in at most so many lines."""
    if isinstance(item, Said):
        return _said(item, home)
    line = _called(item, home, root)
    if calls is None:
        return line
    full = calls(item.id)
    parts = [line, render.dim(_block(full.given, home, most))]
    if full.result:
        parts += [render.dim("    ──"), _block(full.result, home, most)]
    return "\n".join(parts)


def _said(item: Said, home: Path) -> str:
    about = "  ".join(filter(None, (_time(item.timestamp), _where(item))))
    if item.kind == COMPACTION:
        return render.dim(f"── compacted {render.printable(item.text)} ──  {about}".replace("  ──", " ──"))
    if item.kind == COMMAND:
        words = _line(f"{item.note} {item.text}", home)
        return f"{render.coloured('cyan', '▌ You ran')} {words}  {render.dim(about)}"
    who, colour = {PROMPT: ("You", "cyan"), ANSWER: ("Agent", "green")}.get(item.kind, ("Summary", "yellow"))
    head = f"{render.coloured(colour, f'▌ {who}')}  {render.dim(about)}"
    return f"{head}\n{render.printable(clean(item.text, home)).strip()}"


def _called(item: ToolCalled, home: Path, root: str) -> str:
    """What was called with what, where it stands, and how it went."""
    room = render.terminal_width()
    mark = {None: "…", False: "✓", True: "✗"}[item.failed]
    mark = render.coloured("red", mark) if item.failed else render.dim(mark)
    about = _where(item)
    subject = _line((item.subject or _first(item.given)).removeprefix(f"{root}/"), home)
    name = render.printable(item.name)
    left = max(room - width(name) - width(about) - 8, 10)
    line = f"  {mark} {name}  {cut_end(subject, left)}  {render.dim(about)}".rstrip()
    if item.refused is not None:
        return f"{line}\n{render.coloured('red', _indented(f'refused: {_line(item.refused, home)}'))}"
    if item.failed and item.error:
        return f"{line}\n{render.coloured('red', _block(item.error, home, _ERROR_LINES))}"
    return line


def _first(given: dict[str, Any]) -> str:
    """The first text that a tool was given."""
    return next((value for value in given.values() if isinstance(value, str) and value.strip()), "")


def _block(text: str, home: Path, most: int | None) -> str:
    lines = render.printable(clean(text, home)).strip("\n").split("\n")
    left = len(lines) - most if most is not None else 0
    shown = lines[:most] if left > 0 else lines
    more = [f"… {render.counted(left, 'more line')}"] if left > 0 else []
    return _indented("\n".join([*shown, *more]))


def _indented(text: str) -> str:
    return textwrap.indent(text, "    ")


def _time(timestamp: int | None) -> str:
    return f"{local(timestamp):%H:%M}" if timestamp else ""


def _where(item: Said | ToolCalled) -> str:
    return "" if item.citation is None else f"L{item.citation.line_start}"


def _line(text: str, home: Path) -> str:
    return " ".join(render.printable(" ".join(clean(text, home).split())).split())


# --- JSON ------------------------------------------------------------------------------------------------

_KINDS = ("prompt", "answer", "tool", "compaction", "summary", "command")


def item_json(item: Said | ToolCalled, home: Path, calls: Calls | None = None) -> dict[str, Any]:
    cited = None if item.citation is None else item.citation.text
    if isinstance(item, Said):
        shown: dict[str, Any] = {"kind": _KINDS[item.kind], "text": clean(item.text, home), "note": item.note or None}
        return {**shown, "timestamp": item.timestamp, "citation": cited}
    shown = {
        "kind": "tool",
        "name": item.name,
        "subject": clean(item.subject, home),
        "given": json.loads(clean(json.dumps(item.given, ensure_ascii=False), home)),
        "failed": item.failed,
        "refused": item.refused,
        "error": clean(item.error, home) or None,
        "subagents": [session for session, _ in item.children],
        "timestamp": item.timestamp,
        "citation": cited,
    }
    return shown if calls is None else {**shown, "result": clean(calls(item.id).result, home)}
