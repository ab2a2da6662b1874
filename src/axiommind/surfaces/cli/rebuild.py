"""`axm rebuild`: rebuild the index from the log."""

from __future__ import annotations

import argparse
import json
import sys
import time

from axiommind.errors import NotFound, PersonOnly
from axiommind.memory import Memory
from axiommind.surfaces.render.progress import Bar

HELP = "Rebuild the index from the log"
CALLER = "free: the index is derived from the log; --anew, which gives an index up, is a person's"
GROUP = "keep safe"


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = (
        "Works without blocking readers. Sessions and documents on disk are not read. An index whose log vanished, "
        "shrank or was exchanged is never rebuilt unless you say --anew: axm restore is the other way."
    )
    parser.add_argument(
        "--anew",
        action="store_true",
        help="go on with the log that is here although the index was made from another one, which is kept aside",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    if not args.anew and not memory.config.log_path.exists() and not memory.config.index_path.exists():
        raise NotFound(f"there is no log at {memory.config.log_path} yet", hint="run: axm index")
    if args.anew and not (caller := memory.identify()).is_person:
        raise PersonOnly("only a person can give up an index whose log is gone", caller.why)
    started = time.monotonic()
    bar = Bar("Rebuilding")
    kept = None
    try:
        if args.anew:
            done, kept = memory.start_anew(bar)
        else:
            done = memory.rebuild(bar)
    finally:
        bar.close()
    seconds = time.monotonic() - started
    sys.stderr.write(f"Rebuilt: {done.events} events folded into {done.rows} rows in {seconds:.1f} s\n")
    if kept is not None:
        sys.stderr.write(f"The old index was kept: {kept}\n")
    if args.json:
        shown = {"schema": "axm.rebuild.v1", "events": done.events, "rows": done.rows, "seconds": round(seconds, 3)}
        print(json.dumps({**shown, "kept": None if kept is None else str(kept)}))
    return 0
