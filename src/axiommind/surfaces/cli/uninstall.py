"""`axm uninstall`: disconnect agents from the memory."""

from __future__ import annotations

import argparse

from axiommind.surfaces import install
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.cli._offer import plan_undoing, undo
from axiommind.surfaces.cli.install import Names, chosen, each, machine

HELP = "Remove the hooks and the MCP server from an agent"
CALLER = "free: an agent may edit the same settings, and the memory stays"
GROUP = "wire up"
_EPILOG = """examples:
  axm uninstall claude-code
  axm uninstall claude-code --scope project    only in this project
  axm uninstall --all                          every agent that is found on this machine

Without --scope, everything is removed: from your settings, from this project's, from every other folder that axm
install wrote to, and the plugin. A settings file that nobody else changed is restored byte for byte. The memory itself
is kept. If axm install let Claude Code distil sessions, uninstalling it switches that off too.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "agents", nargs="*", default=[], choices=Names(install.agents()), help="the agents to disconnect"
    )
    parser.add_argument("--all", action="store_true", help="every agent that is found on this machine")
    parser.add_argument("--scope", choices=("user", "project"), help="only your own settings, or only this project's")
    parser.add_argument("--print", action="store_true", dest="only_print", help="show the changes and write nothing")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    wishes = install.Wishes(args.scope, only_print=args.only_print)
    here = machine()
    names = chosen(args, here)
    code = each(names, lambda agent: agent.uninstall(here, wishes), args, "uninstall")
    if args.scope is None and install.asked(names) is not None:
        change = plan_undoing(here)
        if args.only_print and change is not None:
            (options.say if args.json else print)(change.what)
        elif not args.only_print:
            undo(here)
    return code
