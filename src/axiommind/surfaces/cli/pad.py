"""`axm pad`: scratchpads from the shell. What is printed is the text itself; every write can be undone."""

from __future__ import annotations

import argparse
from typing import Any

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.cli import _pad_reading as reading
from axiommind.surfaces.cli import _pad_writing as writing
from axiommind.surfaces.cli import _texts as texts

HELP = "Write, edit, search and version scratchpads"
CALLER = "free: working memory is the agent's, and every version is kept"
GROUP = "work"
_EPILOG = """examples:
  axm pad create wf_01kamhz3f0ab "Findings" notes.md
  pytest 2>&1 | axm pad append pad_01kamhz4k2qd
  axm pad show pad_01kamhz4k2qd --lines 10-40 --numbers
  axm pad edit pad_01kamhz4k2qd                      in $VISUAL or $EDITOR
  axm pad search "row level security"
  axm pad history pad_01kamhz4k2qd
  axm pad restore pad_01kamhz4k2qd --at 3

Text comes from an argument, from --file, or from a pipe. A write never loses anything: history has every version, and
restore brings one back. --version N writes only on top of version N (exit code 3 if somebody else was quicker).
axm forget --pad ID purges a scratchpad with all its versions.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    options.add_json(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", help="what to do")

    def action(name: str, text: str, epilog: str = "") -> argparse.ArgumentParser:
        sub = options.action(parser, actions, name, text, epilog)
        sub.add_argument("id", type=texts.plain, metavar="ID", help="the scratchpad's id, or the beginning of it")
        return sub

    reading.configure(action)
    writing.configure(action)
    _configure_others(parser, actions)


def _configure_others(parser: argparse.ArgumentParser, actions: Any) -> None:
    """The actions that are not about one scratchpad."""
    create = options.action(parser, actions, "create", "Create a scratchpad in a workflow, and print its id.")
    create.add_argument(
        "workflow", type=texts.plain, metavar="WORKFLOW", help="the workflow's id, or the beginning of it"
    )
    create.add_argument("title", metavar="TITLE", help="its title, in quotes")
    given = create.add_mutually_exclusive_group()
    given.add_argument(
        "source", nargs="?", metavar="FILE|-", help="its text; - is stdin; at a terminal, default: $EDITOR"
    )
    given.add_argument("--text", help="its text")
    texts.take_late(create, "source")

    listed = options.action(parser, actions, "list", "List the scratchpads of a workflow, or the latest changed.")
    listed.add_argument(
        "--workflow", type=texts.plain, metavar="ID", help="only this workflow, in the order they were created"
    )
    options.add_limit(listed, "scratchpads", 50)
    options.add_scope(listed)

    search = options.action(parser, actions, "search", "Search the titles and texts of scratchpads.")
    search.add_argument("query", nargs="+", metavar="QUERY", help="words, in any language")
    search.add_argument("--workflow", type=texts.plain, metavar="ID", help="only this workflow")
    search.add_argument("--scope", type=texts.plain, metavar="TEXT", help="only workflows with exactly this scope")
    search.add_argument("--cursor", help="the next page: next_cursor of the last one")
    options.add_limit(search, "scratchpads", 20)


def run(args: argparse.Namespace) -> int:
    if args.action is None:
        return options.print_usage(args)
    memory = Memory()
    if args.action in reading.ACTIONS:
        return reading.ACTIONS[args.action](memory, args)
    return writing.run(memory, args)
