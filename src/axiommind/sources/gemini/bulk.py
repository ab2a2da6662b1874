"""Which bytes of a Gemini session are bulk: the history that a resume writes anew, results that stand there twice, what
the client shows of them, and images.

What is dropped leaves its size and hash, so line N of what is kept is line N of the file.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from axiommind.sources.gemini.projects import CONTEXT, workspaces_in
from axiommind.text import jsonlines

__all__ = ["SNAPSHOT", "prune"]

SNAPSHOT = "<state_snapshot>"  # in what the client wrote down when it ran out of room
_SMALL = 512
_BULK_SIZE = 256

_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_list = msgspec.json.Decoder(list[msgspec.Raw]).decode
_calls = msgspec.json.Decoder(list[dict[str, msgspec.Raw]]).decode


def prune(line: bytes) -> bytes:
    if len(line) < _SMALL:
        return line
    try:
        fields = _fields(line)
        if "$set" in fields:
            return _patched(fields)
        changed = _without_displays(fields) | _without_copies(fields)
        line = msgspec.json.encode(fields) if changed else line
        return _without_images(line) if b'"inlineData"' in line else line
    except (msgspec.DecodeError, ValueError, LookupError, RecursionError, TypeError):
        return line


def _dropped(data: bytes) -> str:
    return f"[axm: dropped {len(data)} bytes sha256:{hashlib.sha256(data).hexdigest()[:32]}]"


def _raw(value: Any) -> msgspec.Raw:
    return msgspec.Raw(jsonlines.encode(value))


def _patched(fields: dict[str, msgspec.Raw]) -> bytes:
    """A patch without the history in it: every message had a line of its own. Only a summary is new here, and where the
    session takes place."""
    inner = _fields(fields["$set"])
    messages = bytes(inner.get("messages", b""))
    if messages.startswith(b"["):
        kept = [one for one in _list(messages) if SNAPSHOT.encode() in bytes(one)]
        inner["messages"] = msgspec.Raw(msgspec.json.encode([*kept, _raw(_dropped(messages))]))
        if CONTEXT.encode() in messages:
            first = jsonlines.parse(bytes(_list(messages)[0]))["content"][0]["text"]
            inner.setdefault("directories", _raw(workspaces_in(first)))
        fields["$set"] = msgspec.Raw(msgspec.json.encode(inner))
    return msgspec.json.encode(fields)


def _without_displays(fields: dict[str, msgspec.Raw]) -> bool:
    calls = bytes(fields.get("toolCalls", b""))
    if b'"resultDisplay"' not in calls:
        return False
    changed = False
    found = _calls(calls)
    for call in found:
        display = bytes(call.get("resultDisplay", b""))
        if len(display) > _BULK_SIZE:
            call["resultDisplay"] = _raw(_dropped(display))
            changed = True
    fields["toolCalls"] = msgspec.Raw(msgspec.json.encode(found))
    return changed


def _without_copies(fields: dict[str, msgspec.Raw]) -> bool:
    """What was returned to the model stands with the calls."""
    content = bytes(fields.get("content", b""))
    if bytes(fields.get("type", b"")) != b'"user"' or not content.startswith(b"[") or len(content) <= _BULK_SIZE:
        return False
    parts = _calls(content)
    if not parts or any(set(part) != {"functionResponse"} for part in parts):
        return False
    fields["content"] = msgspec.Raw(b"[]")
    digest = hashlib.sha256(content).hexdigest()
    fields["axm"] = _raw({"dropped": "copy of results", "bytes": len(content), "sha256": digest})
    return True


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
