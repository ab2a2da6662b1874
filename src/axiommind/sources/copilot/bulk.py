"""Which bytes of a Copilot session are bulk: the vendor's instructions, what hooks were told, telemetry, and what was
encrypted.

What is dropped leaves a stub with its size and hash, so line N of what is kept is line N of the file.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from axiommind.sources.jsonl import stub
from axiommind.text import jsonlines

__all__ = ["prune"]

_SHORT = 512  # bytes of a line, or of a field, that is not worth a look
_KINDS = frozenset(
    (
        *("system.message", "hook.start", "hook.end", "subagent.selected", "session.tools_updated", "skill.invoked"),
        *("session.skills_loaded", "session.custom_agents_updated", "session.mcp_servers_loaded", "commands.changed"),
    )
)
# Fields that nothing is read of, wherever they are in the data of an event.
_FIELDS = ("transformedContent", "reasoningOpaque", "encryptedContent", "toolTelemetry", "agentMetrics")
_OF_RESULT = ("detailedContent", "contents", "uiResource", "binaryResultsForLlm")
_OF_USAGE = (
    *("model", "inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens", "apiCallId"),
    *("initiator", "finishReason", "cost"),
)


class _Line(msgspec.Struct):
    """Enough of a line to decide; everything else is skipped over, not built."""

    type: Any = None
    id: Any = None
    timestamp: Any = None
    data: msgspec.Raw = msgspec.Raw(b"")


_line = msgspec.json.Decoder(_Line).decode
_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def prune(line: bytes) -> bytes:
    if len(line) < _SHORT:
        return line
    try:
        outline = _line(line)
        inner = bytes(outline.data)
        if outline.type in _KINDS:
            keep = {"type": outline.type, "id": outline.id, "timestamp": outline.timestamp}
            return stub(keep, "bulk", len(line), hashlib.sha256(line).hexdigest())
        if not inner.startswith(b"{"):
            return line
        thin = _thin(outline.type, inner)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, TypeError):
        return line
    return line if thin is None else line.replace(inner, thin, 1)


def _thin(kind: Any, inner: bytes) -> bytes | None:
    """The data of an event without its bulk; None where it has none."""
    fields = _fields(inner)
    changed = False
    for name in _FIELDS:
        if len(bytes(fields.get(name, b""))) > _SHORT // 4:
            fields[name] = _dropped(bytes(fields[name]))
            changed = True
    if kind == "tool.execution_complete" and (result := bytes(fields.get("result", b""))).startswith(b"{"):
        parts = _fields(result)
        for name in _OF_RESULT:
            if len(bytes(parts.get(name, b""))) > _SHORT:
                parts[name] = _dropped(bytes(parts[name]))
                changed = True
        fields["result"] = msgspec.Raw(msgspec.json.encode(parts))
    if kind == "session.usage_record" and (usage := bytes(fields.get("usage", b""))).startswith(b"{"):
        told = _fields(usage)
        fields["usage"] = msgspec.Raw(msgspec.json.encode({name: told[name] for name in _OF_USAGE if name in told}))
        changed = True
    return msgspec.json.encode(fields) if changed else None


def _dropped(data: bytes) -> msgspec.Raw:
    text = f"[axm: dropped {len(data)} bytes sha256:{hashlib.sha256(data).hexdigest()[:32]}]"
    return msgspec.Raw(jsonlines.encode(text))
