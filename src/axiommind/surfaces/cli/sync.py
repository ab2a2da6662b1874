"""`axm sync`: the same memory on every machine, through a place that can read none of it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from axiommind.errors import AxmError
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import syncing
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.progress import Bar

if TYPE_CHECKING:
    from axiommind.sync.sync import AddedRemote, SyncReport

HELP = "Share this memory with your other machines"
CALLER = "person: what is recorded here leaves the machine, encrypted; status reads"
GROUP = "wire up"
_EPILOG = """examples:
  axm sync add /media/stick/memory              the first machine; prints a phrase
  axm sync add /media/stick/memory --join "twelve words of the phrase"
  axm sync                                      send what is new here, fetch what is new there
  axm sync --watch
  axm sync status
  axm sync phrase                               for one more machine
  axm sync remove

A remote is a folder (a disk, a share, Syncthing, Dropbox), ssh://host/path, s3://bucket/prefix or
postgres://host/database. It holds sealed bytes: without the phrase nobody reads them. Sessions of other machines are
searched here like yours, and say which machine they are of. axm forget reaches every machine that syncs; axm forget
--certificate says which have done it.

axm sync sends what axm index has read. Setting sync.minutes lets hooks do both.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--watch", action="store_true", help="keep running: at once where the remote can tell")
    parser.add_argument(
        "--every", metavar="SECONDS", type=options.between(1, 86_400), default=5, help="with --watch: ask so often"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", help="without one: sync now")
    add = options.action(parser, actions, "add", "Add a remote, as the first machine or with the phrase of another")
    add.add_argument("url", metavar="URL", help="a folder, ssh://, s3:// or postgres://")
    add.add_argument("--join", metavar="PHRASE", help="the twelve words that another machine printed")
    add.add_argument("--name", metavar="MACHINE", help="what this machine is called (default: its host name)")
    options.action(parser, actions, "status", "Show every machine, how far it is, and what it has not forgotten yet")
    phrase = options.action(parser, actions, "phrase", "Print a phrase that lets one more machine in")
    phrase.add_argument("url", metavar="URL", nargs="?", help="of which remote, where there are several")
    phrase.add_argument(
        "--keep", action="store_true", help="one that never ends and lets any number in: for a safe, not for a chat"
    )
    remove = options.action(parser, actions, "remove", "Sync no more through a remote; what is here and there stays")
    remove.add_argument("url", metavar="URL", nargs="?", help="which remote, where there are several")


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    if args.action is not None:
        return _ACTIONS[args.action](memory, args)
    if args.watch:
        return _watch(memory, args)
    bar = Bar("Syncing")
    try:
        report = memory.sync.run(caller=memory.identify(), progress=bar)
    finally:
        bar.close()
    return _show(report, args)


def _watch(memory: Memory, args: argparse.Namespace) -> int:
    shown = False
    try:
        for report in memory.sync.watch(seconds=args.every, caller=memory.identify()):
            if report.moved or report.notes or not shown or report.failed:
                _show(report, args)
            if not shown:
                options.say("Watching; press Ctrl-C to stop.")
            shown = True
    except KeyboardInterrupt:
        options.say("Stopped.")
    return 0


def _show(report: SyncReport, args: argparse.Namespace) -> int:
    for line in syncing.report(report):
        options.say(line)
    if args.json:
        options.print_line("sync", syncing.as_json(report))
    return 3 if report.failed else 0


def _add(memory: Memory, args: argparse.Namespace) -> int:
    caller = memory.identify()
    added = memory.sync.add(args.url, join=args.join, name=args.name, caller=caller)
    for note in added.notes:
        options.say(f"Note: {note}")
    options.say(f"This machine is {added.machine}; it syncs through {syncing.place(added.remote)}")
    if added.phrase:
        _say_phrase(added)
    else:
        options.say(f"It shares the memory of {added.by}.")
    bar = Bar("Syncing")
    code = 0
    try:
        report = memory.sync.run(caller=caller, progress=bar)
    except AxmError as error:  # it is added: what is missing is done by the next axm sync
        bar.close()
        options.say(f"Not synced yet: {error.message}" + (f"\n  hint: {error.hint}" if error.hint else ""))
        code = error.exit_code
    else:
        bar.close()
        for line in syncing.report(report):
            options.say(line)
        code = 3 if report.failed else 0
    _print_phrase(added, args)
    return code


def _phrase(memory: Memory, args: argparse.Namespace) -> int:
    added = memory.sync.phrase(args.url, keep=args.keep, caller=memory.identify())
    if args.keep:
        options.say("This phrase lets any machine in, for good: keep it as you keep a key of your house.")
    else:
        _say_phrase(added)
    _print_phrase(added, args)
    return 0


def _say_phrase(added: AddedRemote) -> None:
    options.say("On your other machine, within a day:")
    options.say(f'  axm sync add {syncing.place(added.remote)} --join "{added.phrase}"')


def _print_phrase(added: AddedRemote, args: argparse.Namespace) -> None:
    if args.json:
        options.print_line(f"sync.{args.action}", added._asdict())
    elif added.phrase:
        print(added.phrase)


def _remove(memory: Memory, args: argparse.Namespace) -> int:
    left = memory.sync.remove(args.url, caller=memory.identify())
    for note in left.notes:
        options.say(f"Note: {note}")
    options.say(f"This machine syncs no more through {syncing.place(left.remote)}.")
    options.say("What came from it stays here, and what was sent stays there.")
    if args.json:
        options.print_line("sync.remove", left._asdict())
    return 0


def _status(memory: Memory, args: argparse.Namespace) -> int:
    status = memory.sync.status()
    if args.json:
        options.print_json("sync.status", syncing.status_as_json(status))
    else:
        for line in syncing.status(status, options.now()):
            print(render.printable(line))
    return 3 if any(one.error for one in status.spaces) else 0


_ACTIONS: dict[str, Callable[[Memory, argparse.Namespace], int]] = {
    "add": _add,
    "phrase": _phrase,
    "remove": _remove,
    "status": _status,
}
