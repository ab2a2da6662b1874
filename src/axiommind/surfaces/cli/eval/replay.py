"""`axm eval replay`: what hooks would have given in your own past sessions, and what of it came up afterwards."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import hits
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.progress import Bar
from axiommind.text.summary import preview

if TYPE_CHECKING:
    from axiommind.surfaces.replay.run import Replay, ReplayedMoment

HELP = "Replay your past: what hooks would have given, and what came up"
CALLER = "reads"
_EPILOG = """examples:
  axm eval replay
  axm eval replay --since 30d --examples 20
  axm eval replay --project . --json

At each prompt, first edit of a file and error of the later half of your sessions (or of those since WHEN), with only
the sessions known that had ended by then, the hooks are asked what they would give. No agent was given anything, so
nothing could be used; what came up is what a memory would have saved it, or coincidence: a file that the agent opened
afterwards, or a name or phrase that it came to, of which nobody had spoken before and few other sessions speak. About
3 % would come up even if it had not gone looking. Nothing is written to your home, and no model is asked.
"""
_WORDS = {"UserPromptSubmit": "prompts", "PreToolUse": "first edits", "PostToolUseFailure": "errors"}
_COLUMNS = ("moments", "asked", "answered", "share", "items", "came up", "of items", "tokens")
_ABOUT_CHARS = 160


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "--since", metavar="WHEN", type=options.since, help="sessions that began since then (default: the later half)"
    )
    parser.add_argument("--limit", type=options.count, metavar="N", help="at most N sessions, the newest")
    parser.add_argument(
        "--examples",
        type=options.between(0, 1_000),
        default=5,
        metavar="N",
        help="answers to print in full (default 5)",
    )
    options.add_scope(parser)
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    from axiommind.surfaces.replay.run import replay

    memory = Memory()
    options.require_index(memory)
    scope = options.scope_of(memory, args)
    bar = Bar("Replaying")
    try:
        found = replay(memory, scope, since=args.since, limit=args.limit, progress=bar)
    finally:
        bar.close()
    if args.json:
        options.print_json("replay", _record(found, scope.project))
    if not found.moments:
        return options.nothing(memory, "moments to replay", scope.project)
    if not args.json:
        print(render.as_table(_COLUMNS, _rows(found)))
        for number, one in enumerate(_examples(found, args.examples), 1):
            print(f"\n{_example(number, one)}")
        known = render.counted(found.known, "session")
        options.say(f"Replayed: {render.counted(found.sessions, 'session')}; {known} known before the first")
    return 0


def _rows(found: Replay) -> list[dict[str, Any]]:
    rows = []
    for event, words in _WORDS.items():
        moments = [one for one in found.moments if one.moment.event == event]
        figures = _figures(moments)
        shares = {"share": figures["answered_share"], "of items": figures["used_share"]}
        percent = {name: "" if value is None else f"{value:.0%}" for name, value in shares.items()}
        rows.append({"moments": words, "asked": len(moments), "came up": figures["used"], **figures, **percent})
    return rows


def _figures(moments: Sequence[ReplayedMoment]) -> dict[str, Any]:
    answered = [one for one in moments if one.answer.items]
    judged = sum(item.is_judged for one in answered for item in one.given)
    used = sum(len(one.used) for one in answered)
    return {
        "answered": len(answered),
        "answered_share": round(len(answered) / len(moments), 4) if moments else None,
        "items": judged,
        "used": used,
        "used_share": round(used / judged, 4) if judged else None,
        "tokens": sum(one.answer.tokens for one in answered),
    }


def _examples(found: Replay, count: int) -> list[ReplayedMoment]:
    """Answers spread over the whole time."""
    answered = [one for one in found.moments if one.answer.items]
    if len(answered) <= count or count <= 0:
        return answered[:count]
    return [answered[n * len(answered) // count] for n in range(count)]


def _example(number: int, one: ReplayedMoment) -> str:
    about = preview(one.moment.about, _ABOUT_CHARS)
    when = render.day(one.moment.at)
    head = f"{number}. {_WORDS[one.moment.event]}, {when}, session {one.moment.session_id[:8]}"
    used = (
        "; ".join(f"{item.id} by {item.reason}: {item.what}" for item in one.used) or "nothing, as far as can be seen"
    )
    body = render.printable(one.answer.text).strip()
    return f"{render.bold(head)}\n> {render.printable(about)}\n\n{body}\n\nCame up: {render.printable(used)}"


def _record(found: Replay, project: str | None) -> dict[str, Any]:
    by_event = {
        words.replace(" ", "_"): {
            "asked": sum(one.moment.event == event for one in found.moments),
            **_figures([one for one in found.moments if one.moment.event == event]),
        }
        for event, words in _WORDS.items()
    }
    answers = [
        {
            "event": one.moment.event,
            "at": one.moment.at,
            "session_id": one.moment.session_id,
            "project": one.project,
            "about": preview(one.moment.about, _ABOUT_CHARS),
            "text": one.answer.text,
            "items": [{**item._asdict(), "citation": hits.cited(item.citation)} for item in one.given],
        }
        for one in found.moments
        if one.answer.items
    ]
    return {"project": project, "sessions": found.sessions, "known": found.known, **by_event, "answers": answers}
