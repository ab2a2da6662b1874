"""`axm task blocked`: tasks that wait, and what they wait for."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tasks as shown

HELP = "List blocked tasks and what each waits for"
CALLER = "reads"
ALIAS = "blocked"
_EPILOG = """examples:
  axm task blocked
  axm task blocked --suggested      tasks whose blockers are guesses
  axm task blocked --unknown        tasks whose blocker nobody named
  axm condition resolve cond_5b2f --to tsk_1ac1f1a1

A blocker that is done is marked: the task can continue.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--suggested", action="store_true", help="only tasks whose blockers are guesses")
    which.add_argument("--unknown", action="store_true", help="only tasks whose blocker nobody named")
    options.add_limit(parser, "tasks")
    options.add_scope(parser)
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    scope = options.scope_of(memory, args)
    kind = "suggested" if args.suggested else "unknown" if args.unknown else "all"
    found = memory.tasks.blocked(scope, kind=kind, limit=args.limit + 1) if memory.learning.session_count() else []
    found, more = options.first(found, args.limit)
    if args.json:
        rows = [shown.blocked_json(one) for one in found]
        options.print_json("blocked", {"project": scope.project, "tasks": rows, "truncated": more})
    elif found:
        print(shown.blocked_as_text(found))
        if more:
            options.say_more(args.limit)
    return 0 if found else options.nothing(memory, "such tasks" if kind != "all" else "blocked tasks", scope.project)
