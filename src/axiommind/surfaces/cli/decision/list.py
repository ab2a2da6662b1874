"""`axm decision list`: what was decided, by hand and in sessions."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import entries as rendered
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.provenance import SAID_BY_SHORT

HELP = "List decisions made in sessions or by hand, the newest first"
CALLER = "reads"
ALIAS = "decisions"
_EPILOG = """examples:
  axm decision list
  axm decision list --all-projects -k 10
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    options.add_limit(parser, "decisions")
    options.add_scope(parser)
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    scope = options.scope_of(memory, args)
    found = memory.decisions.list(scope, limit=args.limit + 1) if memory.config.index_path.exists() else []
    found, more = options.first(found, args.limit)
    if args.json:
        rows = [rendered.decided_json(one, _rests_on(memory, one["id"])) for one in found]
        options.print_json("decisions", {"project": scope.project, "decisions": rows, "truncated": more})
    elif found:
        names = rendered.short_ids(one["id"] for one in found)
        columns = ["id", "decision", "from", "stage", "evidence", "made by", "date"]
        if any(one["status"] != "active" for one in found):
            columns.insert(4, "status")
        if rendered.several_projects(one["project"] for one in found):
            columns.insert(-2, "project")
        rows = [
            {
                **one,
                "id": names[one["id"]],
                "decision": rendered.one_line(one["decision"]),
                "project": rendered.project_name(one["project"]),
                "from": SAID_BY_SHORT.get(one["provenance"], ""),
                "made by": one["made_by"],
                "date": render.day(one["at"]),
            }
            for one in found
        ]
        print(render.as_table(columns, rows))
        if more:
            options.say_more(args.limit)
        options.say("To see one: axm decision show ID")
    return 0 if found else options.nothing(memory, "decisions", scope.project)


def _rests_on(memory: Memory, name: str) -> list[str]:
    """The entries that a decision made by hand rests on; one of a session has quotes instead."""
    if not name.startswith("dec_"):
        return []
    return [evidence[0] for evidence in memory.decisions.show(name).evidence]
