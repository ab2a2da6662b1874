"""Gemini CLI: its own names of events; an exit code in the text of a result; our words glued in front of a prompt.

Without a terminal, what a SessionStart added stands in front of the prompt that BeforeAgent gets, as `<hook_context>`.
PreCompress is called before every request to the model, so it is no sign of a compaction.
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
    number_after,
    prompt,
    told,
    words,
)

__all__ = ["NAMES", "hear", "say"]

NAMES = {
    "SessionStart": "SessionStart",
    "UserPromptSubmit": "BeforeAgent",
    AFTER_TOOL: "AfterTool",
    "Stop": "AfterAgent",
    "SessionEnd": "SessionEnd",
}
_EDITS = frozenset({"replace", "write_file"})
_RUNS = frozenset({"run_shell_command"})
_ADDED = ("<hook_context>", "</hook_context>")


def hear(event: str, given: Mapping[str, Any]) -> Heard | None:
    if event == "SessionStart":
        return beginning(given)
    if event == "UserPromptSubmit":
        return prompt(given, without_added(words(given.get("prompt"))))
    if event == AFTER_TOOL:
        tool, tool_input = given.get("tool_name"), given.get("tool_input")
        return after_tool(given, tool, tool_input, _error(given), edits=_EDITS, runs=_RUNS)
    return Heard(event, told(given))


def say(named: str, text: str) -> dict[str, Any]:
    return nested(named, text)


def without_added(text: str) -> str:
    """A prompt without what hooks added in front of it."""
    opening, closing = _ADDED
    while (text := text.lstrip()).startswith(opening):
        _, found, rest = text.partition(closing)
        if not found:
            return ""
        text = rest
    return text


def _error(given: Mapping[str, Any]) -> str:
    response = given.get("tool_response")
    if not isinstance(response, dict):
        return ""
    result = words(response.get("llmContent"))
    if number_after(result, "Exit Code:") or response.get("error"):
        return result or words(response.get("error"))
    return ""
