"""Pi. Sessions are JSON lines in `~/.pi/agent/sessions`, a folder for each working folder; a fork is a new file that
copies what was said with the same ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.sources.pi.tool_names import TOOLS
from axiommind.sources.rooms import parts

if TYPE_CHECKING:
    from axiommind.sources.pi.files import discover
    from axiommind.sources.pi.reader import blocks, decode

__all__ = ["NAME", "TITLE", "TOOLS", "blocks", "decode", "discover", "resume", "start"]

NAME = "pi"
TITLE = "Pi"


def resume(session_id: str) -> tuple[str, ...]:
    return ("pi", "--session", session_id)


def start(prompt: str) -> tuple[str, ...]:
    return ("pi", prompt)


__getattr__ = parts(__name__, {"discover": "files", "blocks": "reader", "decode": "reader"})
