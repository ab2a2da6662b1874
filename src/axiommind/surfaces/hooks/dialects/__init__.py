"""What each client says to a hook, and how it wants to be answered: one file a client, and the folder is the registry.

Claude Code's words are those of our own events, so it has no file here: `axm-hook EVENT` is called by it. Every other
client is wired with `axm-hook --agent NAME EVENT`, where EVENT is one of ours, or PostToolUse. A file offers

- `NAMES`: the events it can be wired for, by our names, and how the client calls them;
- `hear(event, given)`: the client's call in the words of our events, or None where nothing of ours happened;
- `say(named, text)`: an answer as this client takes it.

A hook imports one of them and nothing else from here, so they import little.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # a hook imports this, and typing takes longer
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol

    from axiommind.surfaces.hooks.dialects._calls import Heard

    class Dialect(Protocol):
        """What a module in this folder offers."""

        NAMES: Mapping[str, str]

        def hear(self, event: str, given: Mapping[str, Any]) -> Heard | None: ...

        def say(self, named: str, text: str) -> Mapping[str, Any]: ...


__all__ = ["all_dialects", "find"]


def find(agent: str) -> Dialect | None:
    """The dialect of an agent, by the name under which it is installed; None where there is none."""
    name = agent.replace("-", "_")
    if not (name.isascii() and name.isidentifier()) or name.startswith("_"):
        return None
    try:
        found: Dialect = import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name == f"{__name__}.{name}":
            return None
        raise
    return found


def all_dialects() -> list[str]:
    """The names of all agents that have one."""
    from axiommind.registry import Registry

    registry: Registry[Dialect] = Registry(__name__, requires=("NAMES", "hear", "say"))
    return registry.own()
