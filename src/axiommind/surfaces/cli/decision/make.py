"""`axm decision make`: record a decision and the entries it rests on."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render

HELP = "Record a decision and the entries it rests on"
CALLER = "proposal: it decides"
ALIAS = "decide"
_EPILOG = """examples:
  axm decision make "Releases are signed in CI" --evidence ent_8250e35c --reason "no more unsigned binaries"
  axm decision make "Weekly releases from now on" --evidence ent_8250e35c ent_00169e58 --at yesterday --project .

Evidence is required: a decision without any cannot be checked. Each entry must be verified or certified, active, and
older than the decision. The id of the decision is printed.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("text", metavar="TEXT", help="what was decided, in quotes")
    parser.add_argument(
        "--evidence",
        metavar="ID",
        nargs="+",
        action="extend",
        required=True,
        help="an entry it rests on (required, repeatable)",
    )
    parser.add_argument("--reason", metavar="TEXT", default="", help="why")
    parser.add_argument(
        "--at", metavar="WHEN", type=options.since, help="when it was decided, such as yesterday (default: now)"
    )
    options.add_scope(parser)
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require(memory)
    scope = options.scope_of(memory, args)
    evidence = list(dict.fromkeys(memory.entries.show(one).entry.entry_id for one in args.evidence))
    name = memory.decisions.decide(args.text, evidence, scope, reason=args.reason, at=args.at, caller=memory.identify())
    if args.json:
        record = {"id": name, "decision": args.text, "evidence": evidence, "project": scope.project}
        options.print_json("decide", record)
    else:
        print(name)
    where = f", in {scope.project}" if scope.project else ""
    options.say(f"Decided, on {render.counted(len(evidence), 'piece')} of evidence{where}")
    return 0
