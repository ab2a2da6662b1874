"""`axm show`: a search hit in full, with its context; or a whole session, in a pager."""

from __future__ import annotations

import argparse
import json
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

from axiommind.errors import NotFound
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.cli import _paging as paging
from axiommind.surfaces.render import hits
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.entries import words_of
from axiommind.surfaces.render.fence import clean
from axiommind.surfaces.render.provenance import SAID_BY
from axiommind.text.summary import summary

if TYPE_CHECKING:
    from pathlib import Path

    from axiommind.projections.entry_rows import EntryRow
    from axiommind.search.reading.lines import Opened
    from axiommind.search.reading.passages import Shown

HELP = "Show a search hit in full, or a whole session"
CALLER = "reads"
GROUP = "look"
EVERYDAY = 4
_EPILOG = """examples:
  axm show 1k9x4c
  axm show 1k9x4c --context 3
  axm show 1k9x4c --raw        the lines of the file, unchanged
  axm show ent_1f0c            an entry's passage; axm entry show: its history
  axm show tsk_1ac1            a task, as axm task show
  axm show --session 540a8f92            a whole session, in your pager
  axm show --session 540a8f92 --tools    with all that tools were given and gave
"""
# What other ids begin with, and the command whose `show` opens them.
_OTHERS = {
    "dec_": "entry",
    "tsk_": "task",
}
_ROLES = {"prompt": "you", "response": "agent", "tool": "tool"}


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("id", metavar="ID", nargs="?", help="the id of a search hit, an entry, a task or a decision")
    parser.add_argument("--session", metavar="ID", help="show this whole session; the beginning of its id will do")
    parser.add_argument("--tools", action="store_true", help="with --session: what tools were given and gave, in full")
    parser.add_argument(
        "-C",
        "--context",
        type=options.between(0, 1_000_000),
        default=1,
        metavar="N",
        help="passages or lines before and after (default 1)",
    )
    parser.add_argument("--raw", action="store_true", help="print the lines of the file, unchanged")
    parser.add_argument("--json", action="store_true", help="print JSON")
    paging.add_paging(parser)


def run(args: argparse.Namespace) -> int:
    if (args.id is None) == (args.session is None):
        args.parser.error("give an ID, or --session ID")
    if args.session is not None:
        return _session(args)
    if args.tools:
        args.parser.error("--tools needs --session")
    name = args.id.strip()
    if (other := _OTHERS.get(name[:4])) is not None:
        return int(import_module(f"axiommind.surfaces.cli.{other}.show").run(args))
    memory = Memory()
    if name.startswith("ent_"):
        name = _passage_of(memory, name)
    home = memory.config.home
    shown = _clean(memory.passages.show(name, context=args.context), home)
    entry = _entry(memory, shown)
    cited = shown.citation
    opened = None
    if cited is not None and (args.raw or args.json or shown.kind == "doc"):
        opened = memory.passages.open(cited, context=args.context if args.raw or shown.kind == "doc" else 0)
    if args.json:
        print(json.dumps(_as_json(shown, entry, opened, home), ensure_ascii=False, indent=1))
        return 0
    kind = shown.kind
    if entry is not None:
        kind = f"{words_of(entry.entry_type)}, {entry.stage}, {entry.status}"
    whose = SAID_BY.get(shown.provenance, "")
    about = [kind, whose, hits.age(shown.timestamp, time.time()), shown.project or "", shown.title or shown.heading]
    print(" · ".join(render.printable(summary(a)) for a in about if a))
    if entry is not None:
        print(f"axm entry show {entry.entry_id}")
    if cited is not None:
        print(render.printable(cited.text))
    if opened is not None:
        print(hits.lines_as_text(opened, home))
        return 0
    for beside in shown.before:
        print(render.dim(_said(*beside)))
    print(_said(shown.id, shown.kind, shown.text))
    for beside in shown.after:
        print(render.dim(_said(*beside)))
    return 0


def _as_json(shown: Shown, entry: EntryRow | None, opened: Opened | None, home: Path) -> dict[str, Any]:
    return {
        "schema": "axm.show.v1",
        "id": shown.id,
        "kind": shown.kind,
        "provenance": shown.provenance,
        "session_id": shown.session_id,
        "doc_id": shown.doc_id,
        "project": shown.project,
        "title": shown.title,
        "timestamp": shown.timestamp,
        "heading": shown.heading or None,
        "text": shown.text,
        "entry": None
        if entry is None
        else {"entry_id": entry.entry_id, "type": entry.entry_type, "stage": entry.stage, "status": entry.status},
        "citation": hits.cited(shown.citation),
        "lines": None if opened is None else [{"line": n, "text": t} for n, t in hits.numbered(opened, home)],
        "before": [{"id": i, "kind": k, "text": t} for i, k, t in shown.before],
        "after": [{"id": i, "kind": k, "text": t} for i, k, t in shown.after],
    }


def _session(args: argparse.Namespace) -> int:
    """A session from start to end."""
    from axiommind.surfaces.render.conversation import conversation_text, head_text, item_json

    memory = Memory()
    options.require_index(memory)
    home = memory.config.home
    of = memory.sessions.outline(args.session)
    items = memory.sessions.stretch(of, 0, len(of.lines))
    calls = memory.sessions.call if args.tools else None
    if args.json:
        head = {**of.head._asdict(), "title": clean(of.head.title, home)}
        options.print_json("session", {**head, "items": [item_json(item, home, calls) for item in items]})
        return 0
    text = "\n".join([head_text(of.head, home), *conversation_text(items, home, calls, of.head.project)])
    paging.page(text, is_wanted=not args.no_pager)
    return 0


def _clean(shown: Shown, home: Path) -> Shown:
    """The same without what must not come back: agents are told to run this."""

    def near(passages: tuple[tuple[str, str, str], ...]) -> tuple[tuple[str, str, str], ...]:
        return tuple((name, kind, clean(text, home)) for name, kind, text in passages)

    return shown._replace(
        title=shown.title and clean(shown.title, home),
        heading=clean(shown.heading, home),
        text=clean(shown.text, home),
        before=near(shown.before),
        after=near(shown.after),
    )


def _passage_of(memory: Memory, entry: str) -> str:
    """The passage that an entry is."""
    found = memory.recall.passage_id(entry)
    if found is None:
        raise NotFound(f"there is no entry {entry!r}, or more than one", hint=f"axm entry show {entry}")
    return found


def _entry(memory: Memory, shown: Shown) -> EntryRow | None:
    """The entry that a passage is; showing the passage does not depend on it."""
    if shown.kind != "insight":
        return None
    try:
        return memory.entries.show(shown.id).entry
    except NotFound:
        return None


def _said(name: str, kind: str, text: str) -> str:
    return f"── {_ROLES.get(kind, kind)} · {name}\n{render.printable(text).rstrip()}\n"
