"""Which bytes of an Antigravity transcript are bulk: what the client and hooks tell the model between the steps.

What is dropped leaves its size and hash, so line N of what is kept is line N of the file.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from axiommind.sources.jsonl import stub

__all__ = ["SILENT", "prune"]

# Steps in which nobody says or does anything.
SILENT = ("CONVERSATION_HISTORY", "EPHEMERAL_MESSAGE", "SYSTEM_MESSAGE", "KNOWLEDGE_ARTIFACTS")
_SMALL = 512


class _Outline(msgspec.Struct):
    """Enough of a line to decide; everything else is skipped over, not built."""

    type: Any = None
    step_index: Any = None
    created_at: Any = None


_outline = msgspec.json.Decoder(_Outline).decode


def prune(line: bytes) -> bytes:
    if len(line) < _SMALL:
        return line
    try:
        outline = _outline(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return line
    if outline.type not in SILENT:
        return line
    kept: dict[str, object] = {}
    for name in ("type", "step_index", "created_at"):
        if isinstance(value := getattr(outline, name), (str, int)):
            kept[name] = value
    return stub(kept, "bulk", len(line), hashlib.sha256(line).hexdigest())
