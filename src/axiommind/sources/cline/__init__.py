"""Cline. Its command line and newer editors keep a session as one document, older ones in the storage of the editor;
either is written anew with every message and read as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.sources.cline.tool_names import TOOLS
from axiommind.sources.rooms import parts

if TYPE_CHECKING:
    from axiommind.sources.cline.files import discover
    from axiommind.sources.cline.lines import open_stream
    from axiommind.sources.cline.reader import blocks, decode

__all__ = ["NAME", "TITLE", "TOOLS", "WATCHED", "blocks", "decode", "discover", "open_stream"]

NAME = "cline"
TITLE = "Cline"
WATCHED = (".messages.json", "api_conversation_history.json")

__getattr__ = parts(__name__, {"blocks": "reader", "decode": "reader", "discover": "files", "open_stream": "lines"})
