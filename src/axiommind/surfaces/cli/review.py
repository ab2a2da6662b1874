"""`axm review`: decide what agents asked for, settle conflicts, say whether what agents were given was useful, and look
through candidates; one key each."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.approval.requests import cannot_be_undone
from axiommind.errors import AxmError, BadQuery, PersonOnly
from axiommind.memory import Memory, Scope
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.cli._review_claims import QUIT, candidates, settle_conflicts, walk_candidates
from axiommind.surfaces.render import proposals as rendered
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.entries import entry_json
from axiommind.text.summary import preview

if TYPE_CHECKING:
    from axiommind.callers import Caller
    from axiommind.projections.entry_rows import ListedEntry
    from axiommind.projections.proposal_rows import AgentProposal
    from axiommind.recall.said_of import GivenMoment

HELP = "Decide proposals, conflicts and candidates by single keys"
CALLER = "person: a review is a person's yes and no"
GROUP = "remember"
_EPILOG = """examples:
  axm review
  axm review --only conflicts candidates
  axm review --limit 20 --all-projects
  axm review --json            what waits, without deciding

First what agents asked for and only a person can do (axm proposal list): y confirm, n decline. Then claims that cannot
both hold (axm conflict list): 1 keeps the older, 2 the newer. Then what agents were given lately: y useful, n not
useful; a no keeps it from prompts about the same thing (axm feedback). Last the candidates, your own words first: y
makes one verified, n withdraws it, and it is not learned again. Everywhere s or space skips, q quits; u takes the last
answer back and o opens the words that a claim rests on. Where a token stands for a terminal (axm person), keys are read
from stdin, one character each.
"""
_PROPOSAL_KEYS = "y confirm · n decline · s skip · q quit"
_KEYS = "n not useful · y useful · s skip · u undo · q quit"
_PARTS = ("proposals", "conflicts", "given", "candidates")
_ABOUT_CHARS, _TEXT_CHARS = 160, 400


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--limit", type=options.count, default=50, metavar="N", help="at most N items (default 50)")
    parser.add_argument("--session", metavar="ID", help="only what this session was given")
    parser.add_argument(
        "--only", nargs="+", choices=_PARTS, default=_PARTS, metavar="PART", help=f"only: {', '.join(_PARTS)}"
    )
    options.add_scope(parser)
    options.add_json(parser)


class _Waiting(NamedTuple):
    """What there is to look at."""

    proposals: list[AgentProposal]
    conflicts: list[dict[str, Any]]
    given: list[GivenMoment]
    candidates: list[ListedEntry]
    candidate_count: int
    was_given: bool  # something, whether it waits or not


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require_index(memory)
    caller = memory.identify()
    if not caller.is_person and not args.json:
        raise PersonOnly("a review is a person's", caller.why)
    anywhere = args.all_projects or (args.session is not None and args.project is None)
    scope = memory.scope(project=args.project, all_projects=anywhere)
    waiting = _waiting(memory, scope, args)
    if args.json:
        options.print_json("review", _as_json(waiting, scope))
        return 0
    if not any(waiting[:4]):
        where = f" in {scope.project}" if scope.project else ""
        options.say(f"There is nothing to review{where}: {_why_nothing(waiting, args)}.")
        return 1
    _say_what_waits(waiting)
    with _single_keys():
        _walk(memory, waiting, caller)
    return 0


def _walk(memory: Memory, waiting: _Waiting, caller: Caller) -> None:
    """One part after the other, until the person has had enough."""
    goes_on = not waiting.proposals or _decide(memory, waiting.proposals, caller)
    if goes_on and waiting.conflicts:
        goes_on = settle_conflicts(memory, waiting.conflicts, caller, _key)
    if goes_on and waiting.given:
        goes_on = _review_given(memory, waiting.given, caller)
    if goes_on and waiting.candidates:
        walk_candidates(memory, waiting.candidates, caller, _key)


def _waiting(memory: Memory, scope: Scope, args: argparse.Namespace) -> _Waiting:
    if not memory.config.index_path.exists():
        return _Waiting([], [], [], [], 0, was_given=False)
    wanted = ("given",) if args.session else args.only
    given = memory.feedback.given(scope, session=args.session, limit=args.limit) if "given" in wanted else []
    found, count = candidates(memory, scope, args.limit) if "candidates" in wanted else ([], 0)
    return _Waiting(
        memory.proposals.list(scope, limit=args.limit) if "proposals" in wanted else [],
        memory.conflicts.list(scope)[: args.limit] if "conflicts" in wanted else [],
        [one for one in given if one.verdict is None and one.text],
        found,
        count,
        was_given=bool(given),
    )


def _why_nothing(waiting: _Waiting, args: argparse.Namespace) -> str:
    if "given" not in args.only:
        return f"no {' and no '.join(args.only)} wait"
    return (
        "everything that agents were given was reviewed, or is gone"
        if waiting.was_given
        else "no agent was given anything"
    )


def _say_what_waits(waiting: _Waiting) -> None:
    """How much there is, where there is more than one thing."""
    parts = [
        render.counted(len(waiting.proposals), "proposal"),
        render.counted(len(waiting.conflicts), "conflict"),
        f"{len(waiting.given)} given to agents",
        f"{len(waiting.candidates)} of {render.counted(waiting.candidate_count, 'candidate')}",
    ]
    shown = [part for part, some in zip(parts, waiting[:4], strict=True) if some]
    if len(shown) > 1:
        options.say(f"To review: {', '.join(shown)}")


def _as_json(waiting: _Waiting, scope: Scope) -> dict[str, Any]:
    return {
        "project": scope.project,
        "proposals": [rendered.proposal_json(one) for one in waiting.proposals],
        "conflicts": waiting.conflicts,
        "given": [one._asdict() for one in waiting.given],
        "candidates": [entry_json(one.entry, one.sessions) for one in waiting.candidates],
        "candidate_count": waiting.candidate_count,
    }


def _decide(memory: Memory, asked: list[AgentProposal], caller: Caller) -> bool:
    """Ask about proposals; False when the person has had enough."""
    counts = {"confirmed": 0, "declined": 0}
    options.say(f"{render.counted(len(asked), 'proposal')} of agents: {_PROPOSAL_KEYS}")
    at = 0
    while at < len(asked):
        one = asked[at]
        print(f"\n{at + 1}/{len(asked)}  {rendered.proposal_text(memory, one)}", flush=True)
        key = _key()
        if key in QUIT:
            break
        if key == "y" and cannot_be_undone(one.act, one.args):
            options.say("This cannot be undone: y again to do it")
            key = "y" if _key() == "y" else ""
        try:
            if key == "y":
                memory.proposals.confirm(one.id, caller=caller)
                counts["confirmed"] += 1
            elif key == "n":
                memory.proposals.decline(one.id, caller=caller)
                counts["declined"] += 1
        except AxmError as error:  # what it asks for makes no sense any more
            options.say(f"Not done: {error.message}")
            options.say(f"  hint: n declines it; {error.hint or f'axm proposal show {one.id}'}")
            continue
        at += key in ("y", "n", "s", " ", "\r", "\n")
    options.say(f"Proposals: {counts['confirmed']} confirmed, {counts['declined']} declined.")
    return at == len(asked)


def _review_given(memory: Memory, waiting: list[GivenMoment], caller: Caller) -> bool:
    """Ask whether what agents were given was useful; False when the person has had enough."""
    counts = {"no": 0, "yes": 0}
    said: list[tuple[GivenMoment, str]] = []
    at = 0
    options.say(_KEYS)
    while at < len(waiting):
        one = waiting[at]
        print(f"\n{_shown(one, at + 1, len(waiting))}", flush=True)
        key = _key()
        if key in QUIT:
            break
        if key == "u" and said:
            last, verdict = said.pop()
            memory.feedback.say(last.id, "clear", session=last.session_id, prompt=last.about or None, caller=caller)
            counts[verdict] -= 1
            at = waiting.index(last)
            continue
        verdict = {"n": "no", "y": "yes"}.get(key, "")
        if verdict:
            try:
                memory.feedback.say(one.id, verdict, session=one.session_id, prompt=one.about or None, caller=caller)
            except BadQuery as error:  # the prompt is not known
                options.say(f"Skipped: {error.message}")
            else:
                said.append((one, verdict))
                counts[verdict] += 1
        at += bool(verdict) or key in ("s", " ", "\r", "\n")
    options.say(f"Reviewed: {counts['no']} not useful, {counts['yes']} useful.")
    return at == len(waiting)


def _shown(one: GivenMoment, number: int, total: int) -> str:
    head = f"{number}/{total}  {one.id}  {one.kind}, {one.hook}, {render.day(one.at)}, session {one.session_id[:8]}"
    about = f"\n> {preview(render.printable(one.about), _ABOUT_CHARS)}" if one.about else ""
    return f"{render.bold(head)}{about}\n{preview(render.printable(one.text), _TEXT_CHARS)}"


def _key() -> str:
    """One key of a terminal, without Enter (`_single_keys`); else one character of stdin. Empty where there are no
    more."""
    if sys.platform == "win32" and sys.stdin.isatty():
        import msvcrt

        return msvcrt.getwch().lower()
    return sys.stdin.read(1).lower()


@contextmanager
def _single_keys() -> Iterator[None]:
    """While it is entered, a terminal gives each key at once: also those that are pressed before they are asked for."""
    try:
        import termios
        import tty
    except ImportError:  # Windows, which has another way
        yield
        return
    if not sys.stdin.isatty():
        yield
        return
    file = sys.stdin.fileno()
    before = termios.tcgetattr(file)
    try:
        tty.setcbreak(file, termios.TCSADRAIN)
        yield
    finally:
        termios.tcsetattr(file, termios.TCSADRAIN, before)
