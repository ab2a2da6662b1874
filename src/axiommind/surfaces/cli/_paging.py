"""Long texts for a person: in the pager that they use (`$PAGER`, else `less`), and only on a terminal that is too small
for them."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TextIO, cast

from axiommind.surfaces.render.terminal import GuardedStream, has_colours

__all__ = ["add_paging", "page"]


def add_paging(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-pager", action="store_true", help="print it all at once; on a terminal it is paged")


def page(text: str, *, is_wanted: bool = True) -> None:
    """Print a text, in a pager where it is longer than the screen. What it holds cannot steer the terminal."""
    command = _pager() if is_wanted and sys.stdout.isatty() and not _fits(text) else []
    if not command or not _paged(command, text):
        print(text)


def _fits(text: str) -> bool:
    try:
        rows = os.get_terminal_size(sys.stdout.fileno()).lines
    except (OSError, ValueError):
        return True
    return text.count("\n") + 2 <= rows


def _pager() -> list[str]:
    """The words of the pager's command; none where nobody wants one, or there is none."""
    import shlex
    from shutil import which

    wish = os.environ.get("PAGER")
    if wish is not None and wish.strip() in ("", "cat"):
        return []
    for wanted in filter(None, (wish, "less", "more")):
        try:
            words = shlex.split(wanted, posix=os.name != "nt")
        except ValueError:  # quotes that do not end
            continue
        if words and (program := which(words[0])):
            return [program, *words[1:]]
    return []


def _paged(command: list[str], text: str) -> bool:
    """Whether a pager showed it. Who leaves the pager has read enough."""
    import signal
    import subprocess

    # As git does it: our few colours are shown, and what fits is left on the screen.
    environ = {"LESS": "FRX", "LV": "-c", **os.environ}
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the pager's
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, env=environ, encoding="utf-8", errors="replace")
    except OSError:
        return False
    else:
        try:
            with cast(TextIO, process.stdin) as pipe:
                GuardedStream(pipe, is_terminal=has_colours(sys.stdout)).write(f"{text}\n")
        except OSError:  # it was left before it had everything
            pass
        process.wait()
        return True
    finally:
        signal.signal(signal.SIGINT, before)
