"""`axm open`: the exact lines that a citation points to."""

from __future__ import annotations

import argparse
import json

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import hits

HELP = "Print the lines that a citation points to"
CALLER = "reads"
GROUP = "look"
_EPILOG = """examples:
  axm open notes/plan.md:L12-L34
  axm open notes/plan.md#L12 --context 3
  axm open ~/.claude/projects/-home-me-app/0b5c….jsonl:L7
  axm open 0b5c2d1e:L7          the beginning of the session's id will do

The lines come from the log, so this works after the file is gone.
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
    parser.add_argument("--json", action="store_true", help="print JSON")


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
    else:
        print(hits.lines_as_text(opened, memory.config.home))
    return 0
