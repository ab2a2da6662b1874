"""Qwen Code. Sessions are JSON lines in `~/.qwen/projects/<folder>/chats`, subagents' beside them; each line says where
it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.sources.qwen.tool_names import TOOLS
from axiommind.sources.rooms import parts

if TYPE_CHECKING:
    from axiommind.sources.qwen.bulk import prune
    from axiommind.sources.qwen.files import discover, sidecar
    from axiommind.sources.qwen.reader import blocks, decode

__all__ = ["NAME", "TITLE", "TOOLS", "WATCHED", "blocks", "decode", "discover", "prune", "resume", "sidecar", "start"]

NAME = "qwen"
TITLE = "Qwen Code"
WATCHED = (".jsonl", ".meta.json")


def resume(session_id: str) -> tuple[str, ...]:
    return ("qwen", "--resume", session_id)


def start(prompt: str) -> tuple[str, ...]:
    return ("qwen", "-i", prompt)


__getattr__ = parts(
    __name__,
    {"blocks": "reader", "decode": "reader", "discover": "files", "prune": "bulk", "sidecar": "files"},
)
