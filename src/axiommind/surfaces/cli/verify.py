"""`axm verify`: check that nothing is broken."""

from __future__ import annotations

import argparse
import json
import sys

from axiommind.memory import Memory
from axiommind.surfaces.render import tables as render

HELP = "Check checksums, references and the index"
GROUP = "keep safe"


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = "Replays the log and compares the result with the index. Exit code 3 if something is wrong."
    parser.add_argument("--deep", action="store_true", help="also compare every transcript with its file, byte by byte")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    found = Memory().verify(deep=args.deep)
    if args.json:
        listed = [{"where": where, "what": what} for where, what in found]
        print(json.dumps({"schema": "axm.verify.v1", "ok": not found, "findings": listed}, ensure_ascii=False))
    else:
        for where, what in found:
            print(f"✗ {where}: {what}")
        if not found:
            print("✓ checksums, references and replay agree" + (", and every file on disk" if args.deep else ""))
    if found:
        repair = "; axm rebuild repairs index.db" if any("index.db" in w for w, _ in found) else ""
        sys.stderr.write(f"{render.counted(len(found), 'finding')}{repair}\n")
    return 3 if found else 0
