"""`axm condition list`: conditions that are resolved."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tasks as shown

HELP = "List resolved conditions (axm task blocked shows open ones)"
CALLER = "reads"
ALIAS = "conditions resolved"
_EPILOG = """examples:
  axm condition list
  axm condition list --all-projects --json
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
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
