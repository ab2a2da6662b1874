"""`axm rebuild`: rebuild the index from the log."""

from __future__ import annotations

import argparse
import json
import sys
import time

from axiommind.errors import NotFound
from axiommind.memory import Memory
from axiommind.surfaces.render.progress import Bar

HELP = "Rebuild the index from the log"
GROUP = "keep safe"


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = "Works without blocking readers or prompting. Sessions and documents on disk are not read."
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    if not memory.config.log_path.exists():
        raise NotFound(f"there is no log at {memory.config.log_path} yet", hint="run: axm index")
    started = time.monotonic()
    bar = Bar("Rebuilding")
    try:
        done = memory.rebuild(bar)
    finally:
        bar.close()
    seconds = time.monotonic() - started
    sys.stderr.write(f"Rebuilt: {done.events} events folded into {done.rows} rows in {seconds:.1f} s\n")
    if args.json:
        shown = {"schema": "axm.rebuild.v1", "events": done.events, "rows": done.rows, "seconds": round(seconds, 3)}
        print(json.dumps(shown))
    return 0
