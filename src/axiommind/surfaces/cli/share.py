"""`axm share`: let a team read a session or a project."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import teams

HELP = "Let a team read a session or a project of yours"
CALLER = "person: what is shared leaves this machine for other people"
GROUP = "wire up"
_EPILOG = """examples:
  axm share --session 3e1c26d3
  axm share --project . --with radar
  axm unshare --project .

Everything is private until it is shared. A session takes its subagents along, a project its sessions, documents and
scratchpads, those to come too. What you decided about entries stays here. It leaves with the next axm sync.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    add_what(parser.add_mutually_exclusive_group(required=True))
    add_team(parser)
    options.add_json(parser)


def add_what(which: argparse._MutuallyExclusiveGroup) -> None:
    which.add_argument("--session", metavar="ID", help="one session, and its subagents")
    which.add_argument("--project", metavar="PATH", help="everything of one project")


def add_team(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--with", dest="team", metavar="TEAM", help="which team, where you are in several")


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    done = memory.teams.share(session=args.session, project=args.project, team=args.team, caller=memory.identify())
    what = teams.what(done.session, done.project)
    options.say(f"{done.team} may read {what}" + (" from the next axm sync on." if done.is_new else " already."))
    if args.json:
        options.print_json("share", done._asdict())
    return 0
