"""`axm today`: what was done today, decided, spent and left open: the stand-up, from the record."""

from __future__ import annotations

import argparse

from axiommind.surfaces.cli import _digest as digest

HELP = "Tell what was done, decided, spent and left open today"
CALLER = "free: it reads, indexes and learns by rules"
GROUP = "look"
EVERYDAY = 12
_EPILOG = """examples:
  axm today
  axm today --since yesterday             for the stand-up in the morning
  axm today --project . --markdown        to be pasted
  axm today --since 2026-02-20 --until 2026-02-20
  axm today --json | jq '.projects[].commits'

It is made from the record: no model is asked. A day is one of this machine's clock, from midnight. Titles, outcomes and
decisions are in the words of the session; axm show opens their ids, and axm show --session ID a whole session. Time is
active time: pauses of more than five minutes are left out, and sessions side by side count once.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    digest.configure(parser, 6)


def run(args: argparse.Namespace) -> int:
    return digest.run(args, days=1)
