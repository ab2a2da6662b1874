"""Which text of a `user` line a person typed, and which the client, an editor or a hook put there."""

from __future__ import annotations

import re

from axiommind.model import HEADLESS

__all__ = [
    "CONTINUED",
    "INJECTED",
    "NOT_A_PROMPT",
    "OF_ANOTHER_AGENT",
    "QUEUED",
    "REAL_SOURCES",
    "REFUSAL",
    "REMINDER",
    "is_program_text",
    "origin_of_prompt",
    "slash_command",
    "tagged",
    "without_injected",
]

# Where a prompt was found, besides the line that a person sent off.
QUEUED = "queued"  # typed while the agent was at work
REFUSAL = "refusal"  # written when refusing a call

# How a summary begins that takes the place of a conversation.
CONTINUED = "This session is being continued"
REAL_SOURCES = {"typed", "queued", "sdk"}
_COMMAND_LINE = "sdk-cli"  # the entrypoint of `claude -p`
# Texts that the client or a hook wrote into a `user` line (FACTS 1.6), for files without stamps.
NOT_A_PROMPT = (
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<local-command-caveat>",
    "Caveat:",
    "<task-notification>",
    "[Request interrupted by user",
    "Stop hook feedback:",
    CONTINUED,
    "<session-start-hook>",
    "<tick>",
    "<goal>",
    "[Image: source:",
    "<bash-stdout>",
    "<bash-stderr>",
)
# Another agent of the same team wrote it.
OF_ANOTHER_AGENT = "<teammate-message"
INJECTED = re.compile(r"\s*<(system-reminder|ide_opened_file|ide_selection|ide_diagnostics)>.*?</\1>", re.DOTALL)
REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)
# What the client queues for itself: a notice in a tag of its own, or a task as JSON.
_PROGRAM_TEXT = re.compile(r"<[a-z]+(?:-[a-z]+)+[ >]|<(?:tick|goal|channel)[ >]|\{\s*\"task_id\"")
_SLASH_COMMAND = re.compile(r"(/[A-Za-z][\w:.-]*)(?:\s+(.*))?\Z", re.DOTALL)
_TAG = {
    name: re.compile(rf"<{name}>(.*?)</{name}>", re.DOTALL)
    for name in ("command-name", "command-message", "command-args", "bash-input")
}


def origin_of_prompt(kind: object, source: str | None, entrypoint: object, uuid: str | None) -> str:
    """How a prompt got into a `user` line. What a command line was given (`claude -p`) may be anybody's words: scripts
    and other agents call it too. Programs with a window of their own pass on what somebody typed there."""
    if source == "sdk" and entrypoint == _COMMAND_LINE and kind != "human":
        return HEADLESS
    origin = source or (kind if isinstance(kind, str) else "unstamped")
    return "typed" if uuid is None and origin == QUEUED else origin


def without_injected(text: str) -> str:
    """What the person typed: without what the editor put in front of it and what the client put anywhere."""
    while match := INJECTED.match(text):
        text = text[match.end() :]
    return REMINDER.sub("", text).strip()


def tagged(text: str, name: str) -> str:
    """What stands between the tags of this name; empty where there are none."""
    match = _TAG[name].search(text)
    return match.group(1) if match else ""


def is_program_text(text: str) -> bool:
    """Whether the client queued this text for itself, and nobody typed it."""
    return text.startswith(NOT_A_PROMPT) or _PROGRAM_TEXT.match(text) is not None


def slash_command(text: str) -> tuple[str, str] | None:
    """The name and the arguments of a slash command as it is typed; None for any other text, such as a path."""
    match = _SLASH_COMMAND.match(text)
    return None if match is None else (match[1], (match[2] or "").strip())
