"""Which bytes of a Droid session are bulk: what the client tells the model before a prompt, thoughts that stand there
twice, and images.

What is dropped leaves its size and hash, so line N of what is kept is line N of the file.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from axiommind.sources.jsonl import stub
from axiommind.text import jsonlines

__all__ = ["CONTEXT", "prune"]

CONTEXT = "context-"  # how the ids of messages begin that hold only what the client tells the model
_SMALL = 512
_BULK_SIZE = 256
_COPY = "chatCompletionReasoningContent"


class _Outline(msgspec.Struct):
    """Enough of a line to decide; everything else is skipped over, not built."""

    type: Any = None
    id: Any = None
    timestamp: Any = None


_outline = msgspec.json.Decoder(_Outline).decode


def prune(line: bytes) -> bytes:
    if len(line) < _SMALL:
        return line
    try:
        outline = _outline(line)
        if isinstance(outline.id, str) and outline.id.startswith(CONTEXT):
            kept: dict[str, object] = {}
            for name in ("type", "id", "timestamp"):
                if isinstance(value := getattr(outline, name), str):
                    kept[name] = value
            return stub(kept, "vendor text", len(line), hashlib.sha256(line).hexdigest())
        return _thin(line) if b'"base64"' in line or _COPY.encode() in line else line
    except (msgspec.DecodeError, ValueError, RecursionError, TypeError):
        return line


def _dropped(data: str) -> str:
    raw = data.encode("utf-8", "replace")
    return f"[axm: dropped {len(raw)} bytes sha256:{hashlib.sha256(raw).hexdigest()[:32]}]"


def _thin(line: bytes) -> bytes:
    value = jsonlines.parse(line)
    pending = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            for name in (_COPY, *(("data",) if node.get("type") == "base64" else ())):
                if isinstance(data := node.get(name), str) and len(data) > _BULK_SIZE:
                    node[name] = _dropped(data)
            pending.extend(node.values())
        elif isinstance(node, list):
            pending.extend(node)
    return jsonlines.encode(value)
