"""`axm proposal show`: one proposal in full."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import proposals as rendered

HELP = "Show one proposal and what it would change"
CALLER = "reads"


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.add_argument("id", metavar="ID", help="the proposal's id or its start")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require_index(memory)
    found = memory.proposals.show(args.id)
    if args.json:
        options.print_json("proposal.show", rendered.proposal_json(found))
    else:
        print(rendered.proposal_text(memory, found))
    return 0
