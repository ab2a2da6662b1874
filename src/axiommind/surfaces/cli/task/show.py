"""`axm task show`: one task, its blockers and its history."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tasks as shown

HELP = "Show a task, its blockers and its history"
CALLER = "reads"
_EPILOG = """example:
  axm task show tsk_1ac1f1a1    with the lines where each change was mentioned
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("id", metavar="ID", help="the task's id or its start")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require(memory)
    detail = memory.tasks.show(args.id)
    if args.json:
        options.print_json("task", shown.task_detail_json(detail))
    else:
        print(shown.task_as_text(detail))
    return 0
