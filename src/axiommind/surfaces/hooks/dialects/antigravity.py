"""Antigravity: one hook before every request to the model. The first of a conversation is its start; no id is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from axiommind.surfaces.hooks.dialects._calls import Heard, beginning

__all__ = ["NAMES", "hear", "say"]

NAMES = {"SessionStart": "PreInvocation"}


def hear(event: str, given: Mapping[str, Any]) -> Heard | None:
    paths = given.get("workspacePaths")
    if event != "SessionStart" or given.get("invocationNum") != 1 or not isinstance(paths, list) or not paths:
        return None
    return beginning({"cwd": paths[0]})


def say(_named: str, text: str) -> dict[str, Any]:
    return {"injectSteps": [{"ephemeralMessage": text}]}
