"""`axm start`: index your sessions and show a summary; if there are none, use the sample."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from shutil import copytree, which
from typing import TYPE_CHECKING

from axiommind.config import Config
from axiommind.memory import SAMPLE, SAMPLE_FOLDER, SAMPLE_MARK, Memory, Scope
from axiommind.private import make_private
from axiommind.surfaces.cli._background_learning import learn_later
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.progress import Bar
from axiommind.surfaces.render.table_layout import cut_end, cut_middle

if TYPE_CHECKING:
    from axiommind.health.overview import Overview
    from axiommind.ingest.report import IndexReport

HELP = "Index your sessions and print a summary"
CALLER = "free: it indexes, and learns by rules"
GROUP = "look"
EVERYDAY = 1
_BAR = 24


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.add_argument("--sample", action="store_true", help="use the sample sessions that come with the program")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    was_sample = memory.home.is_sample
    sample = args.sample or was_sample
    if not sample:
        report = _index(memory)
        found = report.new or report.updated or report.unchanged or report.missing
        sample = not found and not memory.overview(Scope(None)).sessions  # those of other machines count too
        learn_later(memory)
    if sample:
        memory = memory if was_sample else _sample(memory)
        _index(memory)
        memory.learning.run(extractor="rules")  # so that entries and tasks can be tried too; no model is asked
        sys.stderr.write(
            "No sessions of any agent were found, so this is the sample that comes with the program.\n"
            if not args.sample and not was_sample
            else "This is the sample that comes with the program.\n"
        )
    overview = memory.overview(Scope(None))
    if args.json:
        shown = {"schema": "axm.start.v1", "sample": sample, "home": str(memory.config.home), **asdict(overview)}
        if not memory.config.usage_dollars:
            del shown["dollars"], shown["unpriced"]
        print(json.dumps(shown, ensure_ascii=False))
        return 0
    _print(memory, overview, sample)
    return 0


def _index(memory: Memory) -> IndexReport:
    bar = Bar("Indexing")
    try:
        return memory.index(progress=bar)
    finally:
        bar.close()


def _sample(memory: Memory) -> Memory:
    """The sample has a home of its own, so that it never mixes with real sessions."""
    home = memory.config.home / "sample"
    if not (home / SAMPLE_MARK).exists():
        make_private(home)
        copytree(SAMPLE, home / SAMPLE_FOLDER, dirs_exist_ok=True)
        (home / SAMPLE_MARK).touch()
    environ = {**os.environ, "AXM_HOME": str(home)}
    return Memory(Config.load(environ), environ=environ)


def _print(memory: Memory, seen: Overview, sample: bool) -> None:
    print(render.bold("AxiomMind"))
    subagents = f" and {render.counted(seen.subagents, 'subagent')}" if seen.subagents else ""
    for label, text in (
        ("Sessions", f"{seen.sessions:,}{subagents} in {render.counted(len(seen.projects), 'project')}"),
        ("From", f"{render.day(seen.first)} to {render.day(seen.last)}"),
        ("Prompts", f"{seen.prompts:,}"),
        ("Tool uses", f"{seen.tool_uses:,}, of them {seen.edits:,} file edits"),
        ("Written", f"{seen.output_tokens:,} tokens by the models"),
        *([("Cost", _cost(seen))] if seen.dollars is not None else []),
        ("Home", str(memory.config.home)),
    ):
        print(f"  {label:<12}{text}")
    _rank("Projects", seen.projects[:5])
    _rank("Top tools", seen.tools)
    _rank("Busiest files", seen.files)
    if seen.recent:
        print(f"\n{render.bold('Last sessions')}")
        for session, title, when in seen.recent:
            text = cut_end(" ".join(render.printable(title).split()), render.terminal_width() - 24)
            print(f"  {render.day(when)}  {render.dim(session[:8])}  {text}")
    if seen.proposals:
        waits = "1 proposal of an agent waits" if seen.proposals == 1 else f"{seen.proposals} proposals of agents wait"
        print(f"\n{waits} for you: axm review")
    _say_next(memory, sample)


def _cost(seen: Overview) -> str:
    """What it cost, and which models are not in it."""
    missing = ", ".join(render.printable(name) for name in seen.unpriced[:3])
    more = ", …" if len(seen.unpriced) > 3 else ""
    without = f", without {missing}{more} (no price known)" if missing else ""
    return f"${seen.dollars or 0:,.2f} at list prices{without}"


def _rank(title: str, rows: list[tuple[str, int]]) -> None:
    """The largest counts, with bars."""
    if not rows:
        return
    print(f"\n{render.bold(title)}")
    top = max(count for _, count in rows)
    for name, count in rows:
        bar = "▇" * max(round(count / top * _BAR), 1)
        shown = cut_middle(render.printable(name), render.terminal_width() - _BAR - 13, 0.3)
        print(f"  {count:>7,}  {bar:<{_BAR}}  {shown}")


def _say_next(memory: Memory, sample: bool) -> None:
    program = _program()
    here = f"AXM_HOME={memory.config.home} {program}" if sample else program
    print(f"\n{render.bold('What to do next')}")
    commands = {
        f"{program} install --all": "let your agents recall earlier sessions",
        f"{here} insight": "see habits, rework and suggestions",
        f'{here} search "test"': "find what was said, with its source",
    }
    room = max(map(len, commands))
    for command, why in commands.items():
        line = f"  {command:<{room}}  # {why}"
        print(line if len(line) <= render.terminal_width() else f"  {command}")


def _program() -> str:
    """How to call this program from here: its name where the shell finds it, else its path (as after `make run`)."""
    path = Path(sys.argv[0])
    if path.name != "axm" or which("axm") is not None:
        return "axm"
    try:
        return str(path.absolute().relative_to(Path.cwd()))
    except ValueError:
        return str(path.absolute())
