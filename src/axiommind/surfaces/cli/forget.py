"""`axm forget`: purge the text of a session, a document, a project, a workflow or a scratchpad, everywhere."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from axiommind.errors import UsageError
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import forgetting, syncing
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.progress import LongWork

if TYPE_CHECKING:
    from axiommind.ingest.forgetting import Forgotten

HELP = "Purge a session, document, project, workflow or decision"
CALLER = "proposal: it deletes"
GROUP = "keep safe"
_EPILOG = """examples:
  axm forget --session 3e1c26d3 --dry-run
  axm forget --project ~/code/secret --reason "not mine"
  axm forget --session 3e1c26d3 --undo
  axm forget --pad pad_01jq --yes
  axm forget --certificate              which machines have forgotten what

It shows what goes and asks before it does; --yes answers in advance, for scripts that pass a person's token. An agent
only proposes it, with --yes or without: see axm review.

The event log still records that something was forgotten; its text is overwritten, and every file of the home is
searched for it. While some of it may be left (another program is reading), the exit code is 3, and the next axm index,
forget or verify finishes it. Copies of it in other transcripts are not read either. Files on disk are not touched;
--undo reads them again if they still exist. Decisions, workflows and scratchpads exist nowhere else: they cannot be
restored.

Other machines that sync forget it with their next axm sync. --certificate names every one that has and every one that
has not, signed with this machine's key; its exit code is 1 while one has not.
"""

_KINDS = ("session", "project", "document", "decision", "workflow", "scratchpad")
_USAGE = """%(prog)s [-h] [--home FOLDER] WHAT [--reason TEXT]
                  [--dry-run] [--yes] [--undo] [--json]

WHAT is one of --session, --document, --project, --workflow, --pad, --decision; or --certificate alone"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.usage = _USAGE
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--session", metavar="ID", help="this session and its subagents (an id or its start)")
    what.add_argument("--document", metavar="PATH|ID", help="this document of a folder added with axm kb")
    what.add_argument(
        "--project", metavar="PATH", help="all sessions, documents and workflows of this project, future ones included"
    )
    what.add_argument("--workflow", metavar="ID", help="this workflow and its scratchpads; cannot be undone")
    what.add_argument("--pad", dest="scratchpad", metavar="ID", help="this scratchpad, all versions; cannot be undone")
    what.add_argument("--decision", metavar="ID", help="a decision made with axm decision make; cannot be undone")
    what.add_argument(
        "--certificate",
        metavar="ID",
        nargs="?",
        const="",
        help="forget nothing; show which machines have forgotten what (a session or project; default: everything)",
    )
    parser.add_argument("--reason", metavar="TEXT", default="", help="why; stored with the tombstone")
    parser.add_argument("--dry-run", action="store_true", help="show what would be forgotten")
    options.add_yes(parser)
    parser.add_argument("--undo", action="store_true", help="lift the tombstone and read the files again")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    if args.certificate is not None:
        return _certificate(memory, args)
    if args.undo and args.decision:
        raise UsageError("a forgotten decision cannot be restored", hint='axm decision make "…" makes a new one')
    if args.undo and (args.workflow or args.scratchpad):
        what = "workflow" if args.workflow else "scratchpad"
        raise UsageError(f"a forgotten {what} cannot be restored: its text was nowhere else")
    if args.undo:
        return _undo(memory, args)
    wanted = {kind: getattr(args, kind) for kind in _KINDS}
    caller = memory.identify()
    if caller.is_person and not args.dry_run and not args.yes:
        _say_what(memory.forget(**wanted, dry_run=True), args, dry_run=True)
        if not options.confirmed(caller, "Forget it?"):
            options.say("Nothing was forgotten.")
            return 1
    with LongWork("Purging"):
        done = memory.forget(**wanted, reason=args.reason, dry_run=args.dry_run, caller=caller)
    _say_what(done, args, dry_run=args.dry_run)
    _say_left(done)
    _say_copies(memory)
    if args.json:
        options.print_line("forget", _record(done, args))
    else:
        for name in (*done.sessions, *done.documents, *done.workflows, *done.scratchpads):
            print(name)
    return 3 if done.pending else 0


def _say_what(done: Forgotten, args: argparse.Namespace, *, dry_run: bool) -> None:
    """What was forgotten, or would be, and what of it can be undone."""
    if args.decision:
        options.say(f"{'Would forget' if dry_run else 'Forgotten'}: the decision")
        options.say("Note: this cannot be undone")
    else:
        _say_forgotten(done, dry_run=dry_run)


def _say_forgotten(done: Forgotten, *, dry_run: bool) -> None:
    what = _counted(len(done.sessions), len(done.documents), len(done.workflows), len(done.scratchpads))
    where = f" of {done.project}" if done.project else ""
    options.say(f"{'Would forget' if dry_run else 'Forgotten'}: {what}{where}")
    if done.workflows or done.scratchpads:
        what = "scratchpads" if not done.workflows else "workflows and their scratchpads"
        options.say(f"Note: {what} exist nowhere else: forgetting them cannot be undone")
        if not done.project:
            options.say("What sessions say about it stays with them: axm forget --session ID")
    total = len(done.sessions) + len(done.documents)
    if done.gone:
        whose = "it is" if done.gone == total == 1 else f"{done.gone} of them are"
        options.say(f"Note: {whose} no longer on disk, so forgetting cannot be undone there")
    if not dry_run and done.gone < total:
        whose = "Your own files were" if done.documents else "The agent's own files were"
        options.say(f"{whose} not touched; the same command with --undo reads them again.")
    if done.copies:
        options.say(f"Note: forks contain copies of some of it and are kept: {', '.join(done.copies)}")


def _say_left(done: Forgotten) -> None:
    """What is not gone yet, or what was proven."""
    for held in done.pending:
        options.say(f"Pending: {forgetting.held(held)}")
        options.say(f"  hint: {held.then}")
    if done.certificate is not None:
        options.say(forgetting.proven(done.certificate))


def _say_copies(memory: Memory) -> None:
    """Files that a person made and put elsewhere are theirs: they are named, and not touched."""
    for one in memory.backups.list():
        if one.kind == "yours" and one.size:
            options.say(f"Note: a backup that you made may still hold it: {one.path}")
    for export in memory.exports.known():
        options.say(f"Note: an export may still hold it: {export.path}")
        options.say(f"  hint: axm export --to {export.to} {export.path} brings it up to date")


def _certificate(memory: Memory, args: argparse.Namespace) -> int:
    """Who has forgotten what; without other machines, what was proven here."""
    if not memory.sync.has_remote():
        found = memory.forgotten()
        for one in found.certificates:
            print(forgetting.proven(one))
        if args.json:
            options.print_line(
                "forget.certificate", {"forgettings": [], "here": [c._asdict() for c in found.certificates]}
            )
        return 1 if found.held else 0
    said = memory.sync.certificate(args.certificate or None)
    if args.json:
        options.print_line("forget.certificate", said)
    else:
        for line in syncing.certificate(said["forgettings"], options.now()):
            print(render.printable(line))
    return 1 if any(one["not_yet"] or one["left"] for one in said["forgettings"]) else 0


def _record(done: Forgotten, args: argparse.Namespace) -> dict[str, Any]:
    return {
        "dry_run": args.dry_run,
        "project": done.project,
        "sessions": [] if args.decision else list(done.sessions),
        "documents": list(done.documents),
        "decisions": list(done.sessions) if args.decision else [],
        "workflows": list(done.workflows),
        "scratchpads": list(done.scratchpads),
        "copies": list(done.copies),
        "complete": done.complete,
        "gone": 0 if args.decision else done.gone,
        "pending": [held._asdict() for held in done.pending],
        "certificate": None if done.certificate is None else done.certificate._asdict(),
    }


def _undo(memory: Memory, args: argparse.Namespace) -> int:
    report = memory.undo_forget(
        session=args.session, project=args.project, document=args.document, caller=memory.identify()
    )
    sessions = report.new + report.updated
    documents = report.documents.new + report.documents.updated if report.documents else 0
    options.say(f"Restored; read again: {_counted(sessions, documents)}")
    if not sessions + documents:
        options.say("Nothing of it is on disk any more, so nothing could be read again.")
    if args.json:
        options.print_line("forget", {"lifted": True, "read": sessions + documents})
    return 0


def _counted(sessions: int, documents: int, workflows: int = 0, scratchpads: int = 0) -> str:
    others = (("document", documents), ("workflow", workflows), ("scratchpad", scratchpads))
    parts = [render.counted(count, noun) for noun, count in others if count]
    if sessions or not parts:
        parts.insert(0, render.counted(sessions, "session"))
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last
