"""`axm metrics`: how learning performs, and an audit of the entries."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.progress import LongWork

if TYPE_CHECKING:
    from axiommind.learning.audit import Audit

HELP = "Show how learning performs, and audit the entries"
CALLER = "reads"
GROUP = "ask"
_EPILOG = """examples:
  axm metrics
  axm metrics --project . --json

The audit counts entries that may not be worth keeping: never retrieved, duplicated, contested, stale (axm entry promote
--policy half-life would lower them), or without evidence.
"""
_NOTE = "never retrieved means not shown, not given to an agent and not cited by a decision; search hits do not count"
_STEPS = ("step", "runs", "failed", "p50_ms", "p95_ms", "total_s")
_BUILDS = ("extractor", "model", "idris", "status", "builds", "last")
_FAILED = ("session", "extractor", "date", "error")
_SHARES = ("never_retrieved", "duplicates", "contested", "stale", "without_evidence")


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    exclusive = parser.add_argument_group("scope (default: all projects)").add_mutually_exclusive_group()
    exclusive.add_argument("--project", metavar="PATH", help="only this project")
    exclusive.add_argument("--all-projects", action="store_true", help="all projects (the default)")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    if not memory.config.index_path.exists():
        if args.json:
            options.print_json("metrics", {"project": None, "steps": [], "builds": [], "failed": [], "audit": None})
        return options.nothing(memory, "figures")
    scope = memory.scope(project=args.project, all_projects=args.project is None)
    with LongWork("Counting"):
        found = memory.learning.metrics(scope)
    if args.json:
        options.print_json(
            "metrics",
            {
                "project": scope.project,
                "steps": found.steps,
                "builds": [{"last_at" if k == "last" else k: v for k, v in one.items()} for one in found.builds],
                "failed": found.failed,
                "audit": {**found.audit._asdict(), "shares": _shares(found.audit)},
            },
        )
    if not found.builds:
        return options.nothing(memory, "figures", scope.project)
    if not args.json:
        builds = [{**one, "last": str(one["last"])[:10]} for one in found.builds]
        print(f"{render.bold('Steps')}\n{render.as_table(_STEPS, found.steps)}\n")
        print(f"{render.bold('Builds')}\n{render.as_table(_BUILDS, builds)}\n")
        if found.failed:
            failed = [{**one, "session": one["session_id"], "date": str(one["at"])[:10]} for one in found.failed]
            print(f"{render.bold('Failed sessions')}\n{render.as_table(_FAILED, failed)}\n")
        print(f"{render.bold('Store')}\n{render.as_table(('of all entries', 'count', 'share'), _audit(found.audit))}")
        options.say(f"Note: {_NOTE}")
    return 0


def _shares(audit: Audit) -> dict[str, float | None]:
    """Of all entries, between 0 and 1; None where there is no entry."""
    return {name: round(getattr(audit, name) / audit.entries, 4) if audit.entries else None for name in _SHARES}


def _audit(audit: Audit) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{"of all entries": "all", "count": audit.entries, "share": ""}]
    for name, share in _shares(audit).items():
        percent = "" if share is None else f"{share:.1%}"
        rows.append({"of all entries": name.replace("_", " "), "count": getattr(audit, name), "share": percent})
    return rows
