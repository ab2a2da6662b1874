"""`axm sources`: the agents whose sessions are read, and what was found of each."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render

if TYPE_CHECKING:
    from axiommind.health.sources import SourceState

HELP = "List the agents that are read, and what was found"
CALLER = "reads"
GROUP = "look"
EVERYDAY = 11
_EPILOG = """examples:
  axm sources
  axm sources --all                 also the agents that were not found, and where they are looked for
  axm index --source codex          read only the sessions of one agent

To leave an agent out, put its name into sources.off; to read a folder elsewhere, such as one of a backup or of another
user, add AGENT=FOLDER to sources.roots. Both are settings in config.toml.
"""
_COLUMNS = ("agent", "sessions", "subagents", "newest", "on disk", "where")


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--all", action="store_true", help="also agents that were not found on this machine")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    found = memory.sources()
    if args.json:
        options.print_json("sources", {"sources": [_as_json(one) for one in found]})
        return 0 if any(one.files or one.sessions for one in found) else 1
    shown = [one for one in found if args.all or one.roots or one.sessions]
    if shown:
        print(render.as_table(_COLUMNS, [_row(one, memory.home.user) for one in shown]))
    missing = [one.title for one in found if one not in shown]
    if missing:
        options.say(f"Not found: {', '.join(missing)} (axm sources --all shows where they are looked for)")
    for one in found:
        for problem in one.problems[:3]:
            options.say(f"Problem: {one.title}: {problem.where}: {problem.why}")
        if one.unknown:
            kinds = ", ".join(f"{kind} ({count:,})" for kind, count in one.unknown[:5])
            options.say(f"Note: {one.title} has records of types that are not known yet, and not read: {kinds}")
    for one in found:
        if one.machines:
            which = ", ".join(f"{machine} ({count:,})" for machine, count in one.machines)
            options.say(f"Of other machines, among those of {one.title}: {which}")
    if any(one.files and not one.sessions and not one.is_off for one in found):
        options.say("Some are not indexed yet; run: axm index")
    return 0 if shown else 1


def _row(one: SourceState, user: Path) -> dict[str, Any]:
    where = ", ".join(_short(root, user) for root in one.roots or one.looked_in[:1])
    if one.is_off:
        where = "off (sources.off)"
    elif not one.roots:
        where = f"not there: {where}" if where else "only where sources.roots says"
    return {
        "agent": one.name,
        "sessions": f"{one.sessions:,}",
        "subagents": f"{one.subagents:,}" if one.subagents else "",
        "newest": _day(one.newest),
        "on disk": render.counted(one.files, "file") if one.files else "",
        "where": where,
    }


def _day(newest: int | None) -> str:
    return "" if newest is None else datetime.fromtimestamp(newest / 1000, UTC).astimezone().strftime("%Y-%m-%d %H:%M")


def _short(path: str, user: Path) -> str:
    inside = Path(path).is_relative_to(user)
    return (Path("~") / Path(path).relative_to(user)).as_posix() if inside else path


def _as_json(one: SourceState) -> dict[str, Any]:
    return {
        **one._asdict(),
        "unknown": dict(one.unknown),
        "machines": dict(one.machines),
        "problems": [{"path": problem.path, "line": problem.line, "why": problem.why} for problem in one.problems],
    }
