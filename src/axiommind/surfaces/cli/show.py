"""`axm show`: one passage in full, with what was said around it."""

from __future__ import annotations

import argparse
import json
import time

from axiommind.api import Memory
from axiommind.surfaces import hits, render
from axiommind.text.summary import summary

HELP = "Show a passage that a search found, with what was said around it."
_EPILOG = """examples:
  axm show 1k9x4c
  axm show 1k9x4c --context 3
  axm show 1k9x4c --raw        the lines of the file themselves
"""
_ROLES = {"prompt": "you", "response": "agent", "tool": "tool"}


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("id", metavar="ID", help="the id that axm search shows")
    parser.add_argument(
        "-C", "--context", type=int, default=1, metavar="N", help="passages (or lines) before and after (default 1)"
    )
    parser.add_argument("--raw", action="store_true", help="print the lines of the file as they are")
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    shown = memory.show(args.id, context=args.context)
    cited = shown.citation
    opened = None
    if cited is not None and (args.raw or args.json or shown.kind == "doc"):
        opened = memory.open_citation(cited, context=args.context if args.raw or shown.kind == "doc" else 0)
    if args.json:
        record = {
            "schema": "axm.show.v1",
            "id": shown.id,
            "kind": shown.kind,
            "session_id": shown.session_id,
            "doc_id": shown.doc_id,
            "project": shown.project,
            "title": shown.title,
            "timestamp": shown.timestamp,
            "heading": shown.heading or None,
            "text": shown.text,
            "citation": hits.cited(cited),
            "lines": None if opened is None else [{"line": n, "text": t} for n, t in hits.numbered(opened)],
            "before": [{"id": i, "kind": k, "text": t} for i, k, t in shown.before],
            "after": [{"id": i, "kind": k, "text": t} for i, k, t in shown.after],
        }
        print(json.dumps(record, ensure_ascii=False, indent=1))
        return 0
    about = [shown.kind, hits.age(shown.timestamp, time.time()), shown.project or "", shown.title or shown.heading]
    print(" · ".join(render.printable(summary(a)) for a in about if a))
    if cited is not None:
        print(render.printable(cited.text))
    if opened is not None:
        print(hits.lines_as_text(opened))
        return 0
    for beside in shown.before:
        print(render.dim(_said(*beside)))
    print(_said(shown.id, shown.kind, shown.text))
    for beside in shown.after:
        print(render.dim(_said(*beside)))
    return 0


def _said(name: str, kind: str, text: str) -> str:
    return f"── {_ROLES.get(kind, kind)} · {name}\n{render.printable(text).rstrip()}\n"
