"""What a tool call says, as one text: the command or the file, what was written, and how it ended.

The index holds this text as terms and a hit shows it, so both come from here. It depends on its arguments alone.
Long values keep their beginning and their end: a patch is recognised by either, its middle is the file's.
"""

from __future__ import annotations

import json
from typing import Any

__all__ = ["ERROR_CHARS", "excerpt", "input_fields", "tool_text"]

# Characters of a value, and of a result, that are searchable.
VALUE_CHARS = 1200
OUTPUT_CHARS = 800
ERROR_CHARS = 1000
# A text over its limit keeps this share at its end; the rest is its beginning.
_TAIL_SHARE = 0.4
_JOINT = "\n…\n"
_DEPTH = 6
# First of a call's values, and the one that names it.
_NAMING = ("command", "file_path", "notebook_path", "path", "url", "query", "pattern", "description", "subject")
# Written by the client or repeated from the file: no words of the call's own.
_DULL_LIST = "old_string status taskId subagent_type model run_in_background type mode output_mode"
_DULL = frozenset(_DULL_LIST.split())


def tool_text(name: str, input_json: str | None, error: str | None, output: str | None) -> str:
    """The searchable text of a tool call."""
    lines = [name] if name.startswith("mcp__") else []
    lines += _values(input_fields(input_json))
    if error:
        lines.append(excerpt(error, ERROR_CHARS))
    elif output:
        lines.append(output)
    return "\n".join(lines)


def excerpt(text: str, limit: int = OUTPUT_CHARS) -> str:
    """The text, or when it is too long its beginning and its end, cut at line ends where there are any near."""
    if len(text) <= limit:
        return text
    tail = int(limit * _TAIL_SHARE)
    head = text[: limit - tail - len(_JOINT)]
    end = text[-tail:]
    if (cut := head.rfind("\n")) > len(head) // 2:
        head = head[:cut]
    if 0 <= (cut := end.find("\n")) < len(end) // 2:
        end = end[cut + 1 :]
    return f"{head}{_JOINT}{end}"


def input_fields(input_json: str | None) -> Any:
    """A call's input as the index holds it, parsed; what is not JSON stays a text."""
    try:
        return json.loads(input_json or "{}")
    except (ValueError, RecursionError):
        return input_json


def _values(value: Any) -> list[str]:
    """The texts of a call's input: the naming one first, then the others as they come."""
    if not isinstance(value, dict):
        return _texts(value, 0)
    first = [name for name in _NAMING if name in value]
    found: list[str] = []
    for name in (*first, *(n for n in value if n not in first)):
        if name not in _DULL:
            found += _texts(value[name], 1)
    return found


def _texts(value: Any, depth: int) -> list[str]:
    if isinstance(value, str):
        return [excerpt(value, VALUE_CHARS)] if value.strip() else []
    if depth < _DEPTH:
        if isinstance(value, dict):
            return [text for name, v in value.items() if name not in _DULL for text in _texts(v, depth + 1)]
        if isinstance(value, list):
            return [text for v in value for text in _texts(v, depth + 1)]
    return []
