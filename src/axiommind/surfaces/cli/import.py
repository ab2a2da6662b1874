"""`axm import`: the sessions of another home, from its export."""
# ruff: noqa: N999 - a command is called as its file is

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.progress import Bar

if TYPE_CHECKING:
    from axiommind.exports.taking_in import TakenIn

HELP = "Import an export of another home"
CALLER = "person: what it brings in speaks as that person"
GROUP = "keep safe"
_EPILOG = """examples:
  axm import ~/from-laptop --as laptop          another machine of yours
  axm import ~/from-kim --as kim@laptop         somebody else's
  axm import ~/from-laptop                      again: what is new in it
  axm import ~/from-laptop --as laptop --dry-run

DIR is what axm export --to jsonl DIR wrote there. Its sessions are searched here like yours, under projects that begin
with the machine's name. What somebody else says is never taken for your word. Every line is checked; one that is not
what it has to be ends the import, and what came before it stays. axm forget --project takes a project out again.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("folder", metavar="DIR", help="a folder written by axm export --to jsonl")
    parser.add_argument("--as", dest="name", metavar="NAME", help="whose it is: laptop, or kim@laptop")
    parser.add_argument("--dry-run", action="store_true", help="check it, and say what is in it")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    bar = Bar("Importing")
    try:
        done = memory.exports.take_in(
            Path(args.folder), args.name, dry_run=args.dry_run, caller=memory.identify(), progress=bar
        )
    finally:
        bar.close()
    _say(done)
    if args.json:
        options.print_line("import", done._asdict() | {"sessions": list(done.sessions)})
    else:
        for name in done.sessions:
            print(name)
    return 0


def _say(done: TakenIn) -> None:
    what = f"{render.counted(done.appended, 'event')} of {render.counted(len(done.sessions), 'session')}"
    options.say(f"{'Would import' if done.dry_run else 'Imported'} from {done.name}: {what}")
    if done.known:
        options.say(f"Here already: {render.counted(done.known, 'event')}")
    if done.forgotten:
        options.say(f"Left out, because it was forgotten: {render.counted(done.forgotten, 'event')}")
    if done.quarantined or done.texts_quarantined:
        refused = f"{render.counted(done.quarantined, 'event')} and {render.counted(done.texts_quarantined, 'text')}"
        options.say(f"Refused: {refused}, because they hold a secret or are not what they say")
