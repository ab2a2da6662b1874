"""`axm project undo`: take back what was said of projects."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import projects as rendered

HELP = "Take back an alias, a merge or a split"
CALLER = "proposal: it decides what is one project"


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.add_argument(
        "ruling",
        metavar="RULING",
        nargs="?",
        help="as axm project show lists it (default: the last that was not undone)",
    )
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require_index(memory)
    undone = memory.projects.undo(args.ruling, caller=memory.identify())
    if args.json:
        options.print_line("project.undo", {"ruling": rendered.ruling_json(undone)})
    else:
        print(undone.id)
    options.say(f"Undone: {rendered.ruling_text(undone)}")
    return 0
