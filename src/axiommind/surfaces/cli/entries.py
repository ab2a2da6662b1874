"""`axm entries`: what was learned, as a list."""

from __future__ import annotations

import argparse

from axiommind.api import Memory
from axiommind.memory.values import ENTRY_TYPES, STAGES, STATUSES
from axiommind.surfaces import memory as shown
from axiommind.surfaces.cli import _options as options

HELP = "List what was learned: facts, decisions, insights, task notes and references, the surest and newest first."
_EPILOG = """examples:
  axm entries
  axm entries --type decision --type fact --all-projects
  axm entries --stage certified
  axm entries --status deprecated --status superseded
  axm entries --session 3e1c26d3 --json

Stages, lowest first: raw, working, candidate (its evidence was found), verified (checked, nothing speaks against it),
certified (used for long, or a person's word). A claim that several sessions make is one row; --all shows each.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--type", choices=ENTRY_TYPES, action="append", default=[], help="of this type (repeatable)")
    parser.add_argument("--stage", choices=STAGES, action="append", default=[], help="in this stage (repeatable)")
    parser.add_argument(
        "--status",
        choices=STATUSES,
        action="append",
        default=[],
        help="with this status (repeatable; default active and contested)",
    )
    parser.add_argument("--session", metavar="ID", help="learned from this session (id, or its first characters)")
    parser.add_argument("--all", action="store_true", help="also the same claim of other sessions, each as a row")
    options.add_limit(parser, "entries")
    options.add_scope(parser)
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    # A session is of one project: asking for it says where to look.
    scope = memory.scope(all_projects=True) if args.session and not args.project else options.scope_of(memory, args)
    found = []
    if memory.learned():
        found = memory.entries(
            scope,
            types=args.type,
            stages=args.stage,
            statuses=args.status or ("active", "contested"),
            session=args.session,
            every=args.all,
            limit=args.limit + 1,
        )
    found, more = options.first(found, args.limit)
    if args.json:
        rows = [shown.entry_json(one.entry, one.sessions) for one in found]
        options.print_json("entries", {"project": scope.project, "entries": rows, "truncated": more})
    elif found:
        print(shown.entries_table(found))
        if more:
            options.say_more(args.limit)
    if not found:
        return options.nothing(memory, "such entries" if _is_filtered(args) else "entries", scope.project)
    return 0


def _is_filtered(args: argparse.Namespace) -> bool:
    return bool(args.type or args.stage or args.status or args.session)
