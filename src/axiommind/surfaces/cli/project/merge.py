"""`axm project merge`: some projects are one."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.cli._projects import print_shown

HELP = "Make several projects one"
CALLER = "proposal: it decides what is one project"
_EPILOG = """example:
  axm project merge team/weather team/weather-old

Their sessions, entries, tasks and scratchpads are in one scope from then on. The log stays as it is.
To undo: axm project undo
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("project", metavar="PROJECT", help="a name, a remote or a folder of it")
    parser.add_argument("others", metavar="OTHER", nargs="+", help="what is the same project")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require_index(memory)
    shown = memory.projects.merge(args.project, args.others, caller=memory.identify())
    return print_shown("merge", shown, args)
