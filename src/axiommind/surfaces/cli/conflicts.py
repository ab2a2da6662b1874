"""`axm conflicts`: claims that cannot both hold, and settling them."""

from __future__ import annotations

import argparse
from typing import Any

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import entries as rendered
from axiommind.surfaces.render import tables as render

HELP = "List claims that cannot both hold, and settle one by saying which entry to keep."
_EPILOG = """examples:
  axm conflicts
  axm conflicts --all --all-projects
  axm conflicts settle cfl_1f0a22c4 --keep ent_ca375937 --reason "measured again"
"""
_SETTLE = """example:
  axm conflicts settle cfl_1f0a22c4 --keep ent_ca375937 --reason "measured again"

axm conflicts shows the id of each conflict and of its two entries. To undo: axm supersede ID --undo, of the other one.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--all", action="store_true", help="also those that are settled")
    options.add_scope(parser)
    options.add_json(parser)
    actions = parser.add_subparsers(dest="action", metavar="[ACTION]", help="what to do instead of listing")
    does = "Keep one of the two entries; the other one is superseded."
    settle = options.action(parser, actions, "settle", does, _SETTLE)
    settle.add_argument("conflict", metavar="CONFLICT", help="its id, or the beginning of it")
    settle.add_argument("--keep", metavar="ID", required=True, help="the entry that holds")
    settle.add_argument("--reason", metavar="TEXT", default="", help="why; kept with the other entry")


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    if args.action == "settle":
        return _settle(memory, args)
    scope = options.scope_of(memory, args)
    found = memory.conflicts.list(scope, every=args.all) if memory.learning.session_count() else []
    if args.json:
        options.print_json("conflicts", {"project": scope.project, "conflicts": found})
    elif found:
        print("\n\n".join(map(_shown, found)))
    if not found:
        hint = "" if args.all else "--all also shows those that are settled"
        return options.nothing(memory, "conflicts" if args.all else "open conflicts", scope.project, hint)
    if not args.json and any(one["resolved_at"] is None for one in found):
        options.say("To settle one: axm conflicts settle CONFLICT --keep ID")
    return 0


def _shown(one: dict[str, Any]) -> str:
    """Both sides, and how it ended if it did."""
    lines = [f"{one['conflict_id']}  {render.bold(rendered.one_line(one['title']))}"]
    for side in ("older", "newer"):
        lines.append(f"  {side}  {one[f'{side}_id']}  {rendered.one_line(one[side])}")
    if one["resolved_at"] is None:
        lines.append(f"  open since {one['detected_at'][:10]}: {rendered.one_line(one['reason'])}")
    else:
        how = f"{rendered.one_line(one['resolution'] or '')} ({rendered.one_line(one['resolved_by'] or '')})"
        lines.append(render.dim(f"  settled {one['resolved_at'][:10]}: {how}"))
    return "\n".join(lines)


def _settle(memory: Memory, args: argparse.Namespace) -> int:
    options.require(memory)
    pairs = {
        one["conflict_id"]: {one["older_id"], one["newer_id"]}
        for one in memory.conflicts.list(memory.scope(all_projects=True))
    }
    kept = memory.conflicts.settle(args.conflict, args.keep, args.reason)
    (name,) = [known for known in pairs if known.startswith(args.conflict.strip()) and kept.entry_id in pairs[known]]
    (other,) = pairs[name] - {kept.entry_id}
    if args.json:
        options.print_json("conflicts.settle", {"conflict_id": name, "kept": kept.entry_id, "superseded": other})
    else:
        print(f"{other}  superseded by {kept.entry_id}")
    options.say(f"Settled: {rendered.one_line(rendered.claim(kept))}")
    if kept.status == "contested":
        options.say("It is still part of another open conflict: axm conflicts")
    options.say(f"To undo: axm supersede {other} --undo")
    return 0
