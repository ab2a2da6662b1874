"""`axm grounding`: how much hook-supplied context agents used."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import hits
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.entries import iso

if TYPE_CHECKING:
    from axiommind.reports.grounding.judge import Tally
    from axiommind.reports.grounding.read import GivenItem, Grounding

HELP = "Show how much hook-supplied context agents used"
GROUP = "ask"
_EPILOG = """examples:
  axm grounding
  axm grounding --all-projects --since 7d
  axm grounding --session 2f9c --items

An item counts as used if, later in the session, the agent touched a file the item is about, named its id, or repeated
an identifier or phrase of it that was new in the session and is rare elsewhere. Use that leaves no such trace is not
counted. The share is of the items that can still be judged. Expect some coincidence: of hits that no agent was given,
about 8 % look used.
"""
_COLUMNS = ("hook", "kind", "answers", "items", "used", "share", "tokens", "tokens per used")
_ITEMS = ("at", "session", "hook", "id", "kind", "score", "used by", "what", "where")
_NOTHING = "No agent has been given any context yet."


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "--since",
        metavar="WHEN",
        type=options.since,
        help="only context supplied since then: 2026-01-31, 7d, yesterday",
    )
    parser.add_argument("--session", metavar="ID", help="only this session (an id or its start)")
    parser.add_argument("--items", action="store_true", help="list each item and the evidence of its use")
    options.add_scope(parser)
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require_index(memory)
    if not memory.config.index_path.exists():
        return _nothing(args, None)
    anywhere = args.all_projects or (args.session is not None and args.project is None)
    scope = memory.scope(project=args.project, all_projects=anywhere)
    found = memory.reports.grounding(scope, since=args.since, session=args.session)
    if not found.given:
        return _nothing(args, scope.project)
    if args.json:
        options.print_json("grounding", _record(found, scope.project, items=args.items))
        return 0
    rows = [_item(one) for one in found.given] if args.items else [_row(one) for one in _shown(found)]
    print(render.as_table(_ITEMS if args.items else _COLUMNS, rows))
    options.say(_sentence(found))
    return 0


def _nothing(args: argparse.Namespace, project: str | None) -> int:
    if args.json:
        nobody: dict[str, Any] = {"prompts": {"asked": 0, "answered": 0, "silent": 0}, "total": None, "hooks": []}
        options.print_json("grounding", {"project": project, **nobody, **({"items": []} if args.items else {})})
    asked = project or args.since
    options.say(f"No agent was given any context{f' in {project}' if project else ''}." if asked else _NOTHING)
    if project:
        options.say("  hint: --all-projects includes other projects")
    options.say("  hint: axm install claude-code adds the hooks; axm index reads their records")
    return 1


def _shown(found: Grounding) -> list[Tally]:
    """A hook with one kind of item needs one line."""
    kinds = [one.hook for one in found.tallies if one.kind is not None]
    return [one for one in found.tallies if one.kind is not None or kinds.count(one.hook) > 1]


def _row(one: Tally) -> dict[str, Any]:
    share = "" if one.share is None else f"{one.share:.0%}"
    row = {"hook": one.hook, "kind": one.kind or "all", "share": share, "tokens per used": one.tokens_per_used}
    return {**one._asdict(), **row}


def _item(one: GivenItem) -> dict[str, Any]:
    return {
        **one._asdict(),
        "at": iso(one.at)[:16].replace("T", " "),
        "session": one.session_id[:8],
        "used by": one.reason or ("–" if one.is_judged else "?"),
        "what": one.what or ("" if one.is_judged else "gone, or its session is not indexed"),
        "where": one.citation.text if one.citation else "",
    }


def _sentence(found: Grounding) -> str:
    total = found.total
    share = "" if total.share is None else f" ({total.share:.0%})"
    each = "" if total.tokens_per_used is None else f", {total.tokens_per_used:,} for each that was used"
    gone = total.items - total.judged
    return (
        f"Used: {total.used:,} of {render.counted(total.judged, 'item')}{share}"
        + (f"; {gone:,} more cannot be judged" if gone else "")
        + f". Given: {render.counted(total.tokens, 'token')}{each}. "
        f"Prompts: {found.answered:,} answered, {found.silent:,} left alone."
    )


def _record(found: Grounding, project: str | None, *, items: bool) -> dict[str, Any]:
    hooks: list[dict[str, Any]] = []
    for one in found.tallies:
        if one.kind is None:
            hooks.append({"hook": one.hook, **_figures(one), "kinds": []})
        else:
            hooks[-1]["kinds"].append({"kind": one.kind, **_figures(one)})
    record: dict[str, Any] = {
        "project": project,
        "prompts": {"asked": found.prompts, "answered": found.answered, "silent": found.silent},
        "total": _figures(found.total),
        "hooks": hooks,
    }
    if items:
        record["items"] = [{**one._asdict(), "citation": hits.cited(one.citation)} for one in found.given]
    return record


def _figures(one: Tally) -> dict[str, Any]:
    return {
        "answers": one.answers,
        "items": one.items,
        "judged": one.judged,
        "used": one.used,
        "share": one.share,
        "tokens": one.tokens,
        "tokens_per_used": one.tokens_per_used,
    }
