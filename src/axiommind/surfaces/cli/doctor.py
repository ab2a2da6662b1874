"""`axm doctor`: what was found where, and whether everything works."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from axiommind.errors import UsageError
from axiommind.health.check import Check
from axiommind.memory import Memory
from axiommind.surfaces import install
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.progress import LongWork

HELP = "Check the home, the index and the agents' settings"
CALLER = "reads"
GROUP = "keep safe"
EVERYDAY = 10
_MARKS = {"ok": "✓", "note": "·", "warn": "!", "bad": "✗"}


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    from axiommind.surfaces.mcp.doctor import check_tools

    try:
        memory = Memory()
    except UsageError as error:  # nothing else can be looked at with settings that nobody can mean
        checks = [Check("settings", "bad", error.message, (error.hint,) if error.hint else ())]
    else:
        with LongWork("Looking at everything"):
            checks = memory.doctor()
            for agent in install.agents():
                checks += install.load(agent).checks(memory.config, os.environ, Path.home())
            checks.append(check_tools(memory.config))
            checks += _repository()
    if args.json:
        shown = [
            {"name": c.name, "status": c.status, "text": c.text, "details": list(c.details), **_data(c.data)}
            for c in checks
        ]
        worst = max((c.status for c in checks), key=list(_MARKS).index)
        print(json.dumps({"schema": "axm.doctor.v1", "status": worst, "checks": shown}, ensure_ascii=False, indent=1))
    else:
        for check in checks:
            print(f"{_MARKS[check.status]} {render.bold(render.printable(check.name))}: {render.printable(check.text)}")
            for detail in check.details:
                print(f"    {render.dim(render.printable(detail))}")
    return 3 if any(c.status == "bad" for c in checks) else 0


def _repository() -> list[Check]:
    """What the repository of this folder sets, if anything."""
    from axiommind.consent import repository_files

    files = repository_files(os.getcwd(), os.environ.get("AXM_HOME"))  # noqa: PTH109
    if not files:
        return []
    ignored = sum(not file.is_allowed for file in files)
    text = f"{ignored} of {len(files)} files that set something of AxiomMind are ignored; run: axm allow"
    details = tuple(f"{'allowed' if f.is_allowed else 'ignored'}: {f.path}: {', '.join(f.names)}" for f in files)
    return [Check("repository", "note", text if ignored else "its settings were allowed", details)]


def _data(data: object) -> dict[str, object]:
    return {"data": data} if data else {}
