"""`axm condition`: say what a condition turned out to be."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options

HELP = "Say what a condition that a task waits for turned out to be: a task, an artifact or another condition."
_EPILOG = """examples:
  axm blocked                                        shows the conditions
  axm condition resolve cond_5b2f --to tsk_1ac1f1a1
"""
_RESOLVE = """example:
  axm condition resolve cond_5b2f --to tsk_1ac1f1a1
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    options.add_json(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True, help="what to do")
    resolve = options.action(parser, actions, "resolve", "Say what a condition turned out to be.", _RESOLVE)
    resolve.add_argument("id", metavar="ID", help="the condition's id, or the beginning of it")
    resolve.add_argument("--to", metavar="ID", required=True, help="the task, artifact or condition that it is")


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require(memory)
    done = memory.conditions.resolve(args.id, args.to)
    if args.json:
        options.print_json("condition", done._asdict())
    else:
        print(f"{done.condition_id}  is {done.entity_id}")
    options.say(f"Resolved: {' '.join(done.text.split())} is {' '.join(done.title.split())}")
    options.say("Tasks that waited for it now wait for that: axm blocked")
    return 0
