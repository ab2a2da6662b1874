"""`axm review`: decide what agents asked for, and say whether what they were given was useful; one key each."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from axiommind.approval.requests import cannot_be_undone
from axiommind.errors import AxmError, BadQuery, PersonOnly
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import proposals as rendered
from axiommind.surfaces.render import tables as render
from axiommind.text.summary import preview

if TYPE_CHECKING:
    from axiommind.callers import Caller
    from axiommind.projections.proposal_rows import AgentProposal
    from axiommind.recall.said_of import GivenMoment

HELP = "Decide what agents propose, and rate what they got"
CALLER = "person: a review is a person's yes and no"
GROUP = "remember"
_EPILOG = """examples:
  axm review
  axm review --limit 20 --all-projects

First what agents asked for and only a person can do (axm proposal list): y confirm, n decline, s or space skip, q quit.
Then what agents were given lately: n not useful, y useful, u undo the last one, s skip, q quit; what was answered
before is not asked again. A no keeps it from prompts about the same thing; see axm feedback. Where a token stands for a
terminal (axm person), keys are read from stdin, one character each.
"""
_PROPOSAL_KEYS = "y confirm · n decline · s skip · q quit"
_KEYS = "n not useful · y useful · s skip · u undo · q quit"
_QUIT = ("q", "", "\x03", "\x04", "\x1b")
_ABOUT_CHARS, _TEXT_CHARS = 160, 400


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--limit", type=options.count, default=50, metavar="N", help="at most N items (default 50)")
    parser.add_argument("--session", metavar="ID", help="only what this session was given")
    options.add_scope(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require_index(memory)
    caller = memory.identify()
    if not caller.is_person:
        raise PersonOnly("a review is a person's", caller.why)
    anywhere = args.all_projects or (args.session is not None and args.project is None)
    scope = memory.scope(project=args.project, all_projects=anywhere)
    asked = [] if args.session else memory.proposals.list(scope, limit=args.limit)
    if asked and not _decide(memory, asked, caller):
        return 0
    found = (
        memory.feedback.given(scope, session=args.session, limit=args.limit)
        if memory.config.index_path.exists()
        else []
    )
    waiting = [one for one in found if one.verdict is None and one.text]
    if not waiting and asked:
        return 0
    if not waiting:
        where = f" in {scope.project}" if scope.project else ""
        why = "everything that agents were given was reviewed, or is gone" if found else "no agent was given anything"
        options.say(f"There is nothing to review{where}: {why}.")
        return 1
    _review_given(memory, waiting, caller)
    return 0


def _decide(memory: Memory, asked: list[AgentProposal], caller: Caller) -> bool:
    """Ask about proposals; False when the person has had enough."""
    counts = {"confirmed": 0, "declined": 0}
    options.say(f"{render.counted(len(asked), 'proposal')} of agents: {_PROPOSAL_KEYS}")
    at = 0
    while at < len(asked):
        one = asked[at]
        print(f"\n{at + 1}/{len(asked)}  {rendered.proposal_text(memory, one)}", flush=True)
        key = _key()
        if key in _QUIT:
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


def _review_given(memory: Memory, waiting: list[GivenMoment], caller: Caller) -> None:
    counts = {"no": 0, "yes": 0}
    said: list[tuple[GivenMoment, str]] = []
    at = 0
    options.say(_KEYS)
    while at < len(waiting):
        one = waiting[at]
        print(f"\n{_shown(one, at + 1, len(waiting))}", flush=True)
        key = _key()
        if key in _QUIT:
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


def _shown(one: GivenMoment, number: int, total: int) -> str:
    head = f"{number}/{total}  {one.id}  {one.kind}, {one.hook}, {render.day(one.at)}, session {one.session_id[:8]}"
    about = f"\n> {preview(render.printable(one.about), _ABOUT_CHARS)}" if one.about else ""
    return f"{render.bold(head)}{about}\n{preview(render.printable(one.text), _TEXT_CHARS)}"


def _key() -> str:
    """One key of a terminal, without Enter; else one character of stdin. Empty where there are no more."""
    if not sys.stdin.isatty():
        char = sys.stdin.read(1)
        return char.lower()
    try:
        import termios
        import tty
    except ImportError:  # Windows
        import msvcrt

        return str(msvcrt.getwch()).lower()  # type: ignore[attr-defined,unused-ignore]
    file = sys.stdin.fileno()
    before = termios.tcgetattr(file)
    try:
        tty.setcbreak(file)
        return sys.stdin.read(1).lower()
    finally:
        termios.tcsetattr(file, termios.TCSADRAIN, before)
