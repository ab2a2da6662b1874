"""`axm handoff`: everything that the next agent has to know of a session, as one packet."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from axiommind.errors import AxmError, NotFound, UsageError
from axiommind.memory import Memory
from axiommind.sources import load, names, start_command
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.handoff import handoff_packet, to_dict
from axiommind.surfaces.render.progress import Bar

if TYPE_CHECKING:
    from axiommind.recall.handoff.values import Handoff
    from axiommind.surfaces.render.handoff import HandoffPacket

HELP = "Hand a session over to the next agent"
CALLER = "free: it reads, indexes and learns by rules; --run is a person's"
GROUP = "work"
_TOKENS = 2_000
_LEAST, _MOST = 400, 100_000
_EPILOG = """examples:
  axm handoff                              the newest session of this project
  axm handoff 71b7117f --copy              into the clipboard, to paste it
  axm handoff --to claude-code --run       starts Claude Code with it, in the project's folder
  axm handoff --budget 4000 > packet.md
  axm handoff --json | jq '.sections[].title'

The packet says what was asked, where it stopped, what is open, what failed, what was decided, and which commits, files
and scratchpads there are; each with the id that axm show opens. It is made from the record: no model is asked. Exit
code 3: there was no clipboard to copy to, and the packet is on standard output.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("session", nargs="?", metavar="SESSION", help="an id, or its beginning (default: the newest)")
    parser.add_argument(
        "--to",
        type=_agent,
        choices=names(),
        help="the agent that takes over (default: the session's own)",
    )
    parser.add_argument(
        "--budget",
        type=options.between(_LEAST, _MOST),
        default=_TOKENS,
        metavar="N",
        help=f"at most N tokens, {_LEAST} to {_MOST:,} (default {_TOKENS:,})",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--run", dest="start", action="store_true", help="start the agent with it; counts only from a person"
    )
    what.add_argument("--copy", action="store_true", help="put it into the clipboard instead of printing it")
    options.add_scope(parser)
    options.add_json(parser)


def _agent(text: str) -> str:
    """The agent that a name means: its own, or the only one that begins so."""
    wanted = text.strip().lower().replace(" ", "-")
    found = [name for name in names() if name == wanted] or [name for name in names() if name.startswith(wanted)]
    return found[0] if len(found) == 1 else text


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    if args.start:
        if args.json:
            raise UsageError("--run starts an agent, so there is nothing to print as JSON")
        caller = memory.identify()
        caller.require_person("start an agent")
    handoff = _known(memory, args)
    home = memory.config.home
    packet = handoff_packet(handoff, args.budget, home)
    agent = args.to or handoff.session.agent
    if args.start:
        return _started(memory, handoff, packet, agent)
    if args.copy:
        return _copied(packet, handoff, args, memory)
    if args.json:
        options.print_json("handoff", {"to": agent, **to_dict(handoff, packet, args.budget, home)})
    else:
        print(render.printable(packet.text))
        if args.to:
            options.say(_how_to_start(agent, handoff.session.id))
    return 0


def _known(memory: Memory, args: argparse.Namespace) -> Handoff:
    """What is known of the session, after what is new was read."""
    folder = None if args.all_projects else args.project or _here()
    bar = Bar("Indexing")
    try:
        memory.handoffs.refresh(args.session, folder, progress=bar)
    except (AxmError, OSError) as error:
        if not memory.config.index_path.exists():
            raise
        options.say(f"axm: not brought up to date, so its end may be missing: {error}")
    finally:
        bar.close()
    scope = options.scope_of(memory, args)
    session = memory.handoffs.session(args.session, scope)
    try:
        memory.handoffs.learn(session)
    except (AxmError, OSError) as error:
        options.say(f"axm: not learned from, so decisions may be missing: {error}")
    return memory.handoffs.of(session)


def _here() -> str | None:
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:  # the folder is gone
        return None


def _started(memory: Memory, handoff: Handoff, packet: HandoffPacket, agent: str) -> int:
    from axiommind.surfaces.cli._starting_agent import folder_of, start_agent

    title = load(agent).TITLE
    folder = folder_of(handoff.session.project, handoff.session.folder)
    options.say(f"Starting {title} in {folder} with {_described(packet, handoff)}")
    code = start_agent(agent, packet.text, folder, memory.config.packets_path, os.environ)
    if code:
        raise NotFound(f"{title} ended with exit code {code}")
    return 0


def _copied(packet: HandoffPacket, handoff: Handoff, args: argparse.Namespace, memory: Memory) -> int:
    from axiommind.surfaces.cli._clipboard import copy

    by = copy(packet.text)
    if args.json:
        agent = args.to or handoff.session.agent
        record = to_dict(handoff, packet, args.budget, memory.config.home)
        options.print_json("handoff", {"to": agent, "copied": bool(by), **record})
    if by:
        options.say(f"Copied with {by}: {_described(packet, handoff)}")
        return 0
    if not args.json:
        print(render.printable(packet.text))
    options.say(
        "axm: not copied: there is no clipboard here (looked for pbcopy, wl-copy, xclip, xsel, clip.exe and a terminal "
        "that has one)"
    )
    return 3


def _how_to_start(agent: str, session: str) -> str:
    title = load(agent).TITLE
    if start_command(agent, "") is None:
        return f"It is not known how {title} is started with a prompt: axm handoff {session} --copy, and paste it there"
    return f"To start {title} with it: axm handoff {session} --to {agent} --run"


def _described(packet: HandoffPacket, handoff: Handoff) -> str:
    return f"the packet of session {handoff.session.id[:8]}, {packet.tokens:,} tokens"
