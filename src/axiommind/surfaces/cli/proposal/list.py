"""`axm proposal list`: what waits for a person."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import proposals as rendered
from axiommind.surfaces.render import tables as render

HELP = "List what agents asked for, the oldest first"
CALLER = "reads"


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.add_argument("--all", action="store_true", help="those that were confirmed or declined too")
    options.add_limit(parser, "proposals")
    options.add_scope(parser)
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    scope = options.scope_of(memory, args)
    found, more = options.first(memory.proposals.list(scope, every=args.all, limit=args.limit + 1), args.limit)
    if args.json:
        options.print_json("proposal.list", {"proposals": [rendered.proposal_json(one) for one in found]})
    elif found:
        print(render.as_table(rendered.COLUMNS, [rendered.proposal_row(one) for one in found]))
    if more:
        options.say_more(args.limit)
    if not found:
        where = f" in {scope.project}" if scope.project else ""
        options.say(f"No proposals{where}." if args.all else f"No proposal waits for a person{where}.")
        return 1
    if any(one.status == "open" for one in found):
        options.say("To go through them: axm review")
    return 0
