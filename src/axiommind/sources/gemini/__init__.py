"""Gemini CLI. Sessions are JSON lines in `~/.gemini/tmp/<project>/chats`, single documents in older versions; a line
with the id of an earlier one replaces it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.sources.gemini.tool_names import TOOLS
from axiommind.sources.rooms import parts

if TYPE_CHECKING:
    from axiommind.sources.gemini.bulk import prune
    from axiommind.sources.gemini.files import discover, folders_of, open_stream, session_of
    from axiommind.sources.gemini.reader import blocks, decode

__all__ = [
    "NAME",
    "TITLE",
    "TOOLS",
    "WATCHED",
    "blocks",
    "decode",
    "discover",
    "folders_of",
    "open_stream",
    "prune",
    "resume",
    "session_of",
    "start",
]

NAME = "gemini"
TITLE = "Gemini CLI"
WATCHED = (".jsonl", ".json")


def resume(session_id: str) -> tuple[str, ...]:
    return ("gemini", "--resume", session_id)


def start(prompt: str) -> tuple[str, ...]:
    return ("gemini", "-i", prompt)


__getattr__ = parts(
    __name__,
    {
        "blocks": "reader",
        "decode": "reader",
        "discover": "files",
        "folders_of": "files",
        "open_stream": "files",
        "prune": "bulk",
        "session_of": "files",
    },
)
