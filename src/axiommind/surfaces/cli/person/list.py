"""`axm person list`: the tokens of this home, without what is secret in them."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render

HELP = "List the tokens of this home, by name"
CALLER = "reads"


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    found, at = Memory().person_tokens.list(), options.now()
    if args.json:
        rows = [
            {
                "name": one.name,
                "created_at": one.created_at,
                "expires_at": one.expires_at or None,
                "expired": one.is_expired(at),
            }
            for one in found
        ]
        options.print_json("person.list", {"tokens": rows})
    elif found:
        shown = [
            {
                "name": one.name,
                "made": render.day(one.created_at),
                "expires": "expired"
                if one.is_expired(at)
                else render.day(one.expires_at)
                if one.expires_at
                else "never",
            }
            for one in found
        ]
        print(render.as_table(("name", "made", "expires"), shown))
    if not found:
        options.say("No tokens. To make one: axm person token")
    return 0 if found else 1
