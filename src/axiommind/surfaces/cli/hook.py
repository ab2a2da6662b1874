"""`axm hook`: what `axm-hook` does, for people who want to see it."""

from __future__ import annotations

import argparse

HELP = "Answer one hook call of an agent, from stdin"
GROUP = "wire up"
_EPILOG = """example:
  echo '{"session_id":"s","cwd":"'$PWD'","hook_event_name":"UserPromptSubmit","prompt":"why SQLite?"}' | axm hook

The client itself is told to run axm-hook, which does the same and starts sooner. Exit code 0 always; what became of
a call is a line in hooks/hooks.log in the home.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("event", nargs="*", metavar="EVENT", help="such as UserPromptSubmit (default: as stdin says)")
    parser.error = _ignore  # type: ignore[assignment,method-assign]  # exit code 2 would block the prompt


def run(args: argparse.Namespace) -> int:
    from axiommind.surfaces.hooks import serve

    serve(args.event[0] if args.event else "")
    return 0


def _ignore(_message: str) -> None:
    """An argument that nobody knows."""
