"""`axm timeline`: what happened before and after a search hit, in its session."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import recall as disclosed
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.fence import clean

HELP = "Show what happened before and after a search hit"
CALLER = "reads"
GROUP = "look"
_EPILOG = """examples:
  axm timeline 1k9x4c
  axm timeline 1k9x4c 1ka07s --window 5
  axm timeline ent_1f0c --json      around the passage of an entry

axm show ID prints one passage in full.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("ids", nargs="+", metavar="ID", help="the id of a search hit or of an entry")
    parser.add_argument(
        "--window",
        type=options.between(0, 100),
        default=3,
        metavar="N",
        help="passages before and after each, 0 to 100 (default 3)",
    )
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require_index(memory)
    home = memory.config.home
    found = memory.recall.timeline(args.ids, window=args.window)
    if args.json:
        rows = [disclosed.around_to_dict(item, home) for item in found]
        options.print_json("timeline", {"timeline": rows})
    elif found:
        print(render.printable(clean(disclosed.timeline_text(found), home)))
    if not found:
        asked = " or ".join(repr(name) for name in args.ids[:3])
        options.say(f"axm: there is no passage {asked}\n  hint: axm search shows the ids of its hits")
        return 1
    return 0
