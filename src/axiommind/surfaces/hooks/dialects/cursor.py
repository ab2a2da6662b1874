"""Cursor: context is taken when a session starts and after a tool; a prompt cannot be added to.

Cursor also runs the hooks of Claude Code's settings. So its own have the same command, without an event, and whichever
of both is called is answered in this way: the call says that it is Cursor's (`cursor_version`), and of two calls for
one start the second is told nothing (`ONCE`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from axiommind.surfaces.hooks.dialects._calls import AFTER_TOOL, Heard, after_tool, beginning, number_after, told, words

__all__ = ["NAMES", "ONCE", "hear", "say"]

NAMES = {
    "SessionStart": "sessionStart",
    AFTER_TOOL: "postToolUse",
    "Stop": "stop",
    "SessionEnd": "sessionEnd",
    "PreCompact": "preCompact",
}
ONCE = frozenset({"SessionStart"})
_SESSION = "conversation_id"
_EDITS = frozenset({"Write", "StrReplace", "Edit", "MultiEdit", "ApplyPatch"})
_RUNS = frozenset({"Shell", "Bash"})


def hear(event: str, given: Mapping[str, Any]) -> Heard | None:
    roots = given.get("workspace_roots")
    cwd = given.get("cwd") or (roots[0] if isinstance(roots, list) and roots else None)
    given = {**given, "cwd": cwd, _SESSION: given.get(_SESSION) or given.get("session_id")}
    if event == "SessionStart":
        return beginning(given, _SESSION)
    if event == AFTER_TOOL:
        tool, taken = given.get("tool_name"), _parsed(given.get("tool_input"))
        return after_tool(given, tool, taken, _error(given), edits=_EDITS, runs=_RUNS, session=_SESSION)
    return Heard(event, told(given, _SESSION)) if event in NAMES else None


def say(_named: str, text: str) -> dict[str, Any]:
    return {"additional_context": text}


def _parsed(value: object) -> object:
    """A value that may have been sent as JSON in a text."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _error(given: Mapping[str, Any]) -> str:
    """What a shell command printed that ended with another exit code than 0."""
    result = _parsed(given.get("result_json") or given.get("tool_output"))
    if not isinstance(result, dict):
        return ""
    code = result.get("exitCode", result.get("exit_code"))
    text = "\n".join(filter(None, (words(result.get(name)) for name in ("output", "stdout", "stderr"))))
    failed = code if isinstance(code, int) else number_after(text, "Exit code: ")
    return text if failed else ""
