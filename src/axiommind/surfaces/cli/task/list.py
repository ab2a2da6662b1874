"""`axm task list`: what is to be done."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.projections.task_dormancy import LISTED_STATUSES
from axiommind.projections.task_fold import OPEN
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tasks as shown

HELP = "List open tasks, the most urgent and newest first"
CALLER = "reads"
ALIAS = "tasks"
_EPILOG = """examples:
  axm task list
  axm task list --status blocked --status in_progress
  axm task list --all --all-projects -k 200
  axm task list --status dormant
  axm task list --json

An open task that nothing was said of in the last three sessions of its project is dormant, and not listed by default.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--status",
        choices=LISTED_STATUSES,
        metavar="STATUS",
        action="append",
        default=[],
        help=f"only this status: {', '.join(LISTED_STATUSES)} (repeatable; default: {', '.join(OPEN)})",
    )
    which.add_argument("--all", action="store_true", help="include tasks that are done, cancelled or dormant")
    options.add_limit(parser, "tasks")
    options.add_scope(parser)
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    scope = options.scope_of(memory, args)
    statuses = () if args.all else args.status or OPEN
    found = memory.tasks.list(scope, statuses=statuses, limit=args.limit + 1) if memory.learning.session_count() else []
    found, more = options.first(found, args.limit)
    if args.json:
        rows = [shown.task_json(task) for task in found]
        options.print_json("tasks", {"project": scope.project, "tasks": rows, "truncated": more})
    elif found:
        print(shown.tasks_table(found))
        if more:
            options.say_more(args.limit)
    if found:
        return 0
    what = "tasks" if args.all else "such tasks" if args.status else "open tasks"
    return options.nothing(memory, what, scope.project, "" if args.all else "--all includes finished and dormant ones")
