"""`axm doctor`: what was found where, and whether everything works."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from axiommind.memory import Memory
from axiommind.surfaces import install
from axiommind.surfaces.render import tables as render

HELP = "Check the home, the index and the agents' settings"
GROUP = "keep safe"
EVERYDAY = 10
_MARKS = {"ok": "✓", "note": "·", "warn": "!", "bad": "✗"}


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    checks = memory.doctor()
    for agent in install.agents():
        checks += install.load(agent).checks(memory.config, os.environ, Path.home())
    if args.json:
        shown = [
            {"name": c.name, "status": c.status, "text": c.text, "details": list(c.details), **_data(c.data)}
            for c in checks
        ]
        worst = max((c.status for c in checks), key=list(_MARKS).index)
        print(json.dumps({"schema": "axm.doctor.v1", "status": worst, "checks": shown}, ensure_ascii=False, indent=1))
    else:
        for check in checks:
            print(f"{_MARKS[check.status]} {render.bold(check.name)}: {check.text}")
            for detail in check.details:
                print(f"    {render.dim(detail)}")
    return 3 if any(c.status == "bad" for c in checks) else 0


def _data(data: object) -> dict[str, object]:
    return {"data": data} if data else {}
