"""`axm verify`: check that nothing is broken."""

from __future__ import annotations

import argparse
import json
import sys

from axiommind.memory import Memory
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.progress import LongWork

HELP = "Check checksums, references and the index"
CALLER = "reads"
GROUP = "keep safe"
_EPILOG = """
Replays the log and compares the result with the index. What forgetting left to do, because it was killed or because
another program was reading, is done first. Exit code 3 if something is wrong, or while forgetting is pending.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG.lstrip()
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--deep", action="store_true", help="also compare every transcript with its file, byte by byte")
    what.add_argument(
        "--forgotten", action="store_true", help="only show what was proven of what was forgotten, and what is pending"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    if args.forgotten:
        return _forgotten(args)
    with LongWork("Checking every checksum"):
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
        repair = "; axm rebuild repairs index.db" if any(w.startswith("index.db") for w, _ in found) else ""
        sys.stderr.write(f"{render.counted(len(found), 'finding')}{repair}\n")
    return 3 if found else 0


def _forgotten(args: argparse.Namespace) -> int:
    from axiommind.surfaces.render import forgetting

    found = Memory().forgotten()
    if args.json:
        listed = {
            "pending": [one._asdict() for one in found.held],
            "certificates": [one._asdict() for one in found.certificates],
        }
        print(json.dumps({"schema": "axm.forgotten.v1", "ok": not found.held, **listed}, ensure_ascii=False))
    else:
        for certificate in found.certificates:
            print(f"✓ {forgetting.certified(certificate)}")
        for held in found.held:
            print(f"… pending: {forgetting.held(held)}\n  {held.then}")
        if not found.held and not found.certificates:
            sys.stderr.write("Nothing has been forgotten.\n")
    return 3 if found.held else 0
