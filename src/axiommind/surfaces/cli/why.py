"""`axm why`: how an entry came to be, event by event."""

from __future__ import annotations

import argparse

from axiommind.api import Memory
from axiommind.surfaces import memory as rendered
from axiommind.surfaces import render
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.story import story

HELP = "Tell how an entry came to be: everything that was read, found, checked, changed and said about it, in order."
_EPILOG = """examples:
  axm why ent_ca375937
  axm why ca375937 --json
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("id", metavar="ID", help="the entry's id, or the beginning of it")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require(memory)
    entry, events = memory.why(args.id)
    told = story(memory.entry(entry.entry_id), events)
    if args.json:
        about = {"id": entry.entry_id, "title": entry.title, "stage": entry.stage, "status": entry.status}
        options.print_json("why", {**about, "events": [one._asdict() for one in told]})
        return 0
    print(f"{render.bold(rendered.one_line(entry.title))}")
    standing = entry.stage if entry.status == "active" else f"{entry.stage}, {entry.status}"
    print(render.dim(f"{entry.entry_id} · {rendered.words_of(entry.entry_type)} · {standing}"))
    for one in told:
        when = one.at[:19].replace("T", " ")
        print(f"{when}  {rendered.one_line(one.what)} {render.dim(f'· {one.who}')}")
    return 0
