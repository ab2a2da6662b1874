"""`axm unshare`: take back what a team was shown."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.cli.share import add_team, add_what
from axiommind.surfaces.render import teams

HELP = "Take back what you share with a team"
CALLER = "person: the others forget it"
GROUP = "wire up"
_EPILOG = """examples:
  axm unshare --session 3e1c26d3
  axm unshare --project . --with radar
  axm unshare --all

The next axm sync destroys its keys and texts at the remote, and the others' machines forget it at their next one.
Nobody can take back what somebody has copied. Sessions that were taken back are not shown to the same people again.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    which = parser.add_mutually_exclusive_group(required=True)
    add_what(which)
    which.add_argument("--all", action="store_true", help="everything that you share with the team")
    add_team(parser)
    parser.add_argument("--reason", metavar="TEXT", default="", help="why, for the record")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    done = memory.teams.unshare(
        session=args.session,
        project=args.project,
        everything=args.all,
        team=args.team,
        reason=args.reason,
        caller=memory.identify(),
    )
    for one in done:
        options.say(f"{one.team} may no longer read {teams.what(one.session, one.project)}, from the next axm sync on.")
    if not done:
        options.say("Nothing was shared.")
    if args.json:
        options.print_json("unshare", {"taken_back": [one._asdict() for one in done]})
    return 0 if done else 1
