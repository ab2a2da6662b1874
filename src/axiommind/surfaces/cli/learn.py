"""`axm learn`: extract entries and tasks from sessions."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.cli._background_embedding import embed_by_itself
from axiommind.surfaces.cli._background_learning import WORKER, learn_now
from axiommind.surfaces.cli._daily_backup import back_up_by_itself
from axiommind.surfaces.cli._distilling import run_model, say_estimate
from axiommind.surfaces.cli._prepared_starts import prepare_starts
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.entries import words_of
from axiommind.surfaces.render.progress import Bar

if TYPE_CHECKING:
    from axiommind.learning.run_report import LearningReport

HELP = "Extract entries and tasks from new sessions"
CALLER = "free: rules act on evidence; switching a model on is a person's"
GROUP = "remember"
EVERYDAY = 7
_EPILOG = """examples:
  axm learn
  axm learn --dry-run
  axm learn --since 7d --project .
  axm learn --session 3e1c26d3 --again
  axm learn --model on                       your own agent distils sessions that end from now on
  axm learn --backfill 10                    and ten of those that ended before

New sessions are indexed first. Sessions that were learned already are skipped. The rules work offline and cost nothing;
axm index and the hooks run them in the background. A model is asked only if you say so: --model on asks it about each
session that has ended (its redacted text, only what is new in it), within the budget (axm budget); --model off stops
that, and --model alone shows it. --extractor NAME runs only that one.
"""
_SHOWN = 5
_STEPS_SHOWN = 5


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    from axiommind.extraction import names
    from axiommind.learning.distilling import providers

    parser.epilog = _EPILOG
    which = parser.add_argument_group("sessions (default: the new and changed ones of all projects)")
    which.add_argument("--session", metavar="ID", help="only this session (an id or its start)")
    exclusive = which.add_mutually_exclusive_group()
    exclusive.add_argument("--project", metavar="PATH", help="only sessions of this project")
    exclusive.add_argument("--all-projects", action="store_true", help="sessions of all projects (the default)")
    which.add_argument(
        "--since", metavar="WHEN", type=options.since, help="only sessions active since then: 2026-01-31, 7d, last week"
    )
    which.add_argument("--limit", type=options.count, metavar="N", help="at most N sessions, the oldest first")
    which.add_argument("--again", action="store_true", help="learn again from sessions that have not changed")
    parser.add_argument(
        "--extractor", choices=names(), help="run only this extractor (default: rules, then the model, if one is on)"
    )
    distil = parser.add_argument_group("a model that distils finished sessions in the background")
    distil.add_argument(
        "--model",
        nargs="?",
        const="show",
        choices=("on", "off", "show", *providers()),
        metavar="on|off|NAME",
        help="switch it on (your own agent, or the one named) or off; alone: show whether it is on. Learns nothing",
    )
    distil.add_argument(
        "--backfill",
        type=options.count,
        metavar="N",
        help="ask it about N older finished sessions, newest first; stop it at any time, the next run continues",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="print the entries that would be made, and write nothing"
    )
    parser.add_argument("--no-index", action="store_true", help="skip indexing new sessions first")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    if os.environ.pop(WORKER, ""):
        return _as_worker(memory)
    if args.model is not None:
        return run_model(memory, args.model, as_json=args.json)
    if args.dry_run or args.no_index:
        if not memory.config.index_path.exists():
            options.say("Nothing has been indexed yet: axm index")
            return 1
    else:
        _index(memory)
    if args.backfill is not None:
        say_estimate(memory, args.backfill)
    bar = Bar("Learning")
    try:
        report = memory.learning.run(
            session=args.session,
            project=memory.scope(project=args.project).project if args.project is not None else None,
            since=args.since,
            limit=args.limit,
            extractor=args.extractor,
            backfill=args.backfill,
            again=args.again,
            dry_run=args.dry_run,
            progress=bar,
            waiting=lambda: options.say("Waiting for the process that learns in the background"),
        )
    except KeyboardInterrupt:
        bar.close()
        options.say(f"Stopped; {_again(args)} continues from here")
        raise
    finally:
        bar.close()
    if args.json:
        options.print_json("learn", _as_json(report))
    elif report.planned:
        print(_planned(report))
    _show(report, memory, args)
    if not args.dry_run:
        embed_by_itself(memory, wait=True)
        prepare_starts(memory)
    return 3 if report.failed or report.stopped else 0


def _as_worker(memory: Memory) -> int:
    """As `axm index` started it: nobody waits, so it stays out of the way."""
    with contextlib.suppress(OSError):
        os.chdir(memory.config.home)  # keeps no folder of the user in use
    if hasattr(os, "nice"):
        os.nice(10)
    if memory.config.index_path.exists():  # the home may be gone since
        learn_now(memory)
        embed_by_itself(memory)
        prepare_starts(memory)
        back_up_by_itself(memory)
    return 0


def _index(memory: Memory) -> None:
    bar = Bar("Indexing")
    try:
        report = memory.index(progress=bar)
    finally:
        bar.close()
    for note in report.notes:
        options.say(f"Note: {note}")
    if report.problems:
        options.say(f"Note: {render.counted(len(report.problems), 'problem')} in transcripts; axm doctor lists them")
    if report.new or report.updated:
        options.say(f"Indexed: {report.new} new, {report.updated} updated, {report.unchanged} unchanged")


def _as_json(report: LearningReport) -> dict[str, Any]:
    from dataclasses import asdict

    shown = asdict(report)
    shown["projects"] = sorted(report.projects)
    shown["errors"] = [{"session_id": session, "error": error} for session, error in report.errors]
    shown["planned"] = [
        {
            "id": one.entry_id,
            "type": one.draft.type,
            "title": one.draft.title,
            "text": one.draft.text,
            "rule": one.draft.rule,
            "confidence": one.confidence,
            "aligned": one.aligned,
        }
        for one in report.planned
    ]
    return shown


def _planned(report: LearningReport) -> str:
    rows = [
        {
            "type": words_of(one.draft.type),
            "title": one.draft.title,
            "confidence": one.confidence,
            "aligned": "yes" if one.aligned else "no",
        }
        for one in report.planned
    ]
    return render.as_table(("type", "title", "confidence", "aligned"), rows)


def _again(args: argparse.Namespace) -> str:
    """The command that continues: without its name, another extractor would."""
    if args.backfill is not None:
        return f"axm learn --backfill {args.backfill}"
    return f"axm learn --extractor {args.extractor}" if args.extractor else "the next axm learn"


def _notes(report: LearningReport) -> None:
    for note in report.notes:
        options.say(f"Note: {note}")
    counts = (
        (report.refuted, "taken back later in the session"),
        (report.left_out, "left out, less worth keeping"),
        (report.merged, "said twice and merged"),
    )
    if told := "; ".join(f"{count:,} {what}" for count, what in counts if count):
        options.say(f"Claims not kept: {told}")


def _show(report: LearningReport, memory: Memory, args: argparse.Namespace) -> None:
    _notes(report)
    _errors(report)
    if not report.sessions and not report.stopped:
        _nothing(report, memory)
    else:
        _summary(report)
    if report.failed:
        failed = render.counted(report.failed, "failed session")
        options.say(f"Nothing was kept from the {failed}; {_again(args)} tries again")
    shut = _shut(report, memory)
    if shut:
        options.say(f"Stopped: {shut} is 0, which allows no model calls; change it in config.toml (-1 means no cap)")
    elif report.stopped:
        spent = "; axm budget shows what was spent" if "budget" in report.stopped else ""
        options.say(f"Stopped: {report.stopped}{spent}")
    if report.left:
        goes_on = "" if report.dry_run or shut else f"; {_again(args)} continues with them"
        options.say(f"Left: {render.counted(report.left, 'session')}{goes_on}")
    if sum(report.entries.values()) and not report.dry_run:
        options.say("To see them: axm entry list, axm decision list, axm task list")


def _shut(report: LearningReport, memory: Memory) -> str:
    """The cap that allows nothing, if it was a cap that stopped the run: no later run would continue."""
    config = memory.config
    caps = {"budget.calls": config.budget_calls, "budget.tokens": config.budget_tokens, "budget.usd": config.budget_usd}
    shut = [name for name, cap in caps.items() if cap == 0]
    return shut[0] if shut and report.stopped and "budget" in report.stopped else ""


def _errors(report: LearningReport) -> None:
    """Each error once, with the sessions that it came from."""
    by_error: dict[str, list[str]] = {}
    for session, error in report.errors:
        by_error.setdefault(" ".join(error.split()), []).append(session)
    for error, sessions in list(by_error.items())[:_SHOWN]:
        others = f" and {len(sessions) - 1} more" if len(sessions) > 1 else ""
        options.say(f"Failed: session {sessions[0]}{others}: {error}")
    if len(by_error) > _SHOWN:
        options.say(f"… and {len(by_error) - _SHOWN} other errors; axm metrics lists the sessions")


def _nothing(report: LearningReport, memory: Memory) -> None:
    known = memory.learning.session_count()
    if known:
        options.say(f"Nothing new to learn; {render.counted(known, 'session')} learned before")
    elif not report.left:
        options.say("There are no sessions to learn from; axm doctor shows where it looked")


def _summary(report: LearningReport) -> None:
    """A headline, and one line for each kind of result."""
    made = sum(report.entries.values())
    verb = "Would learn" if report.dry_run else "Learned"
    failed = f" ({report.failed} failed)" if report.failed else ""
    entries = "1 new entry" if made == 1 else f"{made:,} new entries"
    by = "" if report.extractors in ([], ["rules"]) else f" by {' and '.join(report.extractors)}"
    sessions = f"{render.counted(report.sessions, 'session')}{failed}{by}"
    options.say(f"{verb}: {sessions}, {entries}, {report.seconds:.1f} s")
    lines = [("entries", _counts(report.entries, "s")), ("stages", _counts(report.stages))]
    if report.aligned or report.not_aligned:
        quotes = render.counted(report.aligned, "quote")
        lines.append(("evidence", f"{quotes} found, {report.not_aligned:,} not found"))
    if report.tasks_created or report.tasks_changed or report.transitions_rejected:
        refused = render.counted(report.transitions_rejected, "transition")
        lines.append(
            ("tasks", f"{report.tasks_created:,} created, {report.tasks_changed:,} changed, {refused} refused")
        )
    if report.certified:
        lines.append(("certified", f"{report.certified:,} raised: stated or used in several sessions over weeks"))
    if report.conflicts:
        lines.append(("conflicts", f"{report.conflicts:,} found; axm conflict list --all shows them"))
    if report.withdrawn:
        lines.append(
            ("withdrawn", f"{render.counted(report.withdrawn, 'claim')} that sessions, read again, no longer make")
        )
    if report.rejected_before:
        lines.append(
            (
                "rejected",
                f"{render.counted(report.rejected_before, 'claim')} left out, because you rejected them before",
            )
        )
    lines.append(("time", _times(report.steps)))
    for name, value in lines:
        if value:
            options.say(f"  {name:<9}  {value}")


def _counts(counts: Mapping[str, int], plural: str = "") -> str:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count:,} {words_of(name)}{plural if count != 1 else ''}" for name, count in ordered)


def _times(steps: Mapping[str, float]) -> str:
    """The longest steps, the rest as one."""
    ordered = sorted(steps.items(), key=lambda item: -item[1])
    shown = [f"{name} {_took(took)}" for name, took in ordered[:_STEPS_SHOWN]]
    rest = sum(took for _, took in ordered[_STEPS_SHOWN:])
    return ", ".join([*shown, *([f"others {_took(rest)}"] if rest else [])])


def _took(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.1f} s" if milliseconds >= 100 else f"{milliseconds:.0f} ms"
