"""The events that hooks are called for: one file each, and the folder is the registry.

A file offers `EVENT`, which declares it, and `answer(call)`. `PreToolUse` is in `pre_tool_use.py`. Nothing else names
an event: `axm install` and the plugin's `hooks.json` are made of what is declared here. A switch in the settings
(`hooks.pre_tool_use`) is optional; an event without one is on.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # a hook imports this before anything else, and typing takes longer
if TYPE_CHECKING:
    from typing import Protocol

    from axiommind.surfaces.hooks.answers import HookAnswer, HookEvent
    from axiommind.surfaces.hooks.call import HookCall

    class EventModule(Protocol):
        """What a module in this folder offers."""

        EVENT: HookEvent

        def answer(self, call: HookCall) -> HookAnswer: ...


__all__ = ["all_events", "find", "module_name"]


def module_name(event: str) -> str | None:
    """The module that an event would be in; None where its name is none that a client would use."""
    if not event.isascii() or not event.isalpha() or len(event) > 40:
        return None
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in event).lstrip("_")


def find(event: str) -> EventModule | None:
    """The module of an event; None where there is none."""
    name = module_name(event)
    if not name:
        return None
    try:
        found: EventModule = import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name == f"{__name__}.{name}":
            return None
        raise
    return found if found.EVENT.name == event else None


def all_events() -> list[HookEvent]:
    """Every event that there is, in their order."""
    from axiommind.registry import Registry

    registry: Registry[EventModule] = Registry(__name__, requires=("EVENT", "answer"))
    modules = (registry.find(name) for name in registry.own())
    return sorted((module.EVENT for module in modules if module is not None), key=lambda event: event.order)
