"""Aider. It writes what was said into one Markdown file in each repository, run after run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.sources.aider.tool_names import TOOLS
from axiommind.sources.rooms import parts

if TYPE_CHECKING:
    from axiommind.sources.aider.files import discover, expand, open_stream
    from axiommind.sources.aider.reader import blocks, decode

__all__ = ["NAME", "TITLE", "TOOLS", "WATCHED", "blocks", "decode", "discover", "expand", "open_stream"]

NAME = "aider"
TITLE = "Aider"
WATCHED = (".aider.chat.history.md",)

__getattr__ = parts(
    __name__,
    {"blocks": "reader", "decode": "reader", "discover": "files", "expand": "files", "open_stream": "files"},
)
