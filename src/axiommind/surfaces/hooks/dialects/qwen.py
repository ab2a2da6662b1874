"""Qwen Code: Claude Code's events and shape, Gemini's tools. Its prompt hook is also called after every tool's result,
with an empty prompt; that asks for nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from axiommind.surfaces.hooks.dialects._calls import (
    AFTER_TOOL,
    Heard,
    after_tool,
    beginning,
    nested,
    prompt,
    told,
    words,
)

__all__ = ["NAMES", "hear", "say"]

_FAILURE = "PostToolUseFailure"
NAMES = {
    event: event
    for event in ("SessionStart", "UserPromptSubmit", AFTER_TOOL, _FAILURE, "Stop", "SessionEnd", "PreCompact")
}
_EDITS = frozenset({"edit", "write_file", "Edit", "Write", "WriteFile"})
_RUNS = frozenset({"run_shell_command", "Bash", "Shell"})
_ADDED = "<qwen:user-prompt-submit-context>"


def hear(event: str, given: Mapping[str, Any]) -> Heard | None:
    if event == "SessionStart":
        return beginning(given)
    if event == "UserPromptSubmit":
        own = words(given.get("prompt")).partition(_ADDED)[0]
        return prompt(given, own)
    if event in (AFTER_TOOL, _FAILURE):
        if given.get("is_interrupt") is True:
            return None
        tool, tool_input = given.get("tool_name"), given.get("tool_input")
        error = words(given.get("error")) if event == _FAILURE else ""
        return after_tool(given, tool, tool_input, error, edits=_EDITS, runs=_RUNS)
    return Heard(event, told(given))


def say(named: str, text: str) -> dict[str, Any]:
    return nested(named, text)
