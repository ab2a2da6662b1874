"""OpenClaw. Sessions are rows of a database for each of its agents, below `~/.openclaw/agents`; earlier versions and
archives keep them as JSON lines. The entries are Pi's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.sources.openclaw.tool_names import TOOLS
from axiommind.sources.rooms import parts

if TYPE_CHECKING:
    from axiommind.sources.openclaw.bulk import prune
    from axiommind.sources.openclaw.files import discover, expand, open_stream
    from axiommind.sources.openclaw.reader import blocks, decode

__all__ = ["NAME", "TITLE", "TOOLS", "WATCHED", "blocks", "decode", "discover", "expand", "open_stream", "prune"]

NAME = "openclaw"
TITLE = "OpenClaw"
WATCHED = (".sqlite", ".sqlite-wal", ".jsonl")


__getattr__ = parts(
    __name__,
    {
        "discover": "files",
        "expand": "files",
        "open_stream": "files",
        "prune": "bulk",
        "blocks": "reader",
        "decode": "reader",
    },
)
