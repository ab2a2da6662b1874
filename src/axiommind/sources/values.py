"""Values of an agent's records, checked: times that are times, counts that are counts, and inputs no longer than the
index wants them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

__all__ = ["milliseconds", "short_json", "whole_number"]

_LONG_STRING = 8000  # of a tool input, in the index; the log has all of it

# What `speed` and `service_tier` say where an answer has another price than the standard one.

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def milliseconds(value: Any) -> int | None:
    """A time since the epoch; None where the value is no time."""
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=UTC)
            return (moment - _EPOCH) // _MILLISECOND
        except (ValueError, OverflowError):
            return None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 4e12:
        return int(value)
    return None


def whole_number(value: Any) -> int | None:
    """A count that JSON readers keep exactly, or None: a larger number is nobody's count."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else None


def short_json(value: Any) -> str:
    """A tool's input as JSON, with its long texts cut."""
    text = msgspec.json.encode(value).decode() if value is not None else "{}"
    if len(text) <= _LONG_STRING:
        return text
    return json.dumps(_short(value, 0), ensure_ascii=False, separators=(",", ":"))


def _short(value: Any, depth: int) -> Any:
    if isinstance(value, str) and len(value) > _LONG_STRING:
        return f"{value[:_LONG_STRING]}… [axm: {len(value) - _LONG_STRING} more characters in the transcript]"
    if depth < 16 and isinstance(value, dict):
        return {k: _short(v, depth + 1) for k, v in value.items()}
    if depth < 16 and isinstance(value, list):
        return [_short(v, depth + 1) for v in value]
    return value
