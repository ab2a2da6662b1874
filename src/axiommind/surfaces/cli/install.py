"""`axm install`: connect an agent to the memory."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from axiommind.config import Config
from axiommind.surfaces import install
from axiommind.surfaces.cli._offer import offer

HELP = "Add hooks and the MCP server to an agent's settings"
CALLER = "free: an agent may edit the same settings; switching a model on is a person's"
GROUP = "wire up"
_EPILOG = """examples:
  axm install claude-code
  axm install claude-code --print            show what it would write, and where
  axm install claude-code --scope project    only for this project
  axm install claude-code --plugin           with slash commands and a skill
  axm install claude-code --model on         and let it distil finished sessions

From then on, new sessions are learned from in the background, by rules, on this machine (learn.auto = false turns that
off). It also offers that your own agent distils each finished session: what is sent, and about how many tokens that
takes, is printed first. At a terminal it asks; elsewhere it only says how (axm learn --model on).

A backup is kept in the home, and axm uninstall restores the old settings. Run it again after moving or updating the
program; it changes only what is out of date.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("agent", choices=install.agents(), help="the agent to connect")
    parser.add_argument(
        "--scope",
        choices=("user", "project"),
        default="user",
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


def run(args: argparse.Namespace) -> int:
    wishes = install.Wishes(args.scope, args.plugin, args.mcp, args.only_print)
    agent, here = install.load(args.agent), machine()
    code = agent.install(here, wishes)
    if not args.only_print:
        offer(here, agent, args.model)
    return code


def machine() -> install.Machine:
    return install.Machine(Config.load(), os.environ, Path.home(), Path.cwd())
