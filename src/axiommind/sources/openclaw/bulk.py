"""What of OpenClaw's entries is bulk: images, signatures of the vendor, and what repeats the call or its result."""

from __future__ import annotations

from typing import Any

from axiommind.sources.rendered import dropped
from axiommind.text import jsonlines

__all__ = ["prune"]

_SMALL = 2048
_LONG = 512
# Of the details of a result: what the text says too, or what the call said.
_REPEATED = ("aggregated", "diff", "patch", "output", "stdout", "stderr")
_OF_THE_VENDOR = ("textSignature", "thinkingSignature", "thoughtSignature", "data")


def prune(line: bytes) -> bytes:
    if len(line) < _SMALL:
        return line
    try:
        record = jsonlines.parse(line)
    except ValueError:
        return line
    if not isinstance(record, dict) or not _thinned(record):
        return line
    return jsonlines.encode(record)


def _thinned(record: dict[str, Any]) -> bool:
    """Cut what is long and of no use; whether there was any."""
    message, data = record.get("message"), record.get("data")
    if record.get("type") == "custom" and isinstance(data, dict):
        record["data"] = dropped(jsonlines.encode(data).decode("utf-8", "replace"))
        return True
    if not isinstance(message, dict):
        return False
    found = False
    content = message.get("content")
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict):
            found = _cut(part, _OF_THE_VENDOR) or found
    details = message.get("details")
    return (isinstance(details, dict) and _cut(details, _REPEATED)) or found


def _cut(values: dict[str, Any], names: tuple[str, ...]) -> bool:
    long = [name for name in names if isinstance(values.get(name), str) and len(values[name]) > _LONG]
    for name in long:
        values[name] = dropped(values[name])
    return bool(long)
