"""`axm condition resolve`: resolve a task's blocking condition."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options

HELP = "Resolve a task's blocking condition"
CALLER = "proposal: it decides"
_EPILOG = """example:
  axm condition resolve cond_5b2f --to tsk_1ac1f1a1

It resolves to a task, an artifact or another condition; tasks that waited for the condition then wait for that.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("id", metavar="ID", help="the condition's id or its start")
    parser.add_argument("--to", metavar="ID", required=True, help="the task, artifact or condition it resolves to")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require(memory)
    done = memory.conditions.resolve(args.id, args.to, caller=memory.identify())
    if args.json:
        options.print_json("condition", done._asdict())
    else:
        print(f"{done.condition_id}  is {done.entity_id}")
    options.say(f"Resolved: {' '.join(done.text.split())} is {' '.join(done.title.split())}")
    options.say("Tasks that waited for it now wait for that: axm task blocked")
    return 0
