"""Which bytes of a Codex rollout are bulk: the vendor's instructions, the settings of each turn, what an event says a
second time, what was encrypted, images.

What is dropped leaves a stub with its size and hash, so line N of what is kept is line N of the file.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

import msgspec

from axiommind.sources.jsonl import stub
from axiommind.text import jsonlines

__all__ = ["prune"]

_SHORT = 512  # bytes of a line that is not worth a look
_LONG = 256  # characters of an image
# Records of which nothing is read but what stays in a stub.
_KINDS = frozenset(("world_state",))
_ITEMS = frozenset(("tool_search_output", "additional_tools", "ghost_snapshot", "compaction"))
_EVENTS = frozenset(
    (
        "user_message",
        "agent_message",
        "agent_reasoning",
        "item_completed",
        "exec_command_end",
        "patch_apply_end",
        "mcp_tool_call_end",
        "web_search_end",
        "image_generation_end",
        "thread_settings_applied",
        "turn_diff",
    )
)
_KEPT = ("type", "role", "id", "call_id", "status", "success", "turn_id")  # of a payload, in a stub
_OF_TURN = ("turn_id", "cwd", "model", "approval_policy", "effort")
_IMAGE = b"data:image/"
_FAILED = re.compile(rb'\A\s*\{\s*"Err"|"isError":\s*true')  # what an MCP server returned


class _Line(msgspec.Struct):
    """Enough of a line to decide; everything else is skipped over, not built."""

    type: Any = None
    timestamp: Any = None
    ordinal: Any = None
    payload: msgspec.Raw = msgspec.Raw(b"")


class _Payload(msgspec.Struct):
    type: Any = None
    role: Any = None


_line = msgspec.json.Decoder(_Line).decode
_payload = msgspec.json.Decoder(_Payload).decode
_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def prune(line: bytes) -> bytes:
    if len(line) < _SHORT:
        return line
    try:
        outline = _line(line)
        inner = bytes(outline.payload)
        if inner.startswith(b"{"):
            line = _pruned(line, outline, inner)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, TypeError):
        return line
    return _without_images(line) if _IMAGE in line else line


def _pruned(line: bytes, outline: _Line, inner: bytes) -> bytes:
    payload = _payload(inner)
    kind = payload.type
    if outline.type == "response_item":
        if kind in _ITEMS or payload.role == "developer":
            return _stub(line, outline, inner)
        if kind == "reasoning":
            return _without(line, inner, "encrypted_content")
    elif outline.type == "event_msg":
        if kind in _EVENTS:
            return _stub(line, outline, inner)
        if kind in ("task_complete", "turn_complete"):
            return _without(line, inner, "last_agent_message")
    elif outline.type in _KINDS:
        return _stub(line, outline, inner)
    elif outline.type == "session_meta":
        return _without(line, inner, "base_instructions", "dynamic_tools")
    elif outline.type == "compacted":
        return _without(line, inner, "replacement_history", "guardian_history")
    elif outline.type == "turn_context":
        fields = _fields(inner)
        return _without(line, inner, *(name for name in fields if name not in _OF_TURN))
    return line


def _stub(line: bytes, outline: _Line, inner: bytes) -> bytes:
    fields = _fields(inner)
    kept = {name: fields[name] for name in _KEPT if name in fields and len(bytes(fields[name])) <= _LONG}
    if "item" in fields:  # of an event: only which one, and how it ended
        item = _fields(bytes(fields["item"]))
        kept["item"] = msgspec.Raw(
            msgspec.json.encode({name: item[name] for name in ("type", "id", "status") if name in item})
        )
    if "result" in fields and _FAILED.search(bytes(fields["result"])):
        kept["success"] = msgspec.Raw(b"false")
    return stub(
        {"timestamp": outline.timestamp, "type": outline.type, "payload": msgspec.Raw(msgspec.json.encode(kept))},
        "bulk",
        len(line),
        hashlib.sha256(line).hexdigest(),
    )


def _without(line: bytes, inner: bytes, *names: str) -> bytes:
    """The line with these fields of its payload, where they are long, replaced by what they were."""
    fields = _fields(inner)
    found = [name for name in names if len(bytes(fields.get(name, b""))) > _LONG]
    if not found:
        return line
    for name in found:
        fields[name] = msgspec.Raw(jsonlines.encode(_dropped(bytes(fields[name]))))
    return line.replace(inner, msgspec.json.encode(fields), 1)


def _dropped(data: bytes) -> str:
    return f"[axm: dropped {len(data)} bytes sha256:{hashlib.sha256(data).hexdigest()[:32]}]"


def _without_images(line: bytes) -> bytes:
    try:
        value = jsonlines.parse(line)
    except ValueError:
        return line
    pending = [value]
    changed = False
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            for key, inner in node.items():
                if isinstance(inner, str) and len(inner) > _LONG and inner.startswith("data:image/"):
                    node[key] = _dropped(inner.encode("utf-8", "replace"))
                    changed = True
                elif isinstance(inner, (dict, list)):
                    pending.append(inner)
        elif isinstance(node, list):
            pending.extend(node)
    return jsonlines.encode(value) if changed else line
