"""`axm sync-serve`: the host's end of a remote over SSH."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from axiommind.errors import UsageError

HELP = "Answer another machine's axm sync, over its ssh"
CALLER = "free: whoever may start it here may read and write these files anyway"
GROUP = "keep safe"
_EPILOG = """ssh runs this on the host of ssh://host/a/folder; nobody types it. To let a key do nothing else, and only
in one folder, write this before it in ~/.ssh/authorized_keys there:
  command="axm sync-serve /srv/memory",restrict ssh-ed25519 AAAA…
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="serve only what is in it (default: as is asked)")


def run(args: argparse.Namespace) -> int:
    from axiommind.sync.remotes.ssh import serve

    if sys.stdin.isatty():
        raise UsageError(
            "this answers another machine's axm, and you are at a terminal",
            hint="on the other machine: axm sync add ssh://this-host/a/folder",
        )
    # What is printed by mistake must not stand among the answers.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        serve(Path(args.folder).expanduser() if args.folder else None, sys.stdin.buffer, answers)
    return 0
