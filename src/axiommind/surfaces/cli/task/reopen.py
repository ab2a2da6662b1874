"""`axm task reopen`: a task that is done, cancelled or dormant is to be done after all."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.projections.task_fold import CLOSED
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tasks as shown
from axiommind.surfaces.render.entries import one_line, words_of

HELP = "Reopen a task that is done, cancelled or dormant"
CALLER = "proposal: it decides"
_EPILOG = """example:
  axm task reopen tsk_1ac1f1a1

It is pending again, and stays listed until it is closed.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("id", metavar="ID", help="the task's id or its start")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require(memory)
    before = memory.tasks.show(args.id).task
    detail = memory.tasks.reopen(before.task_id, caller=memory.identify())
    after = detail.task
    if args.json:
        options.print_json("task", shown.task_detail_json(detail))
    else:
        print(f"{after.task_id}  {words_of(before.status)} → {words_of(after.status)}")
    options.say(f"Reopened: {one_line(after.title)}")
    if before.status in CLOSED:
        options.say(f"To undo: axm task set {after.task_id} --status {before.status}")
    return 0
