"""`axm project list`: the projects, and in how many folders each lies."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import projects as rendered
from axiommind.surfaces.render import tables as render

HELP = "List projects, the last worked in first"
CALLER = "reads"


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    options.add_limit(parser, "projects")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require_index(memory)
    found, more = options.first(memory.projects.list(), args.limit)
    if args.json:
        options.print_json("project.list", {"projects": [rendered.project_json(one) for one in found]})
    elif found:
        print(render.as_table(rendered.COLUMNS, [rendered.project_row(one) for one in found]))
    if more:
        options.say_more(args.limit)
    if not found:
        options.say("No projects yet: axm index")
        return 1
    return 0
