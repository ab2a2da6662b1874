"""`axm uninstall`: take the memory out of an agent again."""

from __future__ import annotations

import argparse

from axiommind.surfaces import install
from axiommind.surfaces.cli.install import machine

HELP = "Remove the hooks and the MCP server from an agent"
GROUP = "wire up"
_EPILOG = """examples:
  axm uninstall claude-code
  axm uninstall claude-code --scope project    only in this project

Without --scope, everything goes: what is in your settings, in this project's, in other folders that axm install wrote
to, and the plugin. The memory itself stays.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("agent", choices=install.agents())
    parser.add_argument("--scope", choices=("user", "project"), help="only yours, or only this project's")
    parser.add_argument("--print", action="store_true", dest="only_print", help="show it and write nothing")


def run(args: argparse.Namespace) -> int:
    wishes = install.Wishes(args.scope, only_print=args.only_print)
    return install.load(args.agent).uninstall(machine(), wishes)
