"""`axm project alias`: another name or another folder of a project."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.cli._projects import print_shown

HELP = "Give a project a name, or another folder"
CALLER = "proposal: it decides what is one project"
_EPILOG = """examples:
  axm project alias . weather
  axm project alias weather ~/old/weather
  axm project alias weather laptop:/home/ana/weather

What has a slash is a folder, anything else is a name. What is in no repository is the same project on every machine by
the name that you give it there. To undo: axm project undo
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("project", metavar="PROJECT", help="a name, a remote or a folder of it")
    parser.add_argument("alias", metavar="NAME|FOLDER", help="what else means it")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require_index(memory)
    shown = memory.projects.alias(args.project, args.alias, caller=memory.identify())
    return print_shown("alias", shown, args)
