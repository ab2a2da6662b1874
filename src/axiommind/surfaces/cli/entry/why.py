"""`axm entry why`: every event behind an entry."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import entries as rendered
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.entry_history import Told, decision_story, story

HELP = "List every event behind an entry or decision, in order"
CALLER = "reads"
ALIAS = "why"
_EPILOG = """examples:
  axm entry why ent_ca375937
  axm entry why ca375937 --json
  axm entry why dec_01m7g043           a decision made with axm decision make
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("id", metavar="ID", help="an id or its start: ent_… of an entry, dec_… of a decision")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    if args.id.strip().startswith("dec_"):
        options.require_index(memory)
        made = memory.decisions.show(args.id)
        # A person made it: certified from the start, and active until it is forgotten.
        about = {"id": made.decision_id, "title": made.action, "stage": "certified", "status": "active"}
        return _tell(args, about, "decision", decision_story(made))
    options.require(memory)
    entry, events = memory.entries.why(args.id)
    about = {"id": entry.entry_id, "title": entry.title, "stage": entry.stage, "status": entry.status}
    return _tell(args, about, entry.entry_type, story(memory.entries.show(entry.entry_id), events))


def _tell(args: argparse.Namespace, about: dict[str, str], kind: str, told: Sequence[Told]) -> int:
    if args.json:
        options.print_json("why", {**about, "events": [one._asdict() for one in told]})
        return 0
    print(render.bold(rendered.one_line(about["title"])))
    standing = about["stage"] if about["status"] == "active" else f"{about['stage']}, {about['status']}"
    print(render.dim(f"{about['id']} · {rendered.words_of(kind)} · {standing}"))
    for one in told:
        when = one.at[:19].replace("T", " ")
        print(f"{when}  {rendered.one_line(one.what)} {render.dim(f'· {one.who}')}")
    return 0
