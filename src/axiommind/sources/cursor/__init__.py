"""Cursor. Its command line keeps sessions as JSON lines without times in `~/.cursor/projects`, its editor as values of
a large database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from axiommind.sources.cursor.tool_names import TOOLS
from axiommind.sources.rooms import parts

if TYPE_CHECKING:
    from axiommind.sources.cursor.files import discover, expand, folders_of, open_stream
    from axiommind.sources.cursor.reader import blocks, decode, record_id

__all__ = [
    "NAME",
    "TITLE",
    "TOOLS",
    "WATCHED",
    "blocks",
    "decode",
    "discover",
    "expand",
    "folders_of",
    "open_stream",
    "record_id",
    "resume",
    "resumes",
    "start",
    "watched",
]

NAME = "cursor"
TITLE = "Cursor"
WATCHED = (".jsonl", ".txt", ".vscdb", ".vscdb-wal")


def resume(session_id: str) -> tuple[str, ...]:
    return ("cursor-agent", "--resume", session_id)


def resumes(stream: str) -> bool:
    """The editor's chats are opened in the editor."""
    return ".vscdb#" not in stream


def start(prompt: str) -> tuple[str, ...]:
    return ("cursor-agent", prompt)


def watched(root: Path) -> Path:
    return next((root / name for name in ("projects", "globalStorage") if (root / name).is_dir()), root)


__getattr__ = parts(
    __name__,
    {
        "discover": "files",
        "expand": "files",
        "folders_of": "files",
        "open_stream": "files",
        "blocks": "reader",
        "decode": "reader",
        "record_id": "reader",
    },
)
