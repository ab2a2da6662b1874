"""`axm conditions`: what conditions of tasks turned out to be."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tasks as shown

HELP = "List conditions that tasks waited for and that turned out to be a task, an artifact or another condition."
_EPILOG = """examples:
  axm conditions resolved
  axm conditions resolved --all-projects --json
  axm blocked                       those that are open
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("which", choices=("resolved",), help="those that are resolved; axm blocked shows open ones")
    options.add_limit(parser, "conditions")
    options.add_scope(parser)
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    scope = options.scope_of(memory, args)
    found = memory.conditions.resolved(scope, limit=args.limit + 1) if memory.learning.session_count() else []
    found, more = options.first(found, args.limit)
    if args.json:
        rows = [shown.condition_json(one) for one in found]
        options.print_json("conditions", {"project": scope.project, "conditions": rows, "truncated": more})
    elif found:
        print(shown.conditions_table(found))
        if more:
            options.say_more(args.limit)
    return 0 if found else options.nothing(memory, "resolved conditions", scope.project)
