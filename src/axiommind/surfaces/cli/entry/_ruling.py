"""What `axm entry contest`, `supersede` and `deprecate` share: a person rules on an entry, or undoes that."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import entries as rendered

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the entry's id or its start")
    parser.add_argument("--reason", metavar="TEXT", help="why; stored with the entry (required, except with --undo)")
    parser.add_argument("--undo", action="store_true", help="restore the entry")
    options.add_json(parser)


def run(args: argparse.Namespace, act: str, other: str | None = None) -> int:
    if not args.undo and not (args.reason or "").strip():
        args.parser.error("the following arguments are required: --reason")
    memory = Memory()
    options.require(memory)
    shown = memory.entries.show(args.id)
    before = shown.entry
    done = "restored" if args.undo else act
    undoes = act if args.undo else None
    after = memory.entries.rule(args.id, done, args.reason or "", other, undoes, caller=memory.identify())
    if args.json:
        change = {"id": after.entry_id, "from": before.status, "to": after.status, "reason": args.reason or None}
        options.print_json(args.action, {**change, "entry": rendered.entry_json(after)})
    else:
        by = f" by {after.superseded_by}" if after.superseded_by else ""
        print(f"{after.entry_id}  {before.status} → {after.status}{by}")
    options.say(f"{done.capitalize()}: {rendered.one_line(rendered.claim(after))}")
    if shown.sessions > 1:
        options.say(f"This applies to the same claim in all {shown.sessions} sessions.")
    if done == "deprecated":
        options.say("The claim is not learned again.")
    if args.undo and after.status == "contested":
        options.say("It is still part of an open conflict: axm conflict list")
    if not args.undo:
        options.say(f"To undo: axm entry {args.action} {after.entry_id} --undo")
    return 0
