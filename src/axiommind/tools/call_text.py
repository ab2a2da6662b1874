"""What a tool call says, as one text: the command or the file, what was written, and how it ended.

The index holds this text as terms and a hit shows it, so both come from here. It depends on its arguments alone.
Long values keep their beginning and their end: a patch is recognised by either, its middle is the file's.
"""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["ERROR_CHARS", "excerpt", "has_output", "is_ours", "tool_text"]

# Characters of a value, and of a result, that are searchable.
VALUE_CHARS = 1200
OUTPUT_CHARS = 800
ERROR_CHARS = 1000
# A text over its limit keeps this share at its end; the rest is its beginning.
_TAIL_SHARE = 0.4
_JOINT = "\n…\n"
_DEPTH = 6
# What these return is a file, a list of paths, a list of commits, or an acknowledgement: nothing of the session's own.
_SILENT_LIST = """
Read NotebookRead Edit MultiEdit Write NotebookEdit Glob Grep LS TodoWrite TodoRead TaskCreate TaskUpdate TaskList
TaskGet TaskStop Skill ToolSearch EnterPlanMode KillShell Bash:git
"""
_SILENT = frozenset(_SILENT_LIST.split())
# First of a call's values, and the one that names it.
_NAMING = ("command", "file_path", "notebook_path", "path", "url", "query", "pattern", "description", "subject")
# Written by the client or repeated from the file: no words of the call's own.
_DULL_LIST = "old_string status taskId subagent_type model run_in_background type mode output_mode"
_DULL = frozenset(_DULL_LIST.split())
_OURS = re.compile(r"mcp__(?:plugin_)?(?:axiommind|axm|memory_axiommind)")
_OUR_COMMAND = re.compile(r"""(?:^|[|;&(`"'\s/])(?:axm|suggest-workflow)["']?\s|\s-m\s+axiommind\b""")


def tool_text(name: str, input_json: str | None, error: str | None, output: str | None) -> str:
    """The searchable text of a tool call."""
    lines = [name] if name.startswith("mcp__") else []
    lines += _values(_fields(input_json))
    if error:
        lines.append(excerpt(error, ERROR_CHARS))
    elif output:
        lines.append(output)
    return "\n".join(lines)


def has_output(name: str, classified: str, given: Any) -> bool:
    """Whether what this call returns is worth searching. What it reads from our own memory was said elsewhere, and must
    not be found again here."""
    return name not in _SILENT and classified not in _SILENT and not is_ours(name, given)


def is_ours(name: str, given: Any) -> bool:
    """Whether a call asked our own memory, by its server or by its command: what is said in it is said twice."""
    if _OURS.match(name):
        return True
    fields = _fields(given) if isinstance(given, str) else given
    command = fields.get("command") if isinstance(fields, dict) else None
    return isinstance(command, str) and _OUR_COMMAND.search(command) is not None


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


def _fields(input_json: str | None) -> Any:
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
