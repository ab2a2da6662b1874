"""OpenCode. Sessions are rows of `~/.local/share/opencode/opencode.db`, and were JSON files under `storage/` there
before version 1.2. What is read is rendered as lines: a header, then a line for each message with its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.sources.opencode.tool_names import TOOLS
from axiommind.sources.rooms import parts

if TYPE_CHECKING:
    from axiommind.sources.opencode.files import discover, expand, open_stream
    from axiommind.sources.opencode.reader import blocks, decode

__all__ = [
    "NAME",
    "TITLE",
    "TOOLS",
    "WATCHED",
    "blocks",
    "decode",
    "discover",
    "expand",
    "open_stream",
    "resume",
    "start",
]

NAME = "opencode"
TITLE = "OpenCode"
WATCHED = (".db", ".db-wal")


def resume(session_id: str) -> tuple[str, ...]:
    return ("opencode", "-s", session_id)


def start(prompt: str) -> tuple[str, ...]:
    return ("opencode", "--prompt", prompt)


__getattr__ = parts(
    __name__,
    {"discover": "files", "expand": "files", "open_stream": "files", "blocks": "reader", "decode": "reader"},
)
