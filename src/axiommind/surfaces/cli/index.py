"""`axm index`: read new sessions and changed documents into the log and the index."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from axiommind.callers import AGENT
from axiommind.errors import AxmError, UsageError
from axiommind.locks import alone
from axiommind.memory import Memory
from axiommind.surfaces.cli._background_embedding import embed_by_itself
from axiommind.surfaces.cli._background_learning import learn_later, learn_now, say_learned
from axiommind.surfaces.cli._background_sync import sync_by_itself
from axiommind.surfaces.cli._daily_backup import back_up_by_itself
from axiommind.surfaces.cli._prepared_starts import prepare_starts
from axiommind.surfaces.cli.kb import summary
from axiommind.surfaces.hooks.background_index import PENDING, take_over
from axiommind.surfaces.render.progress import Bar

if TYPE_CHECKING:
    from axiommind.ingest.report import IndexReport

HELP = "Read new sessions and changed documents"
CALLER = "free: it reads what is on disk; --prune is a proposal"
GROUP = "look"
EVERYDAY = 2


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.add_argument("--project", metavar="PATH", help="only sessions of this project, and no documents")
    parser.add_argument(
        "--source",
        action="append",
        metavar="AGENT",
        help="only sessions of this agent (axm sources lists them), and no documents; may be given again",
    )
    parser.add_argument("--full", action="store_true", help="rebuild the index and read every file again")
    parser.add_argument(
        "--prune", action="store_true", help="remove sessions whose files are gone from the index (the log keeps them)"
    )
    parser.add_argument(
        "--embed",
        action="store_true",
        help="then run axm embed (always: set embed.background)",
    )
    learning = parser.add_mutually_exclusive_group()
    learning.add_argument(
        "--learn", action="store_true", help="then run axm learn and wait for it (default: it runs in the background)"
    )
    learning.add_argument("--no-learn", action="store_true", help="learn nothing now (always: set learn.auto to false)")
    parser.add_argument("--watch", action="store_true", help="keep running as files change, until interrupted")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    for name in args.source or ():
        _require_agent(name, memory.home.agents())
    if args.watch:
        return _watch(memory, args)
    if pending := os.environ.pop(PENDING, ""):
        return _in_background(memory, args, Path(pending))
    code = _index(memory, args)
    if args.learn:
        _learn(memory)
    elif not args.no_learn:
        learn_later(memory)
    _embed(memory, args)
    prepare_starts(memory)
    back_up_by_itself(memory, is_first=False)
    return code


def _require_agent(name: str, agents: Sequence[str]) -> None:
    if name in agents:
        return
    from axiommind.sources import names

    if name in names():
        raise UsageError(f"the sessions of {name} are not read", hint="take its name out of sources.off in config.toml")
    raise UsageError(f"there is no source {name!r}", hint=f"one of: {', '.join(agents)}")


def _in_background(memory: Memory, args: argparse.Namespace, pending: Path) -> int:
    """As a hook started it: after the one that indexes now, and alone."""
    with take_over(pending) as (ours, learn):
        if not ours:
            sys.stderr.write("Not indexed: another process is still indexing\n")
            return 0
        code = _index(memory, args)
    # Learning may take its time; what is new meanwhile is indexed by the next one.
    learn_now(memory, finished=not (args.learn or learn))
    sync_by_itself(memory)
    prepare_starts(memory)
    with alone(pending.with_name("embedding")) as ours:
        if ours and (_embed(memory, args) or embed_by_itself(memory)):
            prepare_starts(memory)
    back_up_by_itself(memory)
    return code


def _index(memory: Memory, args: argparse.Namespace) -> int:
    bar = Bar("Indexing")
    try:
        caller = memory.identify() if args.prune else AGENT
        report = memory.index(
            project=args.project, agents=args.source, full=args.full, prune=args.prune, progress=bar, caller=caller
        )
    finally:
        bar.close()
    _show(report, args)
    nothing = args.project is not None and not (report.new or report.updated or report.unchanged or report.missing)
    return 1 if nothing else 0


def _watch(memory: Memory, args: argparse.Namespace) -> int:
    first = True
    try:
        for report in memory.watch(project=args.project):
            if first or report.events or (report.documents and report.documents.events):
                _show(report, args)
                if args.learn:
                    _learn(memory)
                elif not args.no_learn:
                    learn_now(memory, finished=True)
                sync_by_itself(memory)
                if not _embed(memory, args):
                    embed_by_itself(memory)
                prepare_starts(memory)
                back_up_by_itself(memory)
            if first and not args.json:
                sys.stderr.write("Watching for changes; press Ctrl-C to stop.\n")
            first = False
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
    return 0


def _learn(memory: Memory) -> None:
    """What new sessions say; whatever goes wrong there, the index is made."""
    bar = Bar("Learning")
    try:
        report = memory.learning.run(progress=bar)
    except AxmError as error:
        bar.close()
        sys.stderr.write(f"Not learned: {error.message}\n" + (f"  hint: {error.hint}\n" if error.hint else ""))
        return
    bar.close()
    say_learned(report)


def _embed(memory: Memory, args: argparse.Namespace) -> bool:
    """The vectors of what is new, if they are wanted; whatever goes wrong there, the index is made. Returns whether
    it was tried."""
    if not (args.embed or memory.config.embed_background == 1):
        return False
    bar = Bar("Embedding")
    try:
        done = memory.embeddings.make(progress=bar)
    except AxmError as error:
        bar.close()
        sys.stderr.write(f"Not embedded: {error.message}\n" + (f"  hint: {error.hint}\n" if error.hint else ""))
        return True
    bar.close()
    failed = f", {done.failed:,} failed (axm embed --status)" if done.failed else ""
    sys.stderr.write(f"Embedded: {done.done:,} new, {done.waiting:,} waiting{failed}\n")
    if done.stopped is not None:
        sys.stderr.write(f"Stopped: {done.stopped.message}\n")
    return True


def _show(report: IndexReport, args: argparse.Namespace) -> None:
    for note in report.notes:
        sys.stderr.write(f"Note: {note}\n")
    for problem in report.problems[:5]:
        sys.stderr.write(f"Problem: {problem.where}: {problem.why}\n")
    if len(report.problems) > 5:
        sys.stderr.write(f"… and {len(report.problems) - 5} more problems; axm doctor lists them\n")
    more = f", {report.pruned} pruned" if report.pruned else ""
    more += f", {report.returned} returned" if report.returned else ""
    sys.stderr.write(
        f"Indexed: {report.new} new, {report.updated} updated, {report.unchanged} unchanged, "
        f"{report.missing} missing{more}\n"
    )
    documents = report.documents
    if documents is not None and documents.folders:
        for problem in documents.problems[:5]:
            sys.stderr.write(f"Problem: {problem.where}: {problem.why}\n")
        sys.stderr.write(f"{summary(documents)}\n")
    if args.json:
        print(json.dumps(report.as_json(), ensure_ascii=False), flush=True)
