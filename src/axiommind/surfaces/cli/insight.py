"""`axm insight`: how work is done, and what could be documented or automated, with evidence."""

from __future__ import annotations

import argparse
from pathlib import Path

from axiommind.errors import AxmError
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render.insight import FORMATS, as_html, as_json, as_markdown
from axiommind.surfaces.render.progress import LongWork

HELP = "Report habits, time and rework, and suggest improvements"
CALLER = "reads"
GROUP = "ask"
EVERYDAY = 6
_EPILOG = """examples:
  axm insight
  axm insight --since 2026-01-01 --out insight.html
  axm insight --all-projects --format json

The report uses what is indexed (axm index) and, for contradictions and tasks, what was learned (axm learn). Every
suggestion is based on at least two sessions. If a model is configured (extract.extractor), it writes the introduction
from the facts, within the budget; a sentence with a number that is not in the facts is dropped.
"""
_WRITERS = {"md": as_markdown, "html": as_html, "json": as_json}


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    options.add_window(parser, "what happened")
    parser.add_argument(
        "--format", choices=FORMATS, help="output format (default: by the ending of --out, otherwise md)"
    )
    parser.add_argument("--json", dest="format", action="store_const", const="json", help="the same as --format json")
    parser.add_argument("--out", metavar="FILE", type=Path, help="write the report to this file")
    parser.add_argument(
        "--prose",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="let a model write the introduction (default: if one is configured)",
    )
    options.add_scope(parser)


def run(args: argparse.Namespace) -> int:
    options.require_window(args.since, args.until)
    memory = Memory()
    form = args.format or _format_of(args.out)
    options.require_index(memory)
    if not memory.config.index_path.exists():
        return _nothing(None)
    scope = memory.scope(project=args.project, all_projects=args.all_projects)
    with LongWork("Looking at the sessions"):
        report = memory.reports.insight(scope, since=args.since, until=args.until, prose=args.prose)
    if report.sessions or form == "json":
        _put(_WRITERS[form](report), args.out)
    return 0 if report.sessions else _nothing(scope.project)


def _format_of(path: Path | None) -> str:
    ending = "" if path is None else path.suffix.lower().lstrip(".")
    return {"htm": "html", "markdown": "md"}.get(ending, ending if ending in FORMATS else "md")


def _put(text: str, path: Path | None) -> None:
    if path is None:
        print(text.rstrip("\n"))
        return
    try:
        path.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    except OSError as error:
        raise AxmError(f"{path} cannot be written: {error.strerror or error}") from error
    options.say(f"Report: {path}")


def _nothing(project: str | None) -> int:
    options.say("There is nothing to report: no sessions" + (f" of {project} in that time." if project else "."))
    options.say("  hint: axm index reads new sessions; --all-projects includes other projects")
    return 1
