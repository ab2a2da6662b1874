"""Droid: Claude Code's events and shape, with tools of its own. It calls no hook when a command fails, and the one of a
prompt only in a terminal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from axiommind.surfaces.hooks.dialects._calls import AFTER_TOOL, Heard, in_our_words, nested

__all__ = ["NAMES", "hear", "say"]

NAMES = {event: event for event in ("SessionStart", "UserPromptSubmit", AFTER_TOOL, "Stop", "SessionEnd", "PreCompact")}
_EDITS = frozenset({"Create", "Edit", "MultiEdit", "ApplyPatch"})


def hear(event: str, given: Mapping[str, Any]) -> Heard | None:
    return in_our_words(event, given, edits=_EDITS, runs=frozenset())


def say(named: str, text: str) -> dict[str, Any]:
    return nested(named, text)
