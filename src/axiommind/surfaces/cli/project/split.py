"""`axm project split`: some folders of a project are another one."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.cli._projects import print_shown

HELP = "Make some folders of a project one of their own"
CALLER = "proposal: it decides what is one project"
_EPILOG = """example:
  axm project split ~/code/experiment

The folders that are named are one project from then on, whatever git says of them. To undo: axm project undo
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("folders", metavar="FOLDER", nargs="+", help="as axm project show lists them")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require_index(memory)
    shown = memory.projects.split(args.folders, caller=memory.identify())
    return print_shown("split", shown, args)
