"""Codex: Claude Code's shape. Edits are patches, and a command that failed is told by what it printed.

A failed command comes as PostToolUse like any other, and its exit code is not in the call. So the words decide, and not
those of a command that only prints what others wrote. The answer has no key that Codex does not know: it drops those.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from axiommind.surfaces.hooks.dialects._calls import AFTER_TOOL, Heard, in_our_words, nested, words
from axiommind.text.patterns import lazy

__all__ = ["NAMES", "hear", "say"]

NAMES = {event: event for event in ("SessionStart", "UserPromptSubmit", AFTER_TOOL, "Stop", "SessionEnd", "PreCompact")}
_EDITS = frozenset({"apply_patch"})
_RUNS = frozenset({"Bash"})
_ERROR_CHARS = 20_000
_FAILED = lazy(
    r"^(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception)\b|^Traceback|\berror(?:\[\w+\])?: |^(?:fatal|panic|ERR!|npm ERR!|FAIL)"
    r"|command not found|No such file or directory|Permission denied|\b[1-9]\d* (?:failed|errors?)\b|\bFAILED\b",
    re.MULTILINE,
)
_PRINTING_LIST = "cat head tail sed nl less grep rg ag ack find ls tree jq awk git gh"
_PRINTING = frozenset(_PRINTING_LIST.split())


def hear(event: str, given: Mapping[str, Any]) -> Heard | None:
    error = _error(given) if event == AFTER_TOOL else ""
    return in_our_words(event, given, edits=_EDITS, runs=_RUNS, error=error)


def say(named: str, text: str) -> dict[str, Any]:
    return nested(named, text)


def _error(given: Mapping[str, Any]) -> str:
    """What a command printed, where that reads like an error."""
    if given.get("tool_name") not in _RUNS:
        return ""
    tool_input = given.get("tool_input")
    command = words(tool_input.get("command")) if isinstance(tool_input, dict) else ""
    program = command.split(None, 1)[0].rpartition("/")[2] if command.strip() else ""
    printed = words(given.get("tool_response"))[-_ERROR_CHARS:]
    return printed if program not in _PRINTING and _FAILED.search(printed) else ""
