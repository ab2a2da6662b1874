"""`axm project show`: the folders of a project, and why they are one."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import projects as rendered

HELP = "Show the folders of a project, and why they are one"
CALLER = "reads"


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.add_argument("project", metavar="PROJECT", nargs="?", default=".", help="a name, a remote or a folder (.)")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require_index(memory)
    shown = memory.projects.show(args.project)
    if args.json:
        options.print_json("project.show", rendered.shown_json(shown))
    else:
        print(rendered.shown_text(shown))
    return 0
