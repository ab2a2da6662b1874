"""`axm supersede`: say that one entry takes the place of another."""

from __future__ import annotations

import argparse

from axiommind.surfaces.cli import _ruling

HELP = "Say that another entry takes the place of this one."
_EPILOG = """examples:
  axm supersede ent_ca375937 --by ent_00169e58 --reason "decided anew"
  axm supersede ent_ca375937 --undo
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    _ruling.configure(parser)
    parser.add_argument("--by", metavar="ID", help="the entry that holds instead (required, except with --undo)")


def run(args: argparse.Namespace) -> int:
    if not args.undo and not args.by:
        args.parser.error("the following arguments are required: --by")
    return _ruling.run(args, "superseded", args.by)
