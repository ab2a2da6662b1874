"""`axm person revoke`: whoever holds these tokens is an agent from now on."""

from __future__ import annotations

import argparse

from axiommind.errors import PersonOnly
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render

HELP = "Revoke tokens by name, or all of them"
CALLER = "person: an agent could lock scripts out that act for the person"
_EPILOG = """examples:
  axm person revoke nightly
  axm person revoke --all
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("names", metavar="NAME", nargs="*", help="the name of a token")
    parser.add_argument("--all", action="store_true", help="all tokens of this home")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    if bool(args.names) == args.all:
        args.parser.error("give the NAME of a token, or --all")
    memory = Memory()
    caller = memory.identify()
    if not caller.is_person:
        raise PersonOnly("only a person can revoke a token", caller.why)
    tokens = memory.person_tokens
    gone = tokens.revoke([one.name for one in tokens.list()] if args.all else args.names)
    if args.json:
        options.print_json("person.revoke", {"revoked": [one.name for one in gone]})
    else:
        for one in gone:
            print(one.name)
    options.say(f"Revoked: {render.counted(len(gone), 'token')}")
    return 0
