"""Fields of a rollout's records, whatever a line holds there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from axiommind.sources.codex.record_types import FIRST_ITEMS
from axiommind.sources.line_reader import Tokens
from axiommind.sources.values import whole_number
from axiommind.text import jsonlines

__all__ = ["as_dict", "inside", "of_first_versions", "tokens_of"]


def of_first_versions(record: Mapping[str, Any]) -> str | None:
    """What a line is that is an item itself, as in the versions before July 2025."""
    if record.get("type") in FIRST_ITEMS:
        return "response_item"
    if "record_type" in record:
        return "state"
    return "session_meta" if "type" not in record and "id" in record and "timestamp" in record else None


def inside(value: Mapping[str, Any], field: str) -> dict[str, Any]:
    found = value.get(field)
    return found if isinstance(found, dict) else {}


def as_dict(text: str) -> dict[str, Any]:
    try:
        value = jsonlines.parse(text.encode())
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def tokens_of(usage: Mapping[str, Any]) -> Tokens:
    names = ("input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens")
    given, cached, written, output = (whole_number(usage.get(name)) or 0 for name in names)
    return max(given - cached - written, 0), output, written, cached
