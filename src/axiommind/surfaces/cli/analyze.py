"""`axm analyze`: the analysis of suggest-workflow 2, computed from the index, in the same words and shapes."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _suggest_workflow as suggest_workflow
from axiommind.surfaces.render.progress import LongWork

HELP = "Analyze recurring prompts and tool sequences"
CALLER = "reads"
GROUP = "ask"
_EPILOG = """New sessions of the project are indexed first; the analysis itself reads only the index. The JSON has the
keys of suggest-workflow 2, so it has no "schema" key. "analyzedAt" is the time of the last event in the index: the same
log always gives the same output. suggest-workflow takes the same options without a command.

examples:
  axm analyze
  axm analyze --scope global --decay --top 20
  axm analyze --project ~/code/weather --since 2026-01-01 --format json
  axm analyze --tuning-defaults > tuning.json
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    suggest_workflow.add_format(parser)
    suggest_workflow.add_analysis(parser)


def run(args: argparse.Namespace) -> int:
    if args.tuning_defaults:
        return suggest_workflow.print_tuning()
    memory = Memory()
    wanted = suggest_workflow.analysis_of(memory, args)
    suggest_workflow.bring_up(memory, args, wanted.project)
    with suggest_workflow.asking(memory, wanted), LongWork("Analyzing"):
        found = memory.reports.analyst.analyze(wanted)
    if args.format == "json":
        print(suggest_workflow.as_json(found))
        return 0
    from axiommind.surfaces.render.analysis import as_text

    print(as_text(found, wanted.threshold, wanted.top))
    return 0
