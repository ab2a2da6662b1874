"""`axm help`: the list of commands, the help of one of them, or the older names."""

from __future__ import annotations

import argparse

from axiommind.surfaces import cli

HELP = "Show this list, the help of a command, or older names"
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


def run(args: argparse.Namespace) -> int:
    if args.topic != ["aliases"]:
        return cli.main([*args.topic, "--help"])
    known = cli.aliases()
    room = max(len(alias) for alias, _ in known)
    print("Older names that still work:")
    for alias, name in known:
        print(f"  axm {alias:<{room}}  axm {name}")
    return 0
