"""`axm person token`: make a token, at a terminal, and print it once."""

from __future__ import annotations

import argparse

from axiommind.errors import PersonOnly
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render

HELP = "Make a token for scripts that act for you, and print it once"
CALLER = "person: whoever makes one can act as the person from then on; it takes a terminal, a token is not enough"
_EPILOG = """examples:
  axm person token
  axm person token --name nightly --expires 90d

Only its hash is kept, in person-tokens.json of the home. Pass it for one command, AXM_PERSON_TOKEN=… axm …, and never
export it in a shell in which agents run: they would act as you.
"""
_DAY_MS = 86_400_000


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--name", metavar="NAME", default="", help="what it is for (default: token-1, token-2 …)")
    parser.add_argument("--expires", metavar="DAYS", type=_days, help="valid for so many days (default: until revoked)")
    options.add_json(parser)


def _days(text: str) -> int:
    return options.between(1, 3650)(text.removesuffix("d"))


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    caller = memory.identify()
    if not caller.at_terminal:
        why = "a token does not make tokens" if caller.is_person else caller.why
        raise PersonOnly("only a person at a terminal can make a token", why)
    until = options.now() + args.expires * _DAY_MS if args.expires else 0
    token, made = memory.person_tokens.make(args.name, expires_at=until)
    if args.json:
        options.print_json("person.token", {"name": made.name, "token": token, "expires_at": until or None})
    else:
        print(token)
    ends = f" until {render.day(until)}" if until else ""
    options.say(f"Token {made.name!r}{ends}. It is shown only now; the home keeps its hash.")
    options.say("Pass it for one command: AXM_PERSON_TOKEN=… axm …")
    options.say(f"To undo: axm person revoke {made.name}")
    return 0
