"""`axm hook`: what `axm-hook` does, for people who want to see it."""

from __future__ import annotations

import argparse

from axiommind.surfaces.cli import _options as options

HELP = "Answer one hook call of an agent, from stdin"
CALLER = "free: it records what an agent was given"
GROUP = "wire up"
_EPILOG = """example:
  echo '{"session_id":"s","cwd":"'$PWD'","hook_event_name":"UserPromptSubmit","prompt":"why SQLite?"}' | axm hook

Where nothing is answered, stderr says why; exit code 1: the call was no call, or failed. The client itself is told to
run axm-hook, which does the same, starts sooner, says nothing on stderr and exits with 0 always. What became of a call
is a line in hooks/hooks.log in the home.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--agent", default="", metavar="NAME", help="whose call it is (default: Claude Code's)")
    parser.add_argument("event", nargs="*", metavar="EVENT", help="such as UserPromptSubmit (default: as stdin says)")
    parser.error = _ignore  # type: ignore[assignment,method-assign]  # exit code 2 would block the prompt


def run(args: argparse.Namespace) -> int:
    from axiommind.surfaces.hooks import called, serve

    named = ["--agent", args.agent] if args.agent else []
    answered = serve(called([*named, *args.event]), aloud=True)
    if answered is None or answered.text:
        return 0
    why = answered.why or answered.outcome
    if answered.outcome != "error":
        options.say(f"Nothing was answered: {why}")
        return 0
    options.say(f"axm: {why}\n  hint: axm hook --help has an example")
    return 1


def _ignore(_message: str) -> None:
    """An argument that nobody knows."""
