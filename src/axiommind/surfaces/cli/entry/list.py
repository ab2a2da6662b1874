"""`axm entry list`: what was learned."""

from __future__ import annotations

import argparse
from typing import Any

from axiommind.extraction.drafts import KINDS
from axiommind.memory import Memory
from axiommind.model import PROVENANCES
from axiommind.projections.entry_rows import ENTRY_STATUSES, ENTRY_TYPES, STAGES
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import entries as shown
from axiommind.surfaces.render import tables as render

HELP = "List entries, the most certain and newest first"
CALLER = "reads"
ALIAS = "entries"
_EPILOG = """examples:
  axm entry list
  axm entry list --type decision --type fact --all-projects
  axm entry list --kind preference --kind convention
  axm entry list --stage certified
  axm entry list --status deprecated --status superseded
  axm entry list --provenance network --provenance tool
  axm entry list --session 3e1c26d3 --json

A claim made in several sessions is one row; --all lists each occurrence. Task notes are the raw material of axm task
list and appear only with --type task_note.
"""
_BY_DEFAULT = tuple(name for name in ENTRY_TYPES if name != "task_note")


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "--type",
        choices=ENTRY_TYPES,
        action="append",
        default=[],
        help="only this type (repeatable; default: all but task_note)",
    )
    parser.add_argument("--kind", choices=tuple(KINDS), action="append", default=[], help="only this kind (repeatable)")
    parser.add_argument("--stage", choices=STAGES, action="append", default=[], help="only this stage (repeatable)")
    parser.add_argument(
        "--status",
        choices=ENTRY_STATUSES,
        action="append",
        default=[],
        help="only this status (repeatable; default: active and contested)",
    )
    parser.add_argument(
        "--provenance",
        choices=tuple(PROVENANCES),
        action="append",
        default=[],
        help="only what comes from there (repeatable): whose words a claim rests on",
    )
    parser.add_argument("--session", metavar="ID", help="only entries learned from this session (an id or its start)")
    parser.add_argument("--all", action="store_true", help="list the same claim once for each session that made it")
    options.add_limit(parser, "entries")
    options.add_scope(parser)
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require_index(memory)
    # A session belongs to one project: asking for it says where to look.
    scope = memory.scope(all_projects=True) if args.session and not args.project else options.scope_of(memory, args)
    which: dict[str, Any] = {
        "kinds": args.kind,
        "provenances": args.provenance,
        "stages": args.stage,
        "statuses": args.status or ("active", "contested"),
        "session": args.session,
        "every": args.all,
    }
    is_learned = bool(memory.learning.session_count())
    types = args.type or _BY_DEFAULT
    found = memory.entries.list(scope, types=types, limit=args.limit + 1, **which) if is_learned else []
    notes = memory.entries.count(scope, types=["task_note"], **which) if is_learned and not args.type else 0
    found, more = options.first(found, args.limit)
    left_out = f"{render.counted(notes, 'task note')} left out: axm task list, or --type task_note" if notes else ""
    if args.json:
        rows = [
            {**shown.entry_json(one.entry, one.sessions), "freshness": one.freshness, "changed": one.changed}
            for one in found
        ]
        record = {"project": scope.project, "entries": rows, "truncated": more, "task_notes_left_out": notes}
        options.print_json("entries", record)
    elif found:
        print(shown.entries_table(found))
        if more:
            options.say_more(args.limit)
        if left_out:
            options.say(left_out)
    if not found:
        return options.nothing(memory, "such entries" if _is_filtered(args) else "entries", scope.project, left_out)
    return 0


def _is_filtered(args: argparse.Namespace) -> bool:
    return bool(args.type or args.kind or args.stage or args.status or args.session or args.provenance)
