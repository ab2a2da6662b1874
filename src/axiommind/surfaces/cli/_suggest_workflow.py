"""What `axm analyze` and `axm cache` share, and the form without a command that v2 of suggest-workflow had.

The options, their names and their defaults are v2's. Both commands index first, then ask the index alone.
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

# What v2 named by a flag of its own; the other fields are in a tuning file.
_OVERRIDES = {
    "bm25_k1": ("--bm25-k1", "how soon a repeated word stops to count"),
    "bm25_b": ("--bm25-b", "how much a long prompt is held against its words, 0 to 1"),
    "time_window_minutes": ("--time-window", "minutes without a tool that end a unit of work"),
    "decay_half_life_days": ("--decay-half-life", "days after which a prompt counts half"),
    "z_score_threshold": ("--z-threshold", "from how many standard deviations edits of a file stand out"),
}


def add_analysis(parser: argparse.ArgumentParser) -> None:
    """The options of v2."""
    where = parser.add_argument_group("what to analyse")
    where.add_argument("--scope", choices=("project", "global"), default="project", help="default: project")
    where.add_argument("--project", metavar="PATH", help="this project (default: the one of this folder)")
    options.add_window(where, "prompts")
    where.add_argument(
        "--exclude-words", metavar="A,B", type=_words, default=(), help="words that count for nothing, beside the usual"
    )
    where.add_argument("--no-index", action="store_true", help="do not look for new sessions first")
    how = parser.add_argument_group("how to analyse")
    how.add_argument(
        "--depth",
        choices=("narrow", "normal", "wide"),
        default="normal",
        help="how freely alike prompts are put together (default: normal)",
    )
    how.add_argument(
        "--focus",
        choices=("all", "workflow", "skill"),
        default="all",
        help="workflow: prompts, sequences and the graph of tools; skill: tacit knowledge; default: all",
    )
    how.add_argument(
        "--threshold", metavar="N", type=options.count, default=3, help="what was seen so often counts (default 3)"
    )
    how.add_argument("--top", metavar="N", type=options.count, default=10, help="so many of each (default 10)")
    how.add_argument("--decay", action="store_true", help="what was said lately counts more")
    tuned = parser.add_argument_group("numbers of the formulas")
    tuned.add_argument(
        "--tuning", metavar="FILE", type=Path, help="a JSON object of fields; those left out keep their default"
    )
    tuned.add_argument("--tuning-defaults", action="store_true", help="print every field with its default, and stop")
    for name, (flag, text) in _OVERRIDES.items():
        tuned.add_argument(flag, dest=name, metavar="N", type=float, help=text)


def add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    parser.add_argument("--json", dest="format", action="store_const", const="json", help="the same as --format json")


def flags() -> frozenset[str]:
    """Every flag of v2, which had no commands."""
    parser = argparse.ArgumentParser(add_help=False)
    add_analysis(parser)
    add_format(parser)
    known = {o for action in parser._actions for o in action.option_strings}
    return frozenset((known | {"--cache"}) - {"--json", "--no-index"})


def commanded(argv: list[str]) -> list[str]:
    """The same with the command that v2's form without one means."""
    if "--cache" in argv:
        return ["cache", *(word for word in argv if word != "--cache")]
    return ["analyze", *argv]


def print_tuning() -> int:
    import json

    from axiommind.reports.analysers.tuning import Tuning

    print(json.dumps(Tuning().to_dict(), indent=2))
    return 0


def analysis_of(memory: Memory, args: argparse.Namespace) -> AnalyzeOptions:
    """What was asked for. Says what is wrong with it before anything is read or written."""
    from axiommind.reports.analysis.analyst import AnalyzeOptions

    options.require_window(args.since, args.until)
    if args.scope == "global" and args.project is not None:
        options.say("Note: --scope global is all projects, whatever --project says")  # scripts for v2 give both
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
    """The project that is meant, by the name it has in the index or will have there."""
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
    """Read what is new, of this project or of all, as `axm index` does; unless that is not wanted."""
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
    """Where there is nothing to analyse, what v2 said to that, before the reason."""
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
    """As v2 wrote it."""
    import json

    return json.dumps(found, ensure_ascii=False, indent=2)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in map(str.strip, text.split(",")) if word)
