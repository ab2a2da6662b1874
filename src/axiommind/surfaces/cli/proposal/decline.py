"""`axm proposal decline`: say no to what an agent asked for."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import proposals as rendered

HELP = "Decline a proposal; the same request is not proposed again"
CALLER = "person: this is the person's no"


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.add_argument("ids", metavar="ID", nargs="+", help="a proposal's id or its start")
    parser.add_argument("--reason", metavar="TEXT", default="", help="why; stored with the proposal")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require_index(memory)
    caller = memory.identify()
    done = [memory.proposals.decline(name, args.reason, caller=caller) for name in args.ids]
    if args.json:
        options.print_json("proposal.decline", {"proposals": [rendered.proposal_json(one) for one in done]})
    else:
        for one in done:
            print(f"{one.id}  declined")
    for one in done:
        options.say(f"Declined: {rendered.in_short(one)}")
        options.say(f"To do it after all: axm proposal confirm {one.id}")
    return 0
