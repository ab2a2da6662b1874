"""`axm deprecate`: say that an entry is wrong or over."""

from __future__ import annotations

import argparse

from axiommind.surfaces.cli import _ruling

HELP = "Say that an entry is wrong or no longer holds: it leaves the lists and does not come back when learned again."
_EPILOG = """examples:
  axm deprecate ent_ca375937 --reason "we moved to Postgres"
  axm deprecate ent_ca375937 --undo
  axm entries --status deprecated
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    _ruling.configure(parser)


def run(args: argparse.Namespace) -> int:
    return _ruling.run(args, "deprecated")
