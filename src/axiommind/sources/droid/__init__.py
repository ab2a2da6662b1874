"""Droid, of Factory. Sessions are JSON lines in `~/.factory/sessions`, a folder for each working folder; what a session
spent is in a small file beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.sources.droid.tool_names import TOOLS
from axiommind.sources.rooms import parts

if TYPE_CHECKING:
    from axiommind.sources.droid.bulk import prune
    from axiommind.sources.droid.files import discover, sidecar
    from axiommind.sources.droid.reader import blocks, decode

__all__ = ["NAME", "TITLE", "TOOLS", "WATCHED", "blocks", "decode", "discover", "prune", "resume", "sidecar", "start"]

NAME = "droid"
TITLE = "Droid"
WATCHED = (".jsonl", ".settings.json")


def resume(session_id: str) -> tuple[str, ...]:
    return ("droid", "--resume", session_id)


def start(prompt: str) -> tuple[str, ...]:
    return ("droid", prompt)


__getattr__ = parts(
    __name__,
    {"blocks": "reader", "decode": "reader", "discover": "files", "prune": "bulk", "sidecar": "files"},
)
