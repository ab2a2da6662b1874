"""`axm recheck`: ask checkers again that could not answer when entries were learned."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import entries as shown
from axiommind.surfaces.render.progress import LongWork

HELP = "Check entries again that a checker could not check"
CALLER = "free: checkers act on evidence"
GROUP = "remember"
_SHOWN = 20  # of the refused entries
_EPILOG = """examples:
  axm recheck --dry-run
  axm recheck --all-projects --json

An entry is verified only when the checkers have passed it. Where Idris 2 was missing or failed, or where a model was
not asked a second time whether the quoted words support its claim, the entry stays a candidate. This asks them now. A
model is asked only if you have chosen one (axm learn --model on) and the budget allows it. What was refused for what it
says is named with the reason, and is not asked about again.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--dry-run", action="store_true", help="only count the entries that would be checked")
    options.add_scope(parser)
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require_index(memory)
    scope = options.scope_of(memory, args)
    with LongWork("Checking"):
        report = memory.entries.recheck(scope, dry_run=args.dry_run)
    if args.json:
        listed = {"refused": [one._asdict() for one in report.refused], "notes": list(report.notes)}
        options.print_json("recheck", {"project": scope.project, **report._asdict(), **listed})
        return 0
    for note in report.notes:
        options.say(f"Note: {note}")
    for one in report.refused[:_SHOWN]:
        reasons = ", ".join(reason.replace("_", " ") for reason in one.reasons)
        options.say(f"Refused: {one.entry_id} fails “{reasons}”: {shown.one_line(one.title)}")
    if len(report.refused) > _SHOWN:
        options.say(f"… and {_entries(len(report.refused) - _SHOWN)} more; --json lists them all")
    if not report.unchecked and not report.unasked:
        options.say("Every entry was checked.")
    elif args.dry_run:
        options.say(f"Would check: {_entries(report.unchecked)}; would ask a model about {_entries(report.unasked)}")
    else:
        options.say(f"Checked: {_entries(report.unchecked)}, {report.passed:,} passed")
        if report.unasked:
            second = f"{report.supported:,} supported, {report.withdrawn:,} withdrawn"
            options.say(f"Second look: {_entries(report.unasked)} of a model, {second}")
        options.say(f"Stages changed: {report.changed:,}")
    return 0


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count:,} entries"
