"""`axm refresh`: compare what was learned with the code as it is now."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import entries as shown
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.progress import LongWork

if TYPE_CHECKING:
    from axiommind.learning.refresh import StaleEntry

HELP = "Compare entries with the code as it is now"
CALLER = "free: it compares entries with the code; rules act on what is found"
GROUP = "remember"
_EPILOG = """examples:
  axm refresh
  axm refresh --all-projects --json

An entry is anchored to the files, symbols and commits that it names, as they were when its session ended. It is fresh
while they are the same, drifted when one of them changed, gone when none is there any more (or its commit was
reverted), and unknown where it names nothing or the project's folder is not on this machine. Agents are told of drift,
and are not given what is gone. Nothing is withdrawn: axm entry deprecate does that.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    options.add_limit(parser, "entries")
    options.add_scope(parser)
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require_index(memory)
    scope = options.scope_of(memory, args)
    with LongWork("Comparing with the code"):
        report = memory.entries.refresh(scope)
    stale, more = options.first(list(report.stale), args.limit)
    if args.json:
        entries = [
            {**shown.entry_json(one.entry), "freshness": one.freshness.state, "changed": one.freshness.why}
            for one in stale
        ]
        counts = {"counts": report.counts, "anchored": report.anchored, "commits_changed": report.commits}
        options.print_json("refresh", {"project": scope.project, **counts, "entries": entries, "truncated": more})
    elif stale:
        print(_table(stale))
        if more:
            options.say_more(args.limit)
    told = ", ".join(f"{number} {state}" for state, number in report.counts.items() if number)
    options.say(f"Entries: {told}" if told else "There are no entries yet: axm learn")
    return 0 if told else 1


def _table(stale: Sequence[StaleEntry]) -> str:
    names = shown.short_ids(one.entry.entry_id for one in stale)
    rows = [
        {
            "id": names[one.entry.entry_id],
            "code": one.freshness.state,
            "changed": one.freshness.why,
            "title": shown.one_line(shown.claim(one.entry)),
        }
        for one in stale
    ]
    return render.as_table(("id", "code", "changed", "title"), rows)
