"""`axm rules`: what was certified, as rules for the agent's rules file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from axiommind.errors import NotFound
from axiommind.memory import Memory
from axiommind.projections.entry_rows import STAGES
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import entries as shown
from axiommind.surfaces.render import tables as render

if TYPE_CHECKING:
    from axiommind.learning.rules_file import RulesProposal

HELP = "Propose certified rules for CLAUDE.md or AGENTS.md"
CALLER = "reads"
GROUP = "remember"
_EPILOG = """examples:
  axm rules                                 the rules that are certified
  axm rules --diff                          what CLAUDE.md would gain, as a diff to review
  axm rules --diff | patch -p1              take it
  axm rules --diff --file AGENTS.md --stage verified --stage certified

Preferences, conventions, how-tos and gotchas of this project that are certified: used in three sessions over thirty
days, or vouched for with axm entry promote ID --to certified --reason "…". Nothing is written: a diff is for you to
review and apply. It changes only the section between its own two comments, and leaves out what the file says elsewhere.
"""
_RULE_STAGES = STAGES[2:]


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--diff", action="store_true", help="print the change to the rules file as a unified diff")
    parser.add_argument(
        "--file", type=Path, metavar="PATH", help="the rules file (default: CLAUDE.md, AGENTS.md or GEMINI.md there)"
    )
    parser.add_argument(
        "--stage",
        choices=_RULE_STAGES,
        action="append",
        default=[],
        help="rules of this stage (repeatable; default: certified)",
    )
    parser.add_argument("--project", metavar="PATH", help="the project (default: that of this folder)")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require_index(memory)
    project = memory.scope(project=args.project).project
    if project is None:
        raise NotFound("this folder is in no indexed project", hint="--project names one")
    if args.diff and args.file is None and not Path(project).is_dir():
        hint = "--file names the rules file to compare with"
        raise NotFound(f"the folder {project} is not on this machine", hint=hint)
    found = memory.entries.propose_rules(project, file=args.file, stages=args.stage or ("certified",))
    if args.json:
        options.print_json("rules", _record(found, project))
    elif args.diff:
        print(render.printable(found.diff), end="")
    elif found.rules or found.said_already:
        print(_table(found))
    if not found.rules and not found.said_already:
        vouch = 'axm entry promote ID --to certified --reason "…"'
        hint = f"  hint: {vouch} vouches for one; --stage verified includes what is verified"
        options.say(f"Nothing is certified as a rule in {project} yet.\n{hint}")
        return 1
    if args.diff and not found.diff:
        options.say(f"{found.path.name} has them all.")
    elif args.diff:
        options.say(f"Nothing was written. To take it: axm rules --diff | patch -p1 (in {project})")
    return 0


def _table(found: RulesProposal) -> str:
    names = shown.short_ids(entry.entry_id for entry in (*found.rules, *found.said_already))
    rows = [
        {
            "id": names[entry.entry_id],
            "kind": entry.kind,
            "stage": entry.stage,
            "rule": shown.one_line(entry.text),
            found.path.name: "yes" if entry in found.said_already else "",
        }
        for entry in (*found.rules, *found.said_already)
    ]
    return render.as_table(("id", "kind", "stage", "rule", found.path.name), rows)


def _record(found: RulesProposal, project: str) -> dict[str, Any]:
    return {
        "project": project,
        "file": str(found.path),
        "rules": [shown.entry_json(entry) for entry in found.rules],
        "said_already": [shown.entry_json(entry) for entry in found.said_already],
        "diff": found.diff,
    }
