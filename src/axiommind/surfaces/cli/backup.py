"""`axm backup`: the log in one file, while it is in use; and which backups there are."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from axiommind.errors import UsageError
from axiommind.health.check import size_text
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.progress import Bar

if TYPE_CHECKING:
    from axiommind.backups.archive import BackupInfo
    from axiommind.backups.backups import KnownBackup

HELP = "Back up everything that was recorded into one file"
CALLER = "free: a copy takes nothing away"
GROUP = "keep safe"
_EPILOG = """examples:
  axm backup ~/safe/axiommind.backup
  axm backup /media/stick/axm.backup --with-key --with-config
  axm backup list

The file holds the whole log, and is checked before it takes its name. Others may go on writing meanwhile. The index and
the vectors are not in it: they are made again from the log. With --with-key it also holds the key of this home, which
makes the redaction marks: take it along to another machine, and keep such a file as you keep the home itself.
axm restore FILE brings it back. What cannot be read again from disk is backed up by itself once a day (backup.daily).
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("file", metavar="FILE|list", help="the file to write; or list, to show the backups")
    parser.add_argument("--with-key", action="store_true", help="include the key of this home")
    parser.add_argument("--with-config", action="store_true", help="include config.toml")
    parser.add_argument("--force", action="store_true", help="replace a file that exists")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    if args.file == "list":
        if args.with_key or args.with_config or args.force:
            raise UsageError("axm backup list takes no such option", hint="a file of that name is ./list")
        return _list(memory, args)
    bar = Bar("Backing up")
    try:
        made = memory.backups.make(
            Path(args.file),
            with_key=args.with_key,
            with_config=args.with_config,
            overwrite=args.force,
            progress=bar,
        )
    finally:
        bar.close()
    what = f"{render.counted(made.events, 'event')}, {size_text(made.size)}{_with(made)}"
    options.say(f"Backed up and checked: {what}")
    if args.json:
        options.print_line("backup", _record(made))
    else:
        print(made.path)
    return 0


def _with(made: BackupInfo) -> str:
    parts = [name for name, there in (("the key", made.has_key), ("config.toml", made.has_config)) if there]
    return f", with {' and '.join(parts)}" if parts else ""


def _record(made: BackupInfo) -> dict[str, Any]:
    return {
        "path": str(made.path),
        "made_at": made.made_at,
        "version": made.version,
        "log": made.log,
        "events": made.events,
        "bytes": made.size,
        "has_key": made.has_key,
        "has_config": made.has_config,
        "left_out": made.left_out,
    }


def _list(memory: Memory, args: argparse.Namespace) -> int:
    found = memory.backups.list()
    if args.json:
        options.print_json("backups", {"backups": [_listed(one) for one in found]})
    elif found:
        for one in found:
            print(f"{render.bold(one.info.made_at if one.info else one.kind)}  {_said(one)}")
            print(f"    {one.path}")
    else:
        options.say("There is no backup yet: axm backup FILE makes one")
    return 0 if found else 1


def _said(one: KnownBackup) -> str:
    if one.info is None:
        return f"{size_text(one.size)}, {one.problem or 'replaced by a restore or a new beginning'}"
    return f"{one.kind}, {size_text(one.size)}, {render.counted(one.info.events, 'event')}{_with(one.info)}"


def _listed(one: KnownBackup) -> dict[str, Any]:
    said = {} if one.info is None else _record(one.info)
    return said | {"path": str(one.path), "kind": one.kind, "bytes": one.size, "problem": one.problem}
