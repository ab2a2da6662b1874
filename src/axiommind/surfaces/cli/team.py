"""`axm team`: who is in a team, and the database that a team keeps its memory in."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render import teams

HELP = "Make a team, let people in, and see who shares what"
CALLER = "person: whoever is let in reads what is shared; list and show read"
GROUP = "wire up"
_EPILOG = """examples:
  axm team create radar postgres://ana@db.example.org/memory
  axm team add radar kim                        prints a phrase for kim
  axm team join postgres://kim@db.example.org/memory "twelve words of the phrase"
  axm share --project . --with radar
  axm team show radar
  axm team setup postgres://admin@db.example.org/memory      once, by whoever administers the database
  axm team admit postgres://admin@db.example.org/memory kim

A team is kept where axm sync can keep one person's machines: PostgreSQL, a folder, ssh:// or s3://. Being in it shares
nothing: axm share does, and axm sync sends it.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def action(name: str, text: str, *wanted: str) -> argparse.ArgumentParser:
        made = options.action(parser, actions, name, text)
        for one in wanted:
            made.add_argument(one, metavar=one.upper(), help=_MEANT[one])
        return made

    options.add_json(parser)
    create = action("create", "Make a team; this machine is its founder", "name", "url")
    create.add_argument("--as", dest="who", metavar="NAME", help="what you are called (default: your login)")
    join = action("join", "Come into a team with the phrase of an invitation", "url", "phrase")
    for one in (create, join):
        one.add_argument("--machine", metavar="NAME", help="what this machine is called (default: its host name)")
    add = action("add", "Let somebody in, or another machine of yours: prints a phrase", "name", "person")
    add.add_argument(
        "--role", choices=("owner", "member", "reader"), default="member", help="in PostgreSQL (default: member)"
    )
    action("list", "List the teams that this machine is in")
    action("show", "Show who is in a team, and what is shared with it from here", "name")
    action("remove", "Let somebody in no longer", "name", "person")
    action("leave", "Leave a team", "name")
    setup = action("setup", "Set up a database for teams, as its administrator", "url")
    setup.add_argument("--print", dest="is_printed", action="store_true", help="print the SQL, run nothing")
    action("admit", "Let a person into the database, as its administrator", "url", "person")
    dismiss = action("dismiss", "Let a person into the database no longer", "url", "person")
    dismiss.add_argument("--erase", action="store_true", help="also delete the spaces that only they could reach")


_MEANT = {
    "name": "the team",
    "url": "postgres://, a folder, ssh:// or s3://",
    "phrase": "the twelve words that you were given",
    "person": "what they are called; in PostgreSQL the name that they log in with",
}


def run(args: argparse.Namespace) -> int:
    return _ACTIONS[args.action](Memory(), args)


def _create(memory: Memory, args: argparse.Namespace) -> int:
    made = memory.teams.create(args.name, args.url, who=args.who, machine=args.machine, caller=memory.identify())
    options.say(f"You are {made.who} in {made.name}. To let somebody in: axm team add {made.name} WHO")
    return _print(args, "team.create", teams.state_as_json(made), [])


def _add(memory: Memory, args: argparse.Namespace) -> int:
    made = memory.teams.invite(args.name, args.person, role=args.role, caller=memory.identify())
    options.say(f"For {made.who}, within a week, by a way that you trust:")
    options.say(f'  axm team join {teams.url_for(made)} "{made.phrase}"')
    return _print(args, "team.add", made._asdict(), [made.phrase])


def _join(memory: Memory, args: argparse.Namespace) -> int:
    made = memory.teams.join(args.url, args.phrase, machine=args.machine, caller=memory.identify())
    options.say(f"You are {made.who} in {made.name}. axm sync fetches what the others share.")
    return _print(args, "team.join", teams.state_as_json(made), [])


def _list(memory: Memory, args: argparse.Namespace) -> int:
    found = memory.teams.all()
    shown = [teams.row(one) for one in found]
    table = [render.as_table(("team", "you", "people", "shared", "kept"), shown)] if shown else []
    if not found:
        options.say("This machine is in no team. To make one: axm team create NAME URL")
    _print(args, "team.list", {"teams": [teams.state_as_json(one) for one in found]}, table)
    return 0 if found else 1


def _show(memory: Memory, args: argparse.Namespace) -> int:
    found = memory.teams.show(args.name)
    return _print(args, "team.show", teams.state_as_json(found), list(teams.lines(found, options.now())))


def _remove(memory: Memory, args: argparse.Namespace) -> int:
    left = memory.teams.remove(args.name, args.person, caller=memory.identify())
    options.say(f"{args.person} gets nothing that is shared with {left.name} from now on; what they have, they have.")
    return _print(args, "team.remove", teams.state_as_json(left), [])


def _leave(memory: Memory, args: argparse.Namespace) -> int:
    name = memory.teams.leave(args.name, caller=memory.identify())
    options.say(f"This machine syncs with {name} no longer. What came from it stays here.")
    return _print(args, "team.leave", {"team": name}, [])


def _print(args: argparse.Namespace, kind: str, value: dict[str, object], lines: list[str]) -> int:
    if args.json:
        options.print_json(kind, value)
    else:
        for line in lines:
            print(render.printable(line))
    return 0


# --- the database ---------------------------------------------------------------------------------------------


def _setup(memory: Memory, args: argparse.Namespace) -> int:
    if args.is_printed:
        print(memory.teams.setup_script())
        return 0
    added = memory.teams.set_up(args.url, caller=memory.identify())
    options.say("Set up." if added else "It was set up already.")
    return _print(args, "team.setup", {"added": added}, [])


def _admit(memory: Memory, args: argparse.Namespace) -> int:
    is_new = memory.teams.admit(args.url, args.person, caller=memory.identify())
    options.say(f"{args.person} may use this database.")
    if is_new:
        options.say(f"The role is new and has no password yet: \\password {args.person} in psql sets one.")
    return _print(args, "team.admit", {"person": args.person, "is_new": is_new}, [])


def _dismiss(memory: Memory, args: argparse.Namespace) -> int:
    erased = memory.teams.dismiss(args.url, args.person, erase=args.erase, caller=memory.identify())
    options.say(f"{args.person} may use this database no longer.")
    if args.erase:
        options.say(f"Deleted: {render.counted(erased, 'space')} that only they could reach")
    return _print(args, "team.dismiss", {"person": args.person, "erased": erased}, [])


_ACTIONS: dict[str, Callable[[Memory, argparse.Namespace], int]] = {
    "create": _create,
    "join": _join,
    "add": _add,
    "list": _list,
    "show": _show,
    "remove": _remove,
    "leave": _leave,
    "setup": _setup,
    "admit": _admit,
    "dismiss": _dismiss,
}
