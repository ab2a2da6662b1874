"""Wiring the memory into an agent. One module per agent, and the folder is the registry.

What an agent's own files hold beside our entries is never lost: everything is planned before anything is written, a
backup is kept in our home, and `uninstall` gives back the bytes that were there.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from axiommind.config import Config
from axiommind.errors import NotFound
from axiommind.registry import Registry

if TYPE_CHECKING:
    from axiommind.health.check import Check

__all__ = ["Agent", "AskedAgent", "Machine", "Wishes", "agents", "asked", "found", "load", "say"]


class Machine(NamedTuple):
    """The machine to install on: our home, the environment, the user's folder and the current one."""

    config: Config
    environ: Mapping[str, str]
    user: Path
    cwd: Path


class Wishes(NamedTuple):
    """What the user asked for. Without a scope, `uninstall` means every scope."""

    scope: str | None = None
    plugin: bool = False
    mcp: bool = True
    only_print: bool = False


class Agent(Protocol):
    """What a module in this folder offers."""

    TITLE: str

    def found(self, machine: Machine) -> bool: ...

    def install(self, machine: Machine, wishes: Wishes) -> int: ...

    def uninstall(self, machine: Machine, wishes: Wishes) -> int: ...

    def checks(self, config: Config, environ: Mapping[str, str], user: Path) -> list[Check]: ...


class AskedAgent(Agent, Protocol):
    """One that can also be asked to distil sessions."""

    MODEL: str  # the provider of `llm/` that asks it
    PROGRAM: str  # how it is asked, as people know it


_REGISTRY: Registry[Agent] = Registry(__name__, requires=("TITLE", "found", "install", "uninstall", "checks"))


def agents() -> list[str]:
    """Their names as the command line writes them: `claude-code`."""
    return _REGISTRY.own()


def load(name: str) -> Agent:
    found = _REGISTRY.find(name)
    if found is None:
        raise NotFound(f"there is no agent {name!r}", hint=f"one of: {', '.join(agents())}")
    return found


def found(machine: Machine) -> list[str]:
    """The agents that are on this machine."""
    return [name for name in agents() if load(name).found(machine)]


def asked(names: list[str]) -> AskedAgent | None:
    """The first of these agents that can be asked to distil sessions."""
    return next((cast(AskedAgent, load(name)) for name in names if hasattr(load(name), "MODEL")), None)


def say(text: str) -> None:
    """Tell the user what was done, beside what is printed for programs."""
    from axiommind.surfaces.render.tables import printable

    sys.stderr.write(printable(text) + "\n")
