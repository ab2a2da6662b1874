"""What `axm analyze` and `axm cache` share, and the form without a command that suggest-workflow 2 had.

The options, their names and their defaults are those of version 2. Both commands index first, then read only the index.
"""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from axiommind.errors import NotFound, UsageError
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render

if TYPE_CHECKING:
    from axiommind.reports.analysers.tuning import Tuning
    from axiommind.reports.analysis.analyst import AnalyzeOptions

__all__ = [
    "add_analysis",
    "add_format",
    "analysis_of",
    "as_json",
    "asking",
    "bring_up",
    "commanded",
    "flags",
    "in_index",
    "print_tuning",
]

# The fields that have a flag of their own; the others are set in a tuning file.
_OVERRIDES = {
    "bm25_k1": ("--bm25-k1", "how fast repeated words stop adding to the score"),
    "bm25_b": ("--bm25-b", "how much long prompts are penalized, 0 to 1"),
    "time_window_minutes": ("--time-window", "minutes without a tool use that end a unit of work"),
    "decay_half_life_days": ("--decay-half-life", "days after which a prompt counts half as much"),
    "z_score_threshold": ("--z-threshold", "standard deviations from which the edits of a file stand out"),
}


def add_analysis(parser: argparse.ArgumentParser) -> None:
    """The options of suggest-workflow 2."""
    where = parser.add_argument_group("what to analyze")
    where.add_argument(
        "--scope", choices=("project", "global"), default="project", help="one project or all (default: project)"
    )
    where.add_argument("--project", metavar="PATH", help="only this project (default: that of this folder)")
    options.add_window(where, "prompts")
    where.add_argument(
        "--exclude-words", metavar="A,B", type=_words, default=(), help="words to ignore, in addition to the stop words"
    )
    where.add_argument("--no-index", action="store_true", help="skip indexing new sessions first")
    how = parser.add_argument_group("how to analyze")
    how.add_argument(
        "--depth",
        choices=("narrow", "normal", "wide"),
        default="normal",
        help="how similar prompts of one cluster must be (default: normal)",
    )
    how.add_argument(
        "--focus",
        choices=("all", "workflow", "skill"),
        default="all",
        help="workflow: prompts, tool sequences and the tool graph; skill: tacit knowledge (default: all)",
    )
    how.add_argument(
        "--threshold", metavar="N", type=options.count, default=3, help="ignore what was seen less often (default 3)"
    )
    how.add_argument(
        "--top", metavar="N", type=options.count, default=10, help="at most N items in each section (default 10)"
    )
    how.add_argument("--decay", action="store_true", help="give recent prompts more weight")
    tuned = parser.add_argument_group("tuning")
    tuned.add_argument("--tuning", metavar="FILE", type=Path, help="a JSON object of fields to change")
    tuned.add_argument("--tuning-defaults", action="store_true", help="print all fields with their defaults, and exit")
    for name, (flag, text) in _OVERRIDES.items():
        tuned.add_argument(flag, dest=name, metavar="N", type=float, help=text)


def add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")
    parser.add_argument("--json", dest="format", action="store_const", const="json", help="the same as --format json")


def flags() -> frozenset[str]:
    """Every flag of suggest-workflow 2, which had no commands."""
    parser = argparse.ArgumentParser(add_help=False)
    add_analysis(parser)
    add_format(parser)
    known = {o for action in parser._actions for o in action.option_strings}
    return frozenset((known | {"--cache"}) - {"--json", "--no-index"})


def commanded(argv: list[str]) -> list[str]:
    """The same arguments with the command that they mean."""
    if "--cache" in argv:
        return ["cache", *(word for word in argv if word != "--cache")]
    return ["analyze", *argv]


def print_tuning() -> int:
    import json

    from axiommind.reports.analysers.tuning import Tuning

    print(json.dumps(Tuning().to_dict(), indent=2))
    return 0


def analysis_of(memory: Memory, args: argparse.Namespace) -> AnalyzeOptions:
    """What was asked for, checked before anything is read or written."""
    from axiommind.reports.analysis.analyst import AnalyzeOptions

    options.require_window(args.since, args.until)
    if args.scope == "global" and args.project is not None:
        options.say("Note: --scope global ignores --project")  # scripts for version 2 give both
    return AnalyzeOptions(
        scope=args.scope,
        project=None if args.scope == "global" else _project(memory, args.project),
        depth=args.depth,
        focus=args.focus,
        threshold=args.threshold,
        top=args.top,
        decay=args.decay,
        since=args.since,
        until=args.until,
        exclude_words=args.exclude_words,
        tuning=_tuning(args),
    )


def _tuning(args: argparse.Namespace) -> Tuning:
    from axiommind.reports.analysers.tuning import Tuning

    tuning = Tuning() if args.tuning is None else Tuning.load(args.tuning)
    given = {name: getattr(args, name) for name in _OVERRIDES if getattr(args, name) is not None}
    for name, value in given.items():
        Tuning.of({name: value}, _OVERRIDES[name][0])  # so that an error names the flag
    return Tuning.of({**tuning.to_dict(), **given})


def _project(memory: Memory, wanted: str | None) -> str:
    """The project that is meant, by the name it has, or will have, in the index."""
    import os

    from axiommind.projects import project_around

    if wanted is None:
        try:
            here = str(Path.cwd())
        except OSError:
            raise UsageError("the current folder is gone", hint="name a project: --project PATH") from None
        return memory.scope(cwd=here).project or project_around(here, stop=str(Path.home()))
    try:
        return memory.scope(project=wanted).project or os.path.realpath(wanted)
    except NotFound:
        return os.path.realpath(wanted)


def bring_up(memory: Memory, args: argparse.Namespace, project: str | None) -> None:
    """Index new sessions of this project, or of all, unless that is not wanted."""
    if args.no_index:
        options.require_index(memory)
        return
    from axiommind.surfaces.render.progress import Bar

    bar = Bar("Indexing")
    try:
        report = memory.index(project=project, progress=bar)
    finally:
        bar.close()
    for note in report.notes:
        options.say(f"Note: {note}")
    if report.problems:
        options.say(f"Note: {render.counted(len(report.problems), 'problem')} in transcripts; axm doctor lists them")
    options.say(
        f"Indexed: {report.new} new, {report.updated} updated, {report.unchanged} unchanged, {report.missing} missing"
    )


@contextlib.contextmanager
def asking(memory: Memory, wanted: AnalyzeOptions) -> Iterator[None]:
    """If there is nothing to analyze, say first what suggest-workflow 2 said."""
    try:
        yield
    except NotFound:
        if wanted.scope == "global":
            options.say("No prompts found across any projects.")
        else:
            options.say("No prompts found." if in_index(memory, wanted.project) else "No session files found.")
        raise


def in_index(memory: Memory, project: str | None) -> bool:
    """Whether the index has sessions of a project."""
    try:
        return memory.scope(project=project or "").project is not None
    except NotFound:
        return False


def as_json(found: Any) -> str:
    """Formatted as suggest-workflow 2 did."""
    import json

    return json.dumps(found, ensure_ascii=False, indent=2)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in map(str.strip, text.split(",")) if word)
