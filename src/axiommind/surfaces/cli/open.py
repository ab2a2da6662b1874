"""`axm open`: what stands at the lines that a citation points to, readable or as they are."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.cli import _paging as paging
from axiommind.surfaces.render import hits
from axiommind.surfaces.render import tables as render

if TYPE_CHECKING:
    from axiommind.search.reading.lines import Opened

HELP = "Show what stands at the lines of a citation"
CALLER = "reads"
GROUP = "look"
_MOST_LINES, _BESIDE_LINES = 200, 4
_EPILOG = """examples:
  axm open notes/plan.md:L12-L34
  axm open notes/plan.md#L12 --context 3
  axm open ~/.claude/projects/-home-me-app/0b5c….jsonl:L7
  axm open 0b5c2d1e:L7          the beginning of the session's id will do
  axm open 0b5c2d1e:L7 --raw    the lines of the transcript, as its agent wrote them

Of a transcript it shows who said what, and what tools were given and gave; what stands beside it is dim and short. The
lines come from the log, so this works after the file is gone.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("citation", metavar="CITATION", help="path:L12-L34 or path:L12 (# works too)")
    parser.add_argument(
        "-C",
        "--context",
        type=options.between(0, 1_000_000),
        default=2,
        metavar="N",
        help="lines before and after to print (default 2)",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--raw", action="store_true", help="print the lines of a transcript unchanged (JSON lines)")
    form.add_argument("--json", action="store_true", help="print JSON")
    paging.add_paging(parser)


def run(args: argparse.Namespace) -> int:
    import os

    from axiommind.search.citations import parse

    cited = parse(args.citation)
    cited = cited._replace(path=os.path.expanduser(cited.path))  # noqa: PTH111
    memory = Memory()
    opened = memory.passages.open(cited, context=args.context)
    if args.json:
        record = {
            "schema": "axm.open.v1",
            "kind": opened.kind,
            "citation": hits.cited(opened.citation),
            "lines": [{"line": n, "text": t} for n, t in hits.numbered(opened, memory.config.home)],
        }
        print(json.dumps(record, ensure_ascii=False, indent=1))
    elif args.raw or (text := _readable(memory, opened)) is None:
        print(hits.lines_as_text(opened, memory.config.home))
    else:
        paging.page(text, is_wanted=not args.no_pager)
    return 0


def _readable(memory: Memory, opened: Opened) -> str | None:
    """What was said and done at some lines of a transcript; None where nothing was, or it is no transcript."""
    from axiommind.surfaces.render.conversation import item_text

    if opened.kind != "transcript":
        return None
    cited, last = opened.citation, opened.first + len(opened.lines) - 1
    found = memory.sessions.at_lines(cited.path, opened.first, last)
    if found is None or not found[1]:
        return None
    of, numbers = found
    wanted = set(memory.sessions.at_lines(cited.path, cited.line_start, cited.line_end)[1])  # type: ignore[index]
    if not wanted:
        return None
    home = memory.config.home
    parts = []
    for item in memory.sessions.stretch(of, numbers[0], numbers[-1] - numbers[0] + 1):
        if item.number in wanted:
            parts.append(item_text(item, home, memory.sessions.call, most=_MOST_LINES))
        elif item.number in numbers:
            parts.append(render.dim(_short(item_text(item, home))))
    return "\n\n".join([f"{render.printable(cited.text)}  {render.dim('--raw: as it is in the file')}", *parts])


def _short(text: str) -> str:
    """The first lines of what stands beside."""
    lines = text.split("\n")
    return "\n".join(lines[:_BESIDE_LINES]) + (" …" if len(lines) > _BESIDE_LINES else "")
