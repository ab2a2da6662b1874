"""Claude Code's entries: its hooks, one for each event that there is, and the MCP server."""

from __future__ import annotations

from axiommind.surfaces.hooks.answers import HookEvent
from axiommind.surfaces.hooks.events import all_events
from axiommind.surfaces.install._entries import (
    Wanted,
    group_of,
    our_hooks,
    our_server,
    with_hooks,
    with_server,
    without_hooks,
    without_server,
)
from axiommind.surfaces.install._files import Json

__all__ = ["has_ours", "hook_group", "with_our_hooks", "with_our_server", "without_ours"]


def has_ours(data: Json) -> bool:
    return bool(our_hooks(data)) or our_server(data) is not None


def with_our_hooks(data: Json, program: tuple[str, ...]) -> Json:
    return with_hooks(data, [_wanted(event, program) for event in all_events()])


def with_our_server(data: Json, program: tuple[str, ...]) -> Json:
    return with_server(data, {"command": program[0], "args": [*program[1:], "mcp"]})


def without_ours(data: Json, before: Json | None) -> Json:
    """A file without our entries. What is empty without them goes too, unless it was there before us."""
    return without_server(without_hooks(data, before), before)


def hook_group(event: HookEvent, program: tuple[str, ...]) -> Json:
    """The entry of an event, where there is none yet."""
    return group_of(_wanted(event, program))


def _wanted(event: HookEvent, program: tuple[str, ...]) -> Wanted:
    """The client starts the program itself: no shell."""
    handler = {"type": "command", "command": program[0], "args": [*program[1:], event.name]}
    return Wanted(event.name, handler, {"timeout": event.seconds}, event.matcher)
