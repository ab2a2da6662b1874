"""`axm redact`: show what of a text would be redacted, and redact again what is stored."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from axiommind.errors import UsageError
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.progress import LongWork

if TYPE_CHECKING:
    from axiommind.health.redacting import Redacted

HELP = "Redact a text, or redact again what is stored"
CALLER = "free: it counts, and filters a text; to purge what is found (--again --yes) is a person's"
GROUP = "keep safe"
_EPILOG = """examples:
  axm redact < .env                what of this text would be stored
  axm redact --check < notes.md    only say whether it has secrets: exit code 3 if it has
  axm redact --again               what today's rules find in what is stored; changes nothing
  axm redact --again --yes         purge it, and mark it in place

A mark is [redacted:KIND:HASH]; the hash is keyed with the key of the home. With --again a line stays the line it was,
and citations open as before; the secret is overwritten in the log, the index is made anew, and axm verify proves it.
That cannot be undone.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--again", action="store_true", help="look through what is stored")
    what.add_argument("--check", action="store_true", help="print nothing but the kinds that were found in the text")
    parser.add_argument("--yes", action="store_true", help="with --again: purge what is found, without asking")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    if args.again:
        return _again(args)
    if args.yes:
        raise UsageError("--yes belongs to --again")
    return _filter(args)


def _filter(args: argparse.Namespace) -> int:
    from collections import Counter

    from axiommind.surfaces.render.fence import redacted
    from axiommind.text.redaction import MARK

    if sys.stdin.isatty():
        options.say("Reading from the terminal; end with Ctrl-D.")
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    clean = redacted(text, Memory().home.config.home, keep_lines=True)
    marks = Counter(mark.split(":")[1] for mark in MARK.findall(clean))
    marks.subtract(mark.split(":")[1] for mark in MARK.findall(text))
    found = dict((+marks).most_common())
    if getattr(args, "json", False):
        options.print_line("redact", {"found": found, **({} if args.check else {"text": clean})})
    elif args.check:
        for kind, count in found.items():
            print(f"{kind} {count}")
    else:
        sys.stdout.write(clean)
    return 3 if args.check and found else 0


def _again(args: argparse.Namespace) -> int:
    memory = Memory()
    as_json = getattr(args, "json", False)
    with LongWork("Looking for secrets"):
        found = memory.redact_again()
    if not args.yes and found.blobs and not as_json:
        _say(found, "Would redact")
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            options.say("Nothing was changed. To purge it: axm redact --again --yes")
            return 0
        options.say("Purge these secrets from what is stored? This cannot be undone. [y/N] ")
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            options.say("Nothing was changed.")
            return 0
    elif not args.yes:
        if as_json:
            options.print_line("redact", _record(found, dry_run=True))
        else:
            _say(found, "Would redact")
        return 0
    with LongWork("Redacting"):
        done = memory.redact_again(dry_run=False, caller=memory.identify())
    if as_json:
        options.print_line("redact", _record(done, dry_run=False))
    else:
        _say(done, "Redacted")
        _say_proof(done)
    return 3 if done.pending else 0


def _say(found: Redacted, verb: str) -> None:
    total = sum(found.marks.values())
    if not total:
        options.say("Nothing to redact: today's rules find no secret in what is stored.")
    else:
        where = f"{render.counted(found.blobs, 'text')} of {render.counted(len(found.places), 'session or document')}"
        options.say(f"{verb}: {render.counted(total, 'secret')} in {where}")
        for kind, count in sorted(found.marks.items(), key=lambda one: (-one[1], one[0])):
            print(f"{count:>6}  {kind}")
        for place, count in sorted(found.places.items(), key=lambda one: (-one[1], one[0]))[:20]:
            options.say(f"  {count:>4}  {place}")
    if found.in_events:
        one = render.counted(found.in_events, "event")
        options.say(f"Note: {one} (paths, ids) hold something like a secret; events are never changed: axm forget")


def _say_proof(done: Redacted) -> None:
    from axiommind.surfaces.render import forgetting

    if done.moved:
        options.say(f"Entries whose quotes were found again beside the marks: {done.moved}")
    for one in done.pending:
        options.say(f"Pending: {forgetting.held(one)}")
        options.say(f"  hint: {one.then}")
    if done.certificate is not None:
        options.say(forgetting.proven(done.certificate))


def _record(found: Redacted, *, dry_run: bool) -> dict[str, object]:
    return {
        "dry_run": dry_run,
        "marks": dict(found.marks),
        "texts": found.blobs,
        "places": dict(found.places),
        "entries_moved": found.moved,
        "in_events": found.in_events,
        "pending": [one._asdict() for one in found.pending],
        "proven": found.certificate is not None,
    }
