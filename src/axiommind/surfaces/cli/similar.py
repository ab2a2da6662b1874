"""`axm similar`: what is closest in meaning to a passage, an entry, a session or a task."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import hits
from axiommind.surfaces.render import tables as render

if TYPE_CHECKING:
    from axiommind.search.similar import Similar

HELP = "Find passages, sessions or tasks close in meaning"
CALLER = "reads"
GROUP = "look"
_EPILOG = """examples:
  axm similar 3k9f2           passages like this search hit
  axm similar ent_1f0c        passages like this entry
  axm similar tsk_9a41        tasks like this one
  axm similar 018427c2        sessions like this one

Needs vectors: run axm embed first.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("id", metavar="ID", help="the id, or its start, of a passage, entry, task or session")
    parser.add_argument("-k", "--k", type=options.count, default=10, metavar="N", help="at most N results (default 10)")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    options.require_index(memory)
    found = memory.search.similar(args.id, k=args.k)
    if args.json:
        options.print_json("similar", _record(found))
    elif found.hits:
        print("\n\n".join(hits.hit_as_text(n, hit) for n, hit in enumerate(found.hits, 1)))
    elif found.others:
        print(_table(found))
    if not (found.hits or found.others):
        options.say(f"Nothing like this {found.kind} was found.")
        return 1
    return 0


def _record(found: Similar) -> dict[str, object]:
    return {
        "id": found.id,
        "kind": found.kind,
        "title": found.title,
        "hits": [hits.hit_as_dict(hit, "semantic") for hit in found.hits],
        "others": [one._asdict() for one in found.others],
    }


def _table(found: Similar) -> str:
    what = "status" if found.kind == "task" else "when"
    rows = [
        {
            "similarity": f"{one.similarity:.2f}",
            found.kind: one.id if found.kind == "task" else one.id[:8],
            what: one.status or hits.age(one.timestamp, time.time()),
            "title": one.title,
        }
        for one in found.others
    ]
    return render.as_table(("similarity", found.kind, what, "title"), rows)
