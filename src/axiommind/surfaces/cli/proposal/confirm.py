"""`axm proposal confirm`: do what an agent asked for, as the person's."""

from __future__ import annotations

import argparse

from axiommind.approval.requests import cannot_be_undone
from axiommind.errors import PersonOnly
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import proposals as rendered

HELP = "Do what a proposal asks for"
CALLER = "person: this is the person's yes"
_EPILOG = """examples:
  axm proposal confirm prp_5f0a22c4
  axm proposal confirm prp_5f0a22c4 prp_90b1e77d --yes

What cannot be undone is asked about once more, unless --yes is given.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("ids", metavar="ID", nargs="+", help="a proposal's id or its start")
    options.add_yes(parser)
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require_index(memory)
    caller = memory.identify()
    if not caller.is_person:
        raise PersonOnly("only a person can confirm a proposal", caller.why)
    done = []
    for one in [memory.proposals.show(name) for name in args.ids]:
        if cannot_be_undone(one.act, one.args) and not args.yes:
            print(rendered.proposal_text(memory, one))
            if not options.confirmed(caller, "This cannot be undone. Do it?"):
                options.say(f"Left open: {one.id}")
                continue
        done.append(memory.proposals.confirm(one.id, caller=caller).proposal)
        options.say(f"Confirmed: {rendered.in_short(done[-1])}")
    if args.json:
        options.print_json("proposal.confirm", {"proposals": [rendered.proposal_json(one) for one in done]})
    else:
        for one in done:
            print(f"{one.id}  confirmed")
    return 0 if len(done) == len(args.ids) else 1
