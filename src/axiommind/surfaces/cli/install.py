"""`axm install`: connect agents to the memory."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

from axiommind.config import Config
from axiommind.errors import AxmError, NotFound, UsageError
from axiommind.surfaces import install
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.cli._offer import offer

HELP = "Add hooks and the MCP server to an agent's settings"
CALLER = "free: an agent may edit the same settings; switching a model on is a person's"
GROUP = "wire up"
_EPILOG = """examples:
  axm install claude-code
  axm install codex gemini                   several
  axm install --all                          every agent that is found on this machine
  axm install codex --print                  show what it would write, and where
  axm install claude-code --scope project    only for this project
  axm install claude-code --plugin           with slash commands and a skill
  axm install claude-code --model on         and let it distil finished sessions

From then on, new sessions are learned from in the background, by rules, on this machine (learn.auto = false turns that
off). With Claude Code it also offers that your own agent distils each finished session: what is sent, and about how
many tokens that takes, is printed first. At a terminal it asks; elsewhere it only says how (axm learn --model on).

A backup is kept in the home, and axm uninstall restores the old settings. Run it again after moving or updating the
program; it changes only what is out of date. docs/install.md says what each agent can do with it, and what is left to
approve.
"""


class Names(list[str]):
    """The agents that may be named. None need be, where --all is said: the parser asks for a list of none, too."""

    def __contains__(self, name: object) -> bool:
        return name == [] or super().__contains__(name)


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("agents", nargs="*", default=[], choices=Names(install.agents()), help="the agents to connect")
    parser.add_argument("--all", action="store_true", help="every agent that is found on this machine")
    parser.add_argument(
        "--scope",
        choices=("user", "project"),
        help="your own settings, or those of this project's repository (default: user)",
    )
    parser.add_argument("--plugin", action="store_true", help="install the plugin instead of changing settings")
    parser.add_argument("--print", action="store_true", dest="only_print", help="show the changes and write nothing")
    parser.add_argument(
        "--model",
        choices=("on", "off"),
        help="whether your own agent distils finished sessions (default: it is offered, and off until you say yes)",
    )
    parser.add_argument("--no-mcp", action="store_false", dest="mcp", help="without the MCP server")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    here = machine()
    wishes = install.Wishes(args.scope, args.plugin, args.mcp, args.only_print)
    names = chosen(args, here)
    code = each(names, lambda agent: agent.install(here, wishes), args, "install")
    if not args.only_print and code == 0:
        offer(here, install.asked(names), args.model)
    return code


def chosen(args: argparse.Namespace, here: install.Machine) -> list[str]:
    """The agents that are meant."""
    if args.all and args.agents:
        raise UsageError("name agents, or say --all", hint="axm install --help")
    if not args.all:
        if not args.agents:
            raise UsageError("no agent is named", hint=f"--all, or one of: {', '.join(install.agents())}")
        return list(dict.fromkeys(args.agents))
    names = install.found(here)
    if not names:
        raise NotFound("no agent was found on this machine", hint=f"name one of: {', '.join(install.agents())}")
    install.say(f"Found: {', '.join(install.load(name).TITLE for name in names)}")
    return names


def each(names: list[str], work: Callable[[install.Agent], int], args: argparse.Namespace, what: str) -> int:
    """Do the same with several agents: one that fails does not stop the others. With `--json` what is said of it goes
    to standard error, and how it went is printed."""
    if args.json:
        return _each_as_json(names, work, args, what)
    if len(names) == 1:
        return work(install.load(names[0]))
    codes = [0]
    for name in names:
        agent = install.load(name)
        install.say(f"{agent.TITLE}:")
        try:
            codes.append(work(agent))
        except AxmError as error:
            install.say(f"  axm: {error.message}" + (f"\n  hint: {error.hint}" if error.hint else ""))
            codes.append(error.exit_code)
    return max(codes)


def _each_as_json(names: list[str], work: Callable[[install.Agent], int], args: argparse.Namespace, what: str) -> int:
    outcomes, worst = [], 0
    for name in names:
        error, hint = None, None
        try:
            with redirect_stdout(sys.stderr):
                code = work(install.load(name))
        except AxmError as failed:
            code, error, hint = failed.exit_code, failed.message, failed.hint
        worst = max(worst, code)
        outcomes.append({"agent": name, "exit_code": code, "error": error, "hint": hint or None})
    options.print_json(what, {"scope": args.scope, "changed": not args.only_print, "agents": outcomes})
    return worst


def machine() -> install.Machine:
    return install.Machine(Config.load(), os.environ, Path.home(), Path.cwd())
