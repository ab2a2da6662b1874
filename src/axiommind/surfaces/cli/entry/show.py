"""`axm entry show`: one entry, its stage history and its evidence."""

from __future__ import annotations

import argparse
import contextlib
import sqlite3
import sys

from axiommind.errors import AxmError
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import entries as rendered

HELP = "Show an entry or decision, its stage history and its evidence"
CALLER = "free: it notes that the entry was looked at, which changes neither stage nor status"
_EPILOG = """examples:
  axm entry show ent_ca375937
  axm entry show ca375937 --json
  axm entry show dec_01m7g043    a decision, and the entries it rests on

The id may be shortened, and may be one that axm search printed. Showing an entry counts as using it, and entries in use
keep their stage. axm entry why ID lists every event behind it.
"""
_TASKS = 10


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("id", metavar="ID", help="an id or its start: ent_… of an entry, dec_… of a decision")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    if args.id.strip().startswith("dec_"):
        return _decision(memory, args)
    options.require(memory)
    shown = memory.entries.show(args.id)
    name = shown.entry.entry_id
    if args.json:
        options.print_json("entry", rendered.entry_shown_json(shown))
    else:
        tasks = {task: memory.tasks.show(task).task for task in shown.tasks[:_TASKS]}
        print(rendered.entry_shown_as_text(shown, tasks))
        options.say(f"Every event behind it: axm entry why {name}")
    sys.stdout.flush()  # a reader that went away has seen nothing
    # Showing does not depend on writing that down: the home may be read-only, or busy.
    with contextlib.suppress(AxmError, OSError, sqlite3.Error):
        memory.entries.note_use([name], "shown")
    return 0


def _decision(memory: Memory, args: argparse.Namespace) -> int:
    options.require_index(memory)
    shown = memory.decisions.show(args.id)
    if args.json:
        options.print_json("decision", rendered.decision_json(shown))
    else:
        print(rendered.decision_as_text(shown))
        options.say(f"Every event behind it: axm entry why {shown.decision_id}")
    return 0
