"""`axm restore`: a backup becomes the log of this home."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.progress import Bar

if TYPE_CHECKING:
    from axiommind.backups.archive import BackupInfo
    from axiommind.backups.restoring import RestoreReport

HELP = "Bring a backup back"
CALLER = "person: it replaces the log, and with it what the person decided since; into an empty home anybody may"
GROUP = "keep safe"
_EPILOG = """examples:
  axm restore ~/safe/axiommind.backup
  axm restore ~/safe/axiommind.backup --dry-run
  axm restore FILE --home ~/another-home

The backup is checked first. The log that is here is kept aside, in a folder that is named at the end. What was
forgotten here since the backup stays forgotten. The index is built anew. An automatic backup holds no text of
transcripts that are on disk: they are read again.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("file", metavar="FILE", help="a file made by axm backup, or one that axm backup list shows")
    parser.add_argument("--dry-run", action="store_true", help="only check the backup, and say what is in it")
    options.add_yes(parser)
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    info = memory.backups.check(Path(args.file))
    options.say(_about(info))
    if args.dry_run:
        if args.json:
            options.print_line("restore", {"dry_run": True, "path": str(info.path), "events": info.events})
        return 0
    caller = memory.identify()
    asks = memory.config.log_path.exists() and caller.is_person and not args.yes
    if asks and not options.confirmed(caller, f"Replace the log in {memory.config.home}? It is kept aside."):
        options.say("Nothing was restored.")
        return 1
    bar = Bar("Restoring")
    try:
        done = memory.backups.restore(Path(args.file), progress=bar, caller=caller)
    finally:
        bar.close()
    _show(done)
    if args.json:
        record = {
            "dry_run": False,
            "path": str(info.path),
            "events": done.events,
            "kept": None if done.kept is None else str(done.kept),
            "forgotten": done.forgotten,
            "read_again": done.read_again,
            "lost": list(done.lost),
            "notes": list(done.notes),
        }
        options.print_line("restore", record)
    return 3 if done.lost else 0


def _about(info: BackupInfo) -> str:
    parts = [name for name, there in (("the key", info.has_key), ("config.toml", info.has_config)) if there]
    more = f", with {' and '.join(parts)}" if parts else ""
    left = f"; {render.counted(info.left_out, 'text')} to be read again from disk" if info.left_out else ""
    return f"The backup is whole: made {info.made_at} by version {info.version}, {info.events:,} events{more}{left}"


def _show(done: RestoreReport) -> None:
    options.say(f"Restored: {render.counted(done.events, 'event')}; axm index reads what is new since")
    if done.forgotten:
        options.say(f"Forgotten since the backup, and still forgotten: {done.forgotten}")
    if done.lost:
        what = "session or document" if len(done.lost) == 1 else "sessions or documents"
        options.say(
            f"The text of {len(done.lost):,} {what} was neither in the backup nor, as it was, on disk; axm index reads "
            "again what is there"
        )
    for note in done.notes:
        options.say(f"Note: {note}")
    if done.kept is not None:
        options.say(f"What was here before is kept: {done.kept}")
