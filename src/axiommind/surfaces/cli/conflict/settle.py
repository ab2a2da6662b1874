"""`axm conflict settle`: keep one of two claims that contradict each other."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import entries as rendered

HELP = "Keep one of the two entries; the other one is superseded"
CALLER = "proposal: it lowers one of the two"
ALIAS = "conflicts settle"
_EPILOG = """example:
  axm conflict settle cfl_1f0a22c4 --keep ent_ca375937 --reason "measured again"

axm conflict list shows the ids of each conflict and of its entries. To undo: axm entry supersede ID --undo, with the id
of the other entry.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("conflict", metavar="CONFLICT", help="the conflict's id or its start")
    parser.add_argument("--keep", metavar="ID", required=True, help="the entry to keep")
    parser.add_argument("--reason", metavar="TEXT", default="", help="why; stored with the other entry")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require(memory)
    pairs = {
        one["conflict_id"]: {one["older_id"], one["newer_id"]}
        for one in memory.conflicts.list(memory.scope(all_projects=True))
    }
    kept = memory.conflicts.settle(args.conflict, args.keep, args.reason, caller=memory.identify())
    (name,) = [known for known in pairs if known.startswith(args.conflict.strip()) and kept.entry_id in pairs[known]]
    (other,) = pairs[name] - {kept.entry_id}
    if args.json:
        options.print_json("conflicts.settle", {"conflict_id": name, "kept": kept.entry_id, "superseded": other})
    else:
        print(f"{other}  superseded by {kept.entry_id}")
    options.say(f"Settled: {rendered.one_line(rendered.claim(kept))}")
    if kept.status == "contested":
        options.say("It is still part of another open conflict: axm conflict list")
    options.say(f"To undo: axm entry supersede {other} --undo")
    return 0
