"""`axm help`: the list of commands, the help of one of them, or the older names."""

from __future__ import annotations

import argparse

from axiommind.surfaces import cli
from axiommind.surfaces.cli import _options as options

HELP = "Show this list, the help of a command, or older names"
CALLER = "reads"
GROUP = "wire up"
_EPILOG = """examples:
  axm help
  axm help search
  axm help entry promote
  axm help aliases          older names that still work
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("topic", nargs="*", metavar="TOPIC", help="a command, or aliases")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    if args.json:
        commands = [{"command": card.name, "group": card.group, "help": card.help} for card in cli.cards()]
        options.print_json("help", {"commands": commands, "aliases": dict(cli.aliases())})
        return 0
    if args.topic != ["aliases"]:
        return cli.main([*args.topic, "--help"])
    known = cli.aliases()
    room = max(len(alias) for alias, _ in known)
    print("Older names that still work:")
    for alias, name in known:
        print(f"  axm {alias:<{room}}  axm {name}")
    return 0
