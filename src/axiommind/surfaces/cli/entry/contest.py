"""`axm entry contest`: mark an entry as doubtful."""

from __future__ import annotations

import argparse

from axiommind.surfaces.cli.entry import _ruling

HELP = "Mark an entry as doubtful: it ranks lower and is not promoted"
CALLER = "proposal: it lowers"
ALIAS = "contest"
_EPILOG = """examples:
  axm entry contest ent_ca375937 --reason "we tried it and it failed"
  axm entry contest ent_ca375937 --undo
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    _ruling.configure(parser)


def run(args: argparse.Namespace) -> int:
    return _ruling.run(args, "contested")
