"""`axm decision show`: one decision and its evidence, whether it was made by hand or in a session."""

from __future__ import annotations

import argparse

from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.cli.entry import show as entry_show

HELP = "Show a decision and its evidence"
CALLER = "reads"
_EPILOG = """example:
  axm decision show dec_01m7g043
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("id", metavar="ID", help="an id or its start, as axm decision list prints it")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """A decision made in a session is an entry."""
    return entry_show.run(args)
