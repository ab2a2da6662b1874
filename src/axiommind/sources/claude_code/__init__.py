"""Claude Code. Its format is internal to the client and changes without notice, so nothing here fails on what it does
not know.

What reads transcripts is loaded when it is first asked for: a hook asks only for the names of tools.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.sources.claude_code.tool_names import TOOLS
from axiommind.sources.rooms import parts

if TYPE_CHECKING:
    from axiommind.sources.claude_code.bulk import prune
    from axiommind.sources.claude_code.decoder import decode
    from axiommind.sources.claude_code.files import deletes_after, discover, open_stream, roots_of, sidecar, watched
    from axiommind.sources.claude_code.lines import belongs_to, record_id
    from axiommind.sources.claude_code.prompt_history import expand
    from axiommind.sources.claude_code.texts import blocks

__all__ = [
    "FINDS_PROJECTS",
    "NAME",
    "TITLE",
    "TOOLS",
    "WATCHED",
    "belongs_to",
    "blocks",
    "decode",
    "deletes_after",
    "discover",
    "expand",
    "open_stream",
    "prune",
    "record_id",
    "resume",
    "resumes",
    "roots_of",
    "sidecar",
    "start",
    "watched",
]

NAME = "claude-code"
TITLE = "Claude Code"
WATCHED = (".jsonl", ".meta.json", "custom-title.json")
FINDS_PROJECTS = True

_MODULES = {
    "belongs_to": "lines",
    "blocks": "texts",
    "decode": "decoder",
    "deletes_after": "files",
    "discover": "files",
    "expand": "prompt_history",
    "open_stream": "files",
    "prune": "bulk",
    "record_id": "lines",
    "roots_of": "files",
    "sidecar": "files",
    "watched": "files",
}


def resume(session_id: str) -> tuple[str, ...]:
    return ("claude", "--resume", session_id)


def resumes(stream: str) -> bool:
    """A session of which only the prompts are left is over."""
    return "history.jsonl#" not in stream


def start(prompt: str) -> tuple[str, ...]:
    return ("claude", prompt)


__getattr__ = parts(__name__, _MODULES)
