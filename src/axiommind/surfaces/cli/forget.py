"""`axm forget`: purge the text of a session, a document, a project, a workflow or a scratchpad, everywhere."""

from __future__ import annotations

import argparse
import json
import sys

from axiommind.errors import UsageError
from axiommind.memory import Memory
from axiommind.surfaces.render import tables as render

HELP = "Purge a session, document, project, workflow or decision"
GROUP = "keep safe"
_EPILOG = """The event log keeps that something was there and was forgotten; its text is overwritten.
Files on disk are not touched. --undo lets them be read again, if they are still there. Decisions, workflows and
scratchpads are nowhere else: those cannot come back.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--session", metavar="ID", help="this session and its subagents (id, or its first characters)")
    what.add_argument("--document", metavar="PATH|ID", help="this document of a folder that axm kb added")
    what.add_argument(
        "--project", metavar="PATH", help="every session, document and workflow of this project, also future ones"
    )
    what.add_argument("--workflow", metavar="ID", help="this workflow and its scratchpads; this cannot be undone")
    what.add_argument(
        "--pad", dest="scratchpad", metavar="ID", help="this scratchpad, every version; this cannot be undone"
    )
    what.add_argument("--decision", metavar="ID", help="a decision made with axm decision make; this cannot be undone")
    parser.add_argument("--reason", default="", help="kept with the tombstone")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be forgotten")
    parser.add_argument("--undo", action="store_true", help="lift the tombstone and read again what is on disk")
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    if args.undo and args.decision:
        raise UsageError("a forgotten decision cannot come back", hint='axm decision make "…" makes a new one')
    if args.undo and (args.workflow or args.scratchpad):
        what = "workflow" if args.workflow else "scratchpad"
        raise UsageError(f"a forgotten {what} cannot come back: its text was nowhere else")
    if args.undo:
        return _undo(memory, args)
    done = memory.forget(
        session=args.session,
        project=args.project,
        document=args.document,
        decision=args.decision,
        workflow=args.workflow,
        scratchpad=args.scratchpad,
        reason=args.reason,
        dry_run=args.dry_run,
    )
    verb = "Would forget" if args.dry_run else "Forgotten"
    what = _counted(len(done.sessions), len(done.documents), len(done.workflows), len(done.scratchpads))
    what += f" of {done.project}" if done.project else ""
    if args.decision:
        what = "the decision"
    sys.stderr.write(f"{verb}: {what}\n")
    if args.decision:
        sys.stderr.write("Note: this cannot be undone\n")
    elif done.workflows or done.scratchpads:
        what = "scratchpads" if not done.workflows else "workflows and their scratchpads"
        sys.stderr.write(f"Note: {what} are nowhere else: forgetting them cannot be undone\n")
        if not done.project:
            sys.stderr.write("What sessions said of it stays with them: axm forget --session ID\n")
    sessions = () if args.decision else done.sessions
    total = len(sessions) + len(done.documents)
    if done.gone and not args.decision:
        whose = "it is" if done.gone == total == 1 else f"{done.gone} of them are"
        sys.stderr.write(f"Note: {whose} no longer on disk: forgetting cannot be undone there\n")
    if not args.dry_run and done.gone < total:
        whose = "Your own files were" if done.documents else "The agent's own files were"
        sys.stderr.write(f"{whose} not touched; the same command with --undo reads them again.\n")
    if done.copies:
        sys.stderr.write(f"Note: forks hold copies of some of it and stay: {', '.join(done.copies)}\n")
    if not done.complete:
        sys.stderr.write("Note: another program is reading; the last traces go when it ends and axm index runs again\n")
    for why in done.vectors_left:
        sys.stderr.write(f"Vectors of it may be left: {why.message}\n")
        then = f"{why.hint}; then axm embed" if why.hint else "axm embed"
        sys.stderr.write(f"  hint: {then} takes them out\n")
    if args.json:
        shown = {
            "schema": "axm.forget.v1",
            "dry_run": args.dry_run,
            "project": done.project,
            "sessions": list(sessions),
            "documents": list(done.documents),
            "decisions": list(done.sessions) if args.decision else [],
            "workflows": list(done.workflows),
            "scratchpads": list(done.scratchpads),
            "copies": list(done.copies),
            "complete": done.complete,
            "gone": 0 if args.decision else done.gone,
            "vectors_left": [why.message for why in done.vectors_left],
        }
        print(json.dumps(shown, ensure_ascii=False))
    else:
        for name in (*done.sessions, *done.documents, *done.workflows, *done.scratchpads):
            print(name)
    return 3 if done.vectors_left else 0


def _undo(memory: Memory, args: argparse.Namespace) -> int:
    report = memory.undo_forget(session=args.session, project=args.project, document=args.document)
    sessions = report.new + report.updated
    documents = report.documents.new + report.documents.updated if report.documents else 0
    sys.stderr.write(f"Lifted; read again: {_counted(sessions, documents)}\n")
    if not sessions + documents:
        sys.stderr.write("Nothing of it is on disk any more, so nothing could be read again.\n")
    if args.json:
        print(json.dumps({"schema": "axm.forget.v1", "lifted": True, "read": sessions + documents}))
    return 0


def _counted(sessions: int, documents: int, workflows: int = 0, scratchpads: int = 0) -> str:
    others = (("document", documents), ("workflow", workflows), ("scratchpad", scratchpads))
    parts = [render.counted(count, noun) for noun, count in others if count]
    if sessions or not parts:
        parts.insert(0, render.counted(sessions, "session"))
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last
