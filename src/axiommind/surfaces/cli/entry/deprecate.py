"""`axm entry deprecate`: withdraw an entry for good."""

from __future__ import annotations

import argparse

from axiommind.surfaces.cli.entry import _ruling

HELP = "Withdraw an entry that is wrong; it is not learned again"
CALLER = "proposal: it lowers"
ALIAS = "deprecate"
_EPILOG = """examples:
  axm entry deprecate ent_ca375937 --reason "we moved to Postgres"
  axm entry deprecate ent_ca375937 --undo
  axm entry list --status deprecated
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    _ruling.configure(parser)


def run(args: argparse.Namespace) -> int:
    return _ruling.run(args, "deprecated")
