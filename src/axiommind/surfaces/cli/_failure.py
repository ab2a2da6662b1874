"""What a person reads when a command fails: a sentence, perhaps a hint, and the exit code."""

from __future__ import annotations

import os
import sys

from axiommind.errors import AxmError, NeedsPerson

__all__ = ["print_proposal", "report"]


def report(error: Exception) -> int:
    """Say what went wrong, and return the exit code."""
    known = error if isinstance(error, AxmError) else _of_the_store(error)
    if known is None and isinstance(error, OSError) and error.strerror:
        from pathlib import Path

        from axiommind.disk import os_error

        known = os_error(error, Path(error.filename or "output")) or AxmError(
            f"{error.filename or 'output'}: {error.strerror}"
        )
    if known is not None:
        _say(known)
        return known.exit_code
    if os.environ.get("AXM_DEBUG"):
        raise error
    sys.stderr.write(
        f"axm: internal error: {type(error).__name__}: {error}\n"
        "  hint: run it again with AXM_DEBUG=1 and report what it prints\n"
    )
    return 4


def print_proposal(error: Exception) -> None:
    """As JSON, that a request waits for a person. What else goes wrong is said on stderr alone."""
    if isinstance(error, NeedsPerson):
        import json

        waits = {"schema": "axm.proposal.v1", "changed": False, "proposal": error.proposal, "what": error.what}
        print(json.dumps({**waits, "why": error.why, "next": "axm review"}, ensure_ascii=False))


def _of_the_store(error: Exception) -> AxmError | None:
    """A full disk or a lock that came through as SQLite said it."""
    import sqlite3

    if not isinstance(error, sqlite3.Error):
        return None
    from axiommind.config import Config
    from axiommind.db import store_error

    return store_error(error, Config.load().home)


def _say(error: AxmError) -> None:
    hint = f"  hint: {error.hint}" if error.hint else ""
    for line in (f"axm: {error.message}", hint):
        if line:
            sys.stderr.write(f"{_printable(line)}\n")


def _printable(text: str) -> str:
    """A message may name what a transcript says."""
    if text.isprintable():
        return text
    from axiommind.surfaces.render.tables import printable

    return printable(text)
