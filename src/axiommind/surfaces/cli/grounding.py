"""`axm grounding`: how much hook-supplied context agents used."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from axiommind.ids import number_of
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import hits
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.entries import iso
from axiommind.surfaces.render.progress import LongWork

if TYPE_CHECKING:
    from axiommind.grounding.read import GivenItem, Grounding
    from axiommind.grounding.tallies import Tally

HELP = "Show how much hook-supplied context agents used"
CALLER = "reads"
GROUP = "ask"
_EPILOG = """examples:
  axm grounding
  axm grounding --all-projects --since 7d
  axm grounding --session 2f9c --items

An item counts as used if, later in the session, the agent touched a file the item is about, named its id, or repeated
an identifier or phrase of it that was new in the session and is rare elsewhere; or if you said so (axm feedback). Use
that leaves no such trace is not counted. The share is of the items that can still be judged, with the bounds between
which it lies nine times in ten. Chance: what may look used of things that no agent was given, judged in the same way.
Used: more than that. Hardly: less than 10 %. Too few: nothing can be said. Kinds of which less is used than of others
weigh less when hooks choose.
"""
_COLUMNS = ("hook", "kind", "used", "share", "chance", "verdict")
_SAYS = {"used": "used", "hardly_used": "hardly", "too_few": "too few"}
_SAYS_OF_ALL = {"used": "Used", "hardly_used": "Hardly used", "too_few": "Too few to say"}
_ITEMS = ("given", "session", "hook", "id", "kind", "used by")
_HOOKS = {"UserPromptSubmit": "prompt", "SessionStart": "start", "PreToolUse": "edit", "PostToolUseFailure": "failure"}
_ID_CHARS = 12  # of an entry or a task; its beginning opens it
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
    memory.index_given()
    anywhere = args.all_projects or (args.session is not None and args.project is None)
    scope = memory.scope(project=args.project, all_projects=anywhere)
    with LongWork("Comparing what was given with what was used"):
        found = memory.reports.grounding(scope, since=args.since, session=args.session)
    if not found.given:
        return _nothing(args, scope.project)
    if args.json:
        options.print_json("grounding", _record(found, scope.project, items=args.items))
        return 0
    rows = [_item(one) for one in found.given] if args.items else [_row(found, one) for one in _shown(found)]
    columns = (*_COLUMNS, "weight") if found.weights else _COLUMNS
    print(render.as_table(_ITEMS if args.items else columns, rows))
    if args.items and any(not one.is_judged for one in found.given):
        options.say("? cannot be judged: it is gone, or its session is not indexed.")
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
    options.say("  hint: axm install --all adds the hooks; axm index reads their records")
    return 1


def _shown(found: Grounding) -> list[Tally]:
    """A hook with one kind of item needs one line."""
    kinds = [one.hook for one in found.tallies if one.kind is not None]
    return [one for one in found.tallies if one.kind is not None or kinds.count(one.hook) > 1]


def _row(found: Grounding, one: Tally) -> dict[str, Any]:
    weight = 1.0 if one.kind is None else found.weights.get((one.hook or "", one.kind), 1.0)
    return {
        "hook": one.hook,
        "kind": one.kind or "all",
        "used": f"{one.used}/{one.judged}",
        "share": _share(one),
        "chance": f"{one.chance:.0%}",
        "verdict": _SAYS[one.says],
        "weight": "" if weight == 1 else f"{weight:.2f}",
    }


def _share(one: Tally) -> str:
    if one.share is None or one.bounds is None:
        return ""
    low, high = one.bounds
    return f"{one.share:.0%} ({100 * low:.0f}–{100 * high:.0f})"


def _item(one: GivenItem) -> dict[str, Any]:
    used = {"yes": "said so", "no": "said not"}.get(one.verdict or "", one.reason or ("–" if one.is_judged else "?"))
    line = f"line {one.citation.line_start}" if one.citation else ""
    return {
        "given": iso(one.at)[:10],
        "session": one.session_id[:8],
        "hook": _HOOKS.get(one.hook, one.hook),
        "id": one.id if number_of(one.id) is not None else one.id[:_ID_CHARS],
        "kind": one.kind,
        "used by": ", ".join(part for part in (f"{used} {one.what or ''}".strip(), line) if part),
    }


def _sentence(found: Grounding) -> str:
    total = found.total
    low, high = total.bounds or (0, 1)
    share = f" ({total.share:.0%}, between {low:.0%} and {high:.0%})" if total.judged else ""
    gone = total.items - total.judged
    looks = "looks" if total.by_chance == 1 else "look"
    beside = f" Of {render.counted(total.controls, 'thing')} not given, {total.by_chance:,} {looks} used."
    return (
        f"{_SAYS_OF_ALL[total.says]}: {total.used:,} of {render.counted(total.judged, 'item')}{share}"
        + (f"; {gone:,} more cannot be judged" if gone else "")
        + f".{beside if total.controls else ''} Given: {render.counted(total.tokens, 'token')}. "
        f"Prompts: {found.answered:,} answered, {found.silent:,} left alone."
    )


def _record(found: Grounding, project: str | None, *, items: bool) -> dict[str, Any]:
    hooks: list[dict[str, Any]] = []
    for one in found.tallies:
        if one.kind is None:
            hooks.append({"hook": one.hook, **_figures(one), "kinds": []})
        else:
            weight = found.weights.get((one.hook or "", one.kind), 1.0)
            hooks[-1]["kinds"].append({"kind": one.kind, **_figures(one), "weight": weight})
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
        "bounds": one.bounds,
        "controls": one.controls,
        "by_chance": one.by_chance,
        "chance": one.chance,
        "verdict": one.says,
        "tokens": one.tokens,
        "tokens_per_used": one.tokens_per_used,
    }
