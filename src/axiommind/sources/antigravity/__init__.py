"""Antigravity, Google's editor and its command line (`agy`). A session is a folder of notes; the transcript in it is
JSON lines, one a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.sources.antigravity.tool_names import TOOLS
from axiommind.sources.rooms import parts

if TYPE_CHECKING:
    from axiommind.sources.antigravity.bulk import prune
    from axiommind.sources.antigravity.files import discover, folders_of, watched
    from axiommind.sources.antigravity.reader import blocks, decode

__all__ = ["NAME", "TITLE", "TOOLS", "blocks", "decode", "discover", "folders_of", "prune", "resume", "watched"]

NAME = "antigravity"
TITLE = "Antigravity"


def resume(session_id: str) -> tuple[str, ...]:
    return ("agy", "--conversation", session_id)


__getattr__ = parts(
    __name__,
    {
        "blocks": "reader",
        "decode": "reader",
        "discover": "files",
        "folders_of": "files",
        "prune": "bulk",
        "watched": "files",
    },
)
