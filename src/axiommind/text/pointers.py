"""Places in a record: JSON pointers, which also lead into JSON that a record holds as a text.

Some agents write the input of a tool as a text that is JSON itself. The step `~2`, which RFC 6901 leaves free, means
that the text found so far is read as JSON, so that what a tool was given can be quoted where it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from axiommind.text import jsonlines

__all__ = ["INSIDE", "leaves", "text_at", "under"]

INSIDE = "/~2"
_DEPTH = 16  # deeper texts are nobody's words


def under(pointer: str, key: object) -> str:
    """The place of a field, or of an element, below another place."""
    return f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}"


def leaves(value: Any, pointer: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Every text in a value, each with its place."""
    if isinstance(value, str):
        yield pointer, value
    elif depth < _DEPTH and isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, under(pointer, key), depth + 1)
    elif depth < _DEPTH and isinstance(value, list):
        for i, inner in enumerate(value):
            yield from leaves(inner, f"{pointer}/{i}", depth + 1)


def text_at(record: bytes, pointer: str) -> str | None:
    """The decoded text at a place of a line; None when there is no text."""
    try:
        value = jsonlines.parse(record)
        for part in pointer.split("/")[1:]:
            value = _step(value, part)
    except (ValueError, LookupError, TypeError):
        return None
    return value if isinstance(value, str) else None


def _step(value: Any, part: str) -> Any:
    if part == "~2":
        return jsonlines.parse(value.encode()) if isinstance(value, str) else None
    key = part.replace("~1", "/").replace("~0", "~")
    if isinstance(value, list):
        return value[int(key)] if key.isdecimal() else None
    return value[key] if isinstance(value, dict) else None
