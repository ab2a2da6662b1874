"""Copilot CLI: camel case, no name of the event in the call, and a flat answer; it drops any other.

A shell command that failed is a success whose text says `completed with exit code 1`; postToolUseFailure is called when
a tool itself refuses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from axiommind.surfaces.hooks.dialects._calls import (
    AFTER_TOOL,
    Heard,
    after_tool,
    beginning,
    number_after,
    prompt,
    told,
    words,
)

__all__ = ["NAMES", "hear", "say"]

NAMES = {
    "SessionStart": "sessionStart",
    "UserPromptSubmit": "userPromptSubmitted",
    AFTER_TOOL: "postToolUse",
    "Stop": "agentStop",
    "SessionEnd": "sessionEnd",
    "PreCompact": "preCompact",
}
_SESSION = "sessionId"
_EDITS = frozenset({"create", "edit", "str_replace", "apply_patch"})
_RUNS = frozenset({"bash", "powershell", "shell"})


def hear(event: str, given: Mapping[str, Any]) -> Heard | None:
    if event == "SessionStart":
        return beginning(given, _SESSION)
    if event == "UserPromptSubmit":
        return prompt(given, given.get("prompt"), _SESSION)
    if event == AFTER_TOOL:
        tool, taken = given.get("toolName"), given.get("toolArgs")
        return after_tool(given, tool, taken, _error(given), edits=_EDITS, runs=_RUNS, session=_SESSION)
    return Heard(event, told(given, _SESSION))


def say(_named: str, text: str) -> dict[str, Any]:
    return {"additionalContext": text}


def _error(given: Mapping[str, Any]) -> str:
    result = given.get("toolResult")
    if not isinstance(result, dict):
        return ""
    text = words(result.get("textResultForLlm"))
    is_failed = bool(number_after(text, "completed with exit code ")) or result.get("resultType") == "failure"
    return text if is_failed else ""
