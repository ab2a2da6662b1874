"""`axm resume`: pick an earlier session by typing, and go on with it in its agent."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from axiommind.errors import AxmError, NotFound
from axiommind.memory import Memory, Scope
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.fence import clean
from axiommind.surfaces.render.progress import Bar

if TYPE_CHECKING:
    from axiommind.reports.resuming import ResumableSession
    from axiommind.surfaces.cli._picker import PickRow

HELP = "Pick an earlier session by typing, and go on with it"
CALLER = "free: it reads and indexes; starting an agent is a person's"
GROUP = "look"
EVERYDAY = 13
_EPILOG = """examples:
  axm resume                     pick one of this project's sessions
  axm resume flaky login         the same, with these words typed
  axm resume 540a8f92            this session, at once
  axm resume --all-projects
  axm resume login --print       the command, instead of running it
  eval "$(axm resume 540a8f92 --print)"

Words are looked for in titles, first requests, projects, branches, agents and ids; and after a moment in what was said
in the sessions. Enter goes on in the session's agent, in its folder; Tab starts the agent with a handoff instead, as
axm handoff --run does. Without a terminal the commands are printed, the best match first. Exit code 1: there is none.
"""
_MOST_SAID, _MOST_PRINTED = 20, 10


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("words", nargs="*", metavar="WORDS", help="words of the session, or the beginning of its id")
    parser.add_argument("--print", dest="show", action="store_true", help="print the command instead of running it")
    options.add_scope(parser)
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require_index(memory)
    _refresh(memory, args)
    scope = memory.scope(project=args.project, all_projects=args.all_projects)
    words = " ".join(args.words)
    named = _named(memory, args.words)
    if args.json or args.show or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _printed(memory, [named] if named else _found(memory, scope, words), args)
    caller = memory.identify()
    caller.require_person("start an agent")
    if named is not None:
        return _go_on(memory, named)
    known = memory.reports.resuming.sessions(scope)
    if not known:
        raise NotFound(_none(scope), hint="--all-projects includes other projects" if scope.project else "axm index")
    picked = _picker(memory, scope, known).pick(words)
    if picked is None:
        return 1
    return _handed_over(picked.value) if picked.by_tab else _go_on(memory, picked.value)


def _refresh(memory: Memory, args: argparse.Namespace) -> None:
    """Read what is new: a session of a moment ago is wanted most, and one whose transcript is gone cannot be had."""
    bar = Bar("Indexing")
    try:
        memory.index(project=args.project, progress=bar)
    except (AxmError, OSError) as error:
        if not memory.config.index_path.exists():
            raise
        bar.close()
        options.say(f"axm: not brought up to date, so the newest session may be missing: {error}")
    finally:
        bar.close()


def _named(memory: Memory, words: Sequence[str]) -> ResumableSession | None:
    """The session that one word is the id of."""
    if len(words) != 1 or len(words[0]) < 4:
        return None
    try:
        return memory.reports.resuming.session(words[0])
    except AxmError:
        return None


def _found(memory: Memory, scope: Scope, words: str) -> list[ResumableSession]:
    """By what they are called; else by what was said in them."""
    from axiommind.reports.resuming import matching

    known = memory.reports.resuming.sessions(scope)
    return matching(known, words) or _said_in(memory, scope, words, known)


def _said_in(memory: Memory, scope: Scope, words: str, known: Sequence[ResumableSession]) -> list[ResumableSession]:
    by_id = {one.id: one for one in known}
    try:
        page = memory.search(words, scope, k=_MOST_SAID, group=True, mode="lexical")
    except AxmError:  # it is not a question that can be asked, or not yet
        return []
    return [by_id[hit.session_id] for hit in page.hits if hit.session_id in by_id]


def _none(scope: Scope) -> str:
    return f"there is no session of {scope.project} yet" if scope.project else "there is no session yet"


# --- without a terminal ----------------------------------------------------------------------------------


def _printed(memory: Memory, found: Sequence[ResumableSession], args: argparse.Namespace) -> int:
    """The commands; with `--print` that of the best match alone."""
    shown = found[: 1 if args.show else _MOST_PRINTED]
    if args.json:
        options.print_json("resume", {"sessions": [_as_json(one, memory) for one in shown], "found": len(found)})
        return 0 if shown else 1
    if not shown:
        options.say(f"axm: no session is called {' '.join(args.words)!r}, and in none it was said")
        options.say("  hint: --all-projects includes other projects")
        return 1
    for one in shown:
        if one.resume is None:
            options.say(f"{one.id[:8]}  {_why_not(one)}: {_handoff_command(one)}")
            continue
        print(render.printable(_command(one)))
        options.say(f"  # {_day(one)}, {one.agent_title}: {_line(one.title, memory)}")
    if len(found) > len(shown) and not args.show:
        options.say(f"There are {len(found) - len(shown)} more: more words say which")
    return 0 if any(one.resume is not None for one in shown) else 1


def _as_json(one: ResumableSession, memory: Memory) -> dict[str, Any]:
    shown = {name: value for name, value in one._asdict().items() if name != "words"}
    return {**shown, "title": clean(one.title, memory.config.home), "where": one.where}


def _command(one: ResumableSession) -> str:
    return f"cd {shlex.quote(one.where or one.folder)} && {shlex.join(one.resume or ())}"


def _why_not(one: ResumableSession) -> str:
    if one.gone_since is not None:
        return f"its transcript is gone from disk (missed since {one.gone_since[:10]}), so it cannot be resumed"
    return f"{one.agent_title} has no command to resume it"


def _handoff_command(one: ResumableSession) -> str:
    return f"axm handoff {one.id[:8]} --run starts {one.agent_title} with what is recorded of it"


# --- with one --------------------------------------------------------------------------------------------


def _picker(memory: Memory, scope: Scope, known: Sequence[ResumableSession]) -> Any:
    from axiommind.reports.resuming import matching
    from axiommind.surfaces.cli._picker import Picker

    where = render.printable(os.path.basename(scope.project)) if scope.project else "all projects"  # noqa: PTH119
    now = time.time()

    def rows(found: Sequence[ResumableSession]) -> list[PickRow[ResumableSession]]:
        return [_row(one, now, memory, has_project=scope.project is None) for one in found]

    return Picker(
        f"Resume ({where})",
        lambda words: rows(matching(known, words)),
        lambda words: rows(_said_in(memory, scope, words, known)),
        lambda one: _glance(memory, one),
        enter="resume",
        tab="hand over",
    )


def _row(one: ResumableSession, now: float, memory: Memory, *, has_project: bool) -> PickRow[ResumableSession]:
    from axiommind.surfaces.cli._picker import PickRow
    from axiommind.surfaces.render.digest import short_name
    from axiommind.surfaces.render.hits import age

    lead = f"{age(one.ended or None, now):>11}  "
    mark = "† " if one.resume is None else ""
    project = f"{render.printable(short_name(one.project))}: " if has_project else ""
    return PickRow(one, lead, f"{mark}{project}{_line(one.title, memory) or '(no title)'}")


def _glance(memory: Memory, one: ResumableSession) -> str:
    """What is shown beside a session: what it is, what it was about, and its last turns."""
    seen = memory.reports.resuming.glance(one)
    about = [one.agent_title, f"{one.prompts} requests" if one.prompts != 1 else "1 request", _day(one), one.branch]
    lines = [f"# {_line(one.title, memory)}", f"· {' · '.join(filter(None, about))} · {one.id[:8]}"]
    lines += [f"· {render.printable(one.folder)}"]
    if one.resume is None:
        lines += [f"† {_why_not(one)}; Tab hands it over"]
    lines += ["", *(_line(note, memory) for note in seen.notes)]
    for is_prompt, text in seen.turns:
        lines += ["", f"· {'you' if is_prompt else 'agent'}", _line(text, memory)]
    return "\n".join(lines)


def _go_on(memory: Memory, one: ResumableSession) -> int:
    """Resume it in its agent; where that cannot be, say why, and offer what can."""
    from axiommind.surfaces.cli._starting_agent import resume_agent

    if one.resume is None:
        options.say(f"{_line(one.title, memory)}: {_why_not(one)}.")
        if options.confirmed(memory.identify(), f"Start {one.agent_title} with a handoff of it instead?"):
            return _handed_over(one)
        options.say(f"  hint: {_handoff_command(one)}")
        return 1
    if one.where is None:
        raise NotFound(
            f"the folder of the session is not on this machine: {one.folder}",
            hint=f"axm handoff {one.id[:8]} --copy puts what is recorded of it into the clipboard",
        )
    options.say(_command(one))
    code = resume_agent(one.agent, one.resume, one.where, os.environ)
    if code:
        raise NotFound(f"{one.agent_title} ended with exit code {code}")
    return 0


def _handed_over(one: ResumableSession) -> int:
    """As `axm handoff ID --run`."""
    from axiommind.surfaces import cli

    args = cli.parse(["handoff", one.id, "--run"])
    return int(args.run(args))


def _day(one: ResumableSession) -> str:
    return render.day(one.ended or None)


def _line(text: str, memory: Memory) -> str:
    return " ".join(render.printable(clean(" ".join(text.split()), memory.config.home)).split())
