"""Which bytes of a Claude Code transcript are bulk: images, copies of requests, files as they were before an edit.

What is dropped leaves a stub with its size and hash, so line N of what is kept is line N of the file.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from axiommind.sources.claude_code.lines import BULK_TYPES
from axiommind.sources.claude_code.relayed import thinned
from axiommind.sources.jsonl import stub
from axiommind.text import jsonlines

__all__ = ["prune"]

# Vendor text rendered for the model, not said by anyone in the session.
_BULK_ATTACHMENTS = {
    "prompt_snapshot",
    "skill_listing",
    "agent_listing_delta",
    "deferred_tools_delta",
    "mcp_instructions_delta",
    "environment",
    "model",
    "session_context",
    "invoked_skills",
    "command_permissions",
}
# Parts of `toolUseResult` that repeat the tool's input or its `tool_result`, or a whole file as it was before.
_BULK_RESULT_KEYS = {
    "stdout",
    "stderr",
    "content",
    "originalFile",
    "structuredPatch",
    "oldString",
    "newString",
    "base64",
    "output",
    "result",
    "prompt",
    "edits",
}
_BULK_SIZE = 2048
_LARGE_LINE = 8192
_DEPTH = 8
_IMAGE = b'"base64"'
_RESULT = b'"toolUseResult":'


class _Outline(msgspec.Struct):
    """Enough of a line to decide; everything else is skipped over, not built."""

    type: Any = None
    uuid: Any = None
    timestamp: Any = None
    attachment: msgspec.Raw = msgspec.Raw(b"")
    data: msgspec.Raw = msgspec.Raw(b"")
    toolUseResult: msgspec.Raw = msgspec.Raw(b"")  # noqa: N815 - the client's name


class _Kind(msgspec.Struct):
    type: Any = None


_outline = msgspec.json.Decoder(_Outline).decode
_kind = msgspec.json.Decoder(_Kind).decode
_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def prune(line: bytes) -> bytes:
    if len(line) < 512:
        return line
    try:
        outline = _outline(line)
        if outline.type in BULK_TYPES:
            return _without_images(thinned(line) or _stub(line, outline, bytes(outline.data)))
        if outline.type == "attachment":
            inner = bytes(outline.attachment)
            kind = _kind(inner).type if inner else None
            if kind in _BULK_ATTACHMENTS or (len(line) > _LARGE_LINE and kind != "queued_command"):
                return _stub(line, outline, inner)
        if outline.type == "file-history-snapshot" and len(line) > _LARGE_LINE:
            return _stub(line, outline, b"")
        result = bytes(outline.toolUseResult)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, TypeError):
        return line
    if len(result) > _BULK_SIZE:
        line = _with_thin_result(line, result)
    return _without_images(line)


def _with_thin_result(line: bytes, result: bytes) -> bytes:
    """The line with its `toolUseResult` replaced. The name in quotes cannot occur inside a string, where the quotes
    would be escaped, so the first place where name and value fit is the right one."""
    try:
        thin = _thin(result, 0)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return line
    at = line.find(_RESULT)
    start = at + len(_RESULT)
    if at >= 0 and line.startswith(result, start):
        return line[:start] + thin + line[start + len(result) :]
    return line.replace(result, thin, 1)


def _stub(line: bytes, outline: _Outline, inner: bytes) -> bytes:
    keep: dict[str, object] = {"type": outline.type}
    if inner:
        keep["kind"] = _kind(inner).type
    for name in ("uuid", "timestamp"):
        if isinstance(value := getattr(outline, name), str):
            keep[name] = value
    return stub(keep, "bulk", len(line), hashlib.sha256(line).hexdigest())


def _thin(value: bytes, depth: int) -> bytes:
    """A JSON value without the long parts under bulk keys; what stays is copied as it is, not decoded."""
    if depth > _DEPTH or len(value) <= _BULK_SIZE or not value.startswith(b"{"):
        return value
    fields = _fields(value)
    for key, raw in fields.items():
        part = bytes(raw)
        if len(part) > _BULK_SIZE:
            fields[key] = msgspec.Raw(
                jsonlines.encode(_dropped(part)) if key in _BULK_RESULT_KEYS else _thin(part, depth + 1)
            )
    return msgspec.json.encode(fields)


def _dropped(data: bytes) -> str:
    return f"[axm: dropped {len(data)} bytes sha256:{hashlib.sha256(data).hexdigest()[:32]}]"


def _without_images(line: bytes) -> bytes:
    if _IMAGE not in line:
        return line
    try:
        value = jsonlines.parse(line)
    except ValueError:
        return line
    pending = [value]
    changed = False
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            if node.get("type") == "base64" and isinstance(data := node.get("data"), str) and len(data) > 256:
                node["data"] = _dropped(data.encode("utf-8", "replace"))
                changed = True
            pending.extend(node.values())
        elif isinstance(node, list):
            pending.extend(node)
    return jsonlines.encode(value) if changed else line
