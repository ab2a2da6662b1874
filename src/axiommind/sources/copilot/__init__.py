"""GitHub Copilot CLI. A session is a folder in `~/.copilot/session-state` with its events and what it is called; what
its subagents did is among its events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.sources.copilot.tool_names import TOOLS
from axiommind.sources.rooms import parts

if TYPE_CHECKING:
    from axiommind.sources.copilot.bulk import prune
    from axiommind.sources.copilot.files import discover, sidecar, watched
    from axiommind.sources.copilot.reader import blocks, decode

__all__ = [
    "NAME",
    "TITLE",
    "TOOLS",
    "WATCHED",
    "blocks",
    "decode",
    "discover",
    "prune",
    "resume",
    "sidecar",
    "start",
    "watched",
]

NAME = "copilot"
TITLE = "Copilot CLI"
WATCHED = (".jsonl", "workspace.yaml")

_MODULES = {
    "blocks": "reader",
    "decode": "reader",
    "discover": "files",
    "prune": "bulk",
    "sidecar": "files",
    "watched": "files",
}


def resume(session_id: str) -> tuple[str, ...]:
    return ("copilot", f"--resume={session_id}")


def start(prompt: str) -> tuple[str, ...]:
    return ("copilot", "-i", prompt)


__getattr__ = parts(__name__, _MODULES)
