"""`axm conflict list`: claims that contradict each other."""

from __future__ import annotations

import argparse
from typing import Any

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import entries as rendered
from axiommind.surfaces.render import tables as render

HELP = "List open conflicts, with both claims"
CALLER = "reads"
ALIAS = "conflicts"
_EPILOG = """examples:
  axm conflict list
  axm conflict list --all --all-projects
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--all", action="store_true", help="include settled conflicts")
    options.add_scope(parser)
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    scope = options.scope_of(memory, args)
    found = memory.conflicts.list(scope, every=args.all) if memory.learning.session_count() else []
    if args.json:
        options.print_json("conflicts", {"project": scope.project, "conflicts": found})
    elif found:
        print("\n\n".join(map(_as_text, found)))
    if not found:
        hint = "" if args.all else "--all includes settled ones"
        return options.nothing(memory, "conflicts" if args.all else "open conflicts", scope.project, hint)
    if not args.json and any(one["resolved_at"] is None for one in found):
        options.say("To settle one: axm conflict settle CONFLICT --keep ID")
    return 0


def _as_text(one: dict[str, Any]) -> str:
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
