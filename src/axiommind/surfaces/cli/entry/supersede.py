"""`axm entry supersede`: replace an entry by another one."""

from __future__ import annotations

import argparse

from axiommind.surfaces.cli.entry import _ruling

HELP = "Replace an entry by another one"
CALLER = "proposal: it lowers"
ALIAS = "supersede"
_EPILOG = """examples:
  axm entry supersede ent_ca375937 --by ent_00169e58 --reason "decided again"
  axm entry supersede ent_ca375937 --undo
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    _ruling.configure(parser)
    parser.add_argument("--by", metavar="ID", help="the entry that replaces it (required, except with --undo)")


def run(args: argparse.Namespace) -> int:
    if not args.undo and not args.by:
        args.parser.error("the following arguments are required: --by")
    return _ruling.run(args, "superseded", None if args.undo else args.by)
