"""`axm person status`: who this process is taken for, and why."""

from __future__ import annotations

import argparse
import os

from axiommind.callers.agents import agent_in_environment
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options

HELP = "Show whether you are taken for a person, and why"
CALLER = "reads"


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = "Exit code: 0 for a person, 1 for an agent."
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    caller = memory.identify()
    kind = "person" if caller.is_person else "agent"
    if args.json:
        record = {"caller": kind, "why": caller.why, "name": caller.name or None, "at_terminal": caller.at_terminal}
        options.print_json("person", record)
    else:
        print(f"{kind}: {caller.why}")
    marked = agent_in_environment(os.environ)
    if caller.is_person and marked is not None:
        options.say(f"Note: {marked.name} runs this and holds a person's token: what it does counts as yours.")
        options.say("  hint: do not export AXM_PERSON_TOKEN where agents start; set it for one command")
    if not caller.is_person:
        options.say("What you ask to raise, lower, decide or delete waits for a person: axm review")
    return 0 if caller.is_person else 1
