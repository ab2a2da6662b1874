"""`axm week`: what was done in the last seven days, decided, spent and left open."""

from __future__ import annotations

import argparse

from axiommind.surfaces.cli import _digest as digest

HELP = "Tell the same of the last seven days"
CALLER = "free: it reads, indexes and learns by rules"
GROUP = "look"
_EPILOG = """examples:
  axm week
  axm week --project . --markdown > week.md
  axm week --since 2026-02-16 --until 2026-02-22

The last seven days are today and the six before it. The rest is as axm today --help says it.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    digest.configure(parser, 8)


def run(args: argparse.Namespace) -> int:
    return digest.run(args, days=7)
