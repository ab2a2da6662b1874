"""Which bytes of a Qwen session are bulk: what the client writes for itself, and what stands in a line twice.

What is dropped leaves its size and hash, so line N of what is kept is line N of the file.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from axiommind.sources.jsonl import stub
from axiommind.text import jsonlines

__all__ = ["SILENT", "prune"]

# Records of the client's own: copies, measurements, states.
SILENT = frozenset(
    {
        "agent_bootstrap",
        "agent_launch_prompt",
        "agent_retry",
        "agent_session_ready",
        "attribution_snapshot",
        "background_task_completed",
        "branch_checkpoint",
        "file_history_snapshot",
        "goal_runtime",
        "goal_state",
        "goal_turn_end",
        "managed_session_commit_v1",
        "managed_session_event_v1",
        "managed_session_header_v1",
        "omni_recall",
        "session_artifact_event",
        "session_artifact_snapshot",
        "session_execution_engine",
        "session_notes",
        "session_sources_snapshot",
        "turn_result",
        "ui_telemetry",
        "user_text_elements",
    }
)
_SMALL = 512
_BULK_SIZE = 256
_KEPT = ("exitCode", "outcome")  # of what the client shows of a result
_OF_A_SUMMARY = 1  # message of the history after a compaction; the others were there before


class _Outline(msgspec.Struct):
    """Enough of a line to decide; everything else is skipped over, not built."""

    type: Any = None
    subtype: Any = None
    uuid: Any = None
    timestamp: Any = None
    toolCallResult: msgspec.Raw = msgspec.Raw(b"")  # noqa: N815 - the client's names
    systemPayload: msgspec.Raw = msgspec.Raw(b"")  # noqa: N815


_outline = msgspec.json.Decoder(_Outline).decode
_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_list = msgspec.json.Decoder(list[msgspec.Raw]).decode


def prune(line: bytes) -> bytes:
    if len(line) < _SMALL:
        return line
    try:
        outline = _outline(line)
        if isinstance(outline.subtype, str) and outline.subtype in SILENT:
            return _stub(line, outline)
        result, payload = bytes(outline.toolCallResult), bytes(outline.systemPayload)
        if len(result) > _BULK_SIZE:
            line = _with(line, "toolCallResult", _without_display(result))
        if outline.subtype == "chat_compression":
            line = _with(line, "systemPayload", _without_history(payload))
        elif b'"hookContext"' in payload:
            line = _with(line, "systemPayload", _without(payload, "hookContext"))
        return _without_images(line) if b'"inlineData"' in line else line
    except (msgspec.DecodeError, ValueError, LookupError, RecursionError, TypeError):
        return line


def _stub(line: bytes, outline: _Outline) -> bytes:
    keep: dict[str, object] = {}
    for name in ("type", "subtype", "uuid", "timestamp"):
        if isinstance(value := getattr(outline, name), str):
            keep[name] = value
    return stub(keep, "bulk", len(line), hashlib.sha256(line).hexdigest())


def _dropped(data: bytes) -> str:
    return f"[axm: dropped {len(data)} bytes sha256:{hashlib.sha256(data).hexdigest()[:32]}]"


def _raw(value: Any) -> msgspec.Raw:
    return msgspec.Raw(jsonlines.encode(value))


def _with(line: bytes, name: str, value: bytes) -> bytes:
    fields = _fields(line)
    fields[name] = msgspec.Raw(value)
    return msgspec.json.encode(fields)


def _without(value: bytes, name: str) -> bytes:
    fields = _fields(value)
    data = bytes(fields.get(name, b""))
    if len(data) > _BULK_SIZE:
        fields[name] = _raw(_dropped(data))
    return msgspec.json.encode(fields)


def _without_display(result: bytes) -> bytes:
    """How a call ended, without what it returned once more."""
    fields = _fields(result)
    display = bytes(fields.get("resultDisplay", b""))
    if len(display) > _BULK_SIZE:
        known = _fields(display) if display.startswith(b"{") else {}
        kept = {name: known[name] for name in _KEPT if name in known}
        fields["resultDisplay"] = msgspec.Raw(msgspec.json.encode({**kept, "axm": _dropped(display)}))
    return msgspec.json.encode(fields)


def _without_history(payload: bytes) -> bytes:
    fields = _fields(payload)
    history = bytes(fields.get("compressedHistory", b""))
    if history.startswith(b"["):
        kept = _list(history)[:_OF_A_SUMMARY]
        fields["compressedHistory"] = msgspec.Raw(msgspec.json.encode([*kept, _raw(_dropped(history))]))
    return msgspec.json.encode(fields)


def _without_images(line: bytes) -> bytes:
    value = jsonlines.parse(line)
    pending = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            inline = node.get("inlineData")
            if isinstance(inline, dict) and isinstance(data := inline.get("data"), str) and len(data) > _BULK_SIZE:
                inline["data"] = _dropped(data.encode("utf-8", "replace"))
            pending.extend(node.values())
        elif isinstance(node, list):
            pending.extend(node)
    return jsonlines.encode(value)
