"""Codex. A session is a rollout: JSON lines in `~/.codex/sessions/YYYY/MM/DD`, later in `archived_sessions`, and
compressed when it is old. A fork, and a subagent that was given the conversation, begin with copies of its records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.sources.codex.tool_names import TOOLS
from axiommind.sources.rooms import parts

if TYPE_CHECKING:
    from axiommind.sources.codex.bulk import prune
    from axiommind.sources.codex.files import discover, open_stream, watched
    from axiommind.sources.codex.reader import blocks, decode

__all__ = [
    "NAME",
    "TITLE",
    "TOOLS",
    "WATCHED",
    "blocks",
    "decode",
    "discover",
    "open_stream",
    "prune",
    "resume",
    "start",
    "watched",
]

NAME = "codex"
TITLE = "Codex"
WATCHED = (".jsonl", ".jsonl.zst")

_MODULES = {
    "blocks": "reader",
    "decode": "reader",
    "discover": "files",
    "open_stream": "files",
    "prune": "bulk",
    "watched": "files",
}


def resume(session_id: str) -> tuple[str, ...]:
    return ("codex", "resume", session_id)


def start(prompt: str) -> tuple[str, ...]:
    return ("codex", prompt)


__getattr__ = parts(__name__, _MODULES)
