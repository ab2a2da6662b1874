"""`axm remember`: store an entry, backed by words that were said in a session."""

from __future__ import annotations

import argparse
import sys

from axiommind.errors import UsageError
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import entries as rendered
from axiommind.surfaces.render import tables as render

HELP = "Store a claim with the words it rests on"
CALLER = "free: what an agent remembers starts at working, and certifies and contests nothing"
GROUP = "remember"
_TYPES = ("fact", "decision", "insight", "reference")
_KINDS = ("preference", "decision", "convention", "gotcha", "howto", "domain", "record")
_OPEN = "open"  # a kind of what is learned, which says here where it belongs
_MOST_BYTES = 1 << 20
_EPILOG = """examples:
  axm remember "Staging is rebuilt every night" --quote "rebuilt every night" --session b39cfd4b
  axm remember "Use pnpm" --kind decision --reason "one lock file" --evidence 1k9x4c
  git log -1 --format=%B | axm remember - --title "Why the cache went" --evidence 1k9x4c --quote "it lost rows"

A quote that was never said is refused, and nothing is written. Without --session and --evidence, quotes are looked for
in the session of the agent that runs this. What a person remembers rises as far as its evidence allows; what an agent
remembers starts at working. The same claim twice is one entry, and what an entry of the project says already confirms
that one instead. axm entry deprecate ID withdraws it.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("text", metavar="TEXT", help="the claim, in a sentence; - reads it from stdin")
    parser.add_argument("--kind", choices=_KINDS, type=_kind, default="", help="what it is good to know for")
    parser.add_argument("--type", choices=_TYPES, help="the type of the entry (default: what fits its kind, or fact)")
    parser.add_argument("--title", metavar="TEXT", help="a title (default: the first sentence)")
    parser.add_argument("--reason", metavar="TEXT", default="", help="the reason for a decision")
    parser.add_argument(
        "--quote", metavar="TEXT", action="append", default=[], help="words that support it (repeatable)"
    )
    parser.add_argument(
        "--evidence",
        metavar="ID",
        nargs="+",
        action="extend",
        default=[],
        help="passages that support it, by the ids of search hits; quotes are looked up there first",
    )
    parser.add_argument("--session", metavar="ID", help="the session that contains the quotes")
    parser.add_argument("--project", metavar="PATH", help="the project of that session, if it is not indexed yet")
    options.add_json(parser)


def _kind(given: str) -> str:
    if given == _OPEN:
        raise UsageError(
            "open work is a task, and is not remembered as an entry",
            hint="say in a session what is left to do, and learning makes a task of it: axm task list",
        )
    return given


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    made = memory.entries.remember(
        _text(args.text),
        title=args.title,
        type=args.type,
        kind=args.kind,
        quotes=args.quote,
        ids=args.evidence,
        session=args.session,
        project=args.project,
        reason=args.reason,
        caller=memory.identify(),
    )
    entry = made.entry
    if args.json:
        record = {**rendered.entry_json(entry), "is_new": made.is_new, "conflicts": list(made.conflicts)}
        options.print_json("remember", record)
    else:
        print(entry.entry_id)
    on = render.counted(len(entry.evidence), "quote")
    was = f"Remembered as {entry.stage}, on {on}" if made.is_new else f"Already known, as {entry.stage}"
    options.say(f"{was}: {rendered.one_line(entry.title)}")
    if made.conflicts:
        options.say(f"  it contradicts another entry: axm conflict list ({', '.join(made.conflicts)})")
    return 0


def _text(given: str) -> str:
    if given != "-":
        return given
    content = sys.stdin.buffer.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise UsageError("the text is longer than 1 MB", hint="one claim per entry")
    return content.decode("utf-8", "replace")
