"""OpenClaw: the plugin that `axm install` writes calls the hook with fields named as ours, and takes a flat answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from axiommind.surfaces.hooks.dialects._calls import AFTER_TOOL, Heard, in_our_words, words

__all__ = ["NAMES", "hear", "say"]

NAMES = {event: event for event in ("SessionStart", "UserPromptSubmit", AFTER_TOOL, "Stop", "SessionEnd", "PreCompact")}
_EDITS = frozenset(["edit", "write", "apply_patch"])
_RUNS = frozenset(["exec", "bash"])


def hear(event: str, given: Mapping[str, Any]) -> Heard | None:
    return in_our_words(event, given, edits=_EDITS, runs=_RUNS, error=words(given.get("error")))


def say(_named: str, text: str) -> dict[str, Any]:
    return {"additionalContext": text}
