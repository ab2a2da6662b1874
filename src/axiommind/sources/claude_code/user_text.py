"""Which text of a `user` line a person typed, and which the client, an editor or a hook put there."""

from __future__ import annotations

import re

__all__ = ["INJECTED", "NOT_A_PROMPT", "REAL_SOURCES", "REMINDER", "tagged", "without_injected"]

REAL_SOURCES = {"typed", "queued", "sdk"}
# Texts that the client or a hook wrote into a `user` line (FACTS 1.6), for files without stamps.
NOT_A_PROMPT = (
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<local-command-caveat>",
    "Caveat:",
    "<task-notification>",
    "[Request interrupted by user",
    "Stop hook feedback:",
    "This session is being continued",
    "<session-start-hook>",
    "<tick>",
    "<goal>",
    "[Image: source:",
    "<bash-stdout>",
    "<bash-stderr>",
)
INJECTED = re.compile(r"\s*<(system-reminder|ide_opened_file|ide_selection|ide_diagnostics)>.*?</\1>", re.DOTALL)
REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)
_TAG = {
    name: re.compile(rf"<{name}>(.*?)</{name}>", re.DOTALL)
    for name in ("command-name", "command-message", "command-args", "bash-input")
}


def without_injected(text: str) -> str:
    """What the person typed: without what the editor put in front of it and what the client put anywhere."""
    while match := INJECTED.match(text):
        text = text[match.end() :]
    return REMINDER.sub("", text).strip()


def tagged(text: str, name: str) -> str:
    """What stands between the tags of this name; empty where there are none."""
    match = _TAG[name].search(text)
    return match.group(1) if match else ""
