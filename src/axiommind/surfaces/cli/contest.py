"""`axm contest`: say that an entry is doubtful."""

from __future__ import annotations

import argparse

from axiommind.surfaces.cli import _ruling

HELP = "Say that an entry is doubtful: it ranks lower in search and is not promoted until that is settled."
_EPILOG = """examples:
  axm contest ent_ca375937 --reason "was tried and did not hold"
  axm contest ent_ca375937 --undo
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    _ruling.configure(parser)


def run(args: argparse.Namespace) -> int:
    return _ruling.run(args, "contested")
