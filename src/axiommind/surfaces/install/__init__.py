"""Wiring the memory into an agent. One module per agent, and the folder is the registry.

What an agent's own files hold beside our entries is never lost: everything is planned before anything is written, a
backup is kept in our home, and `uninstall` gives back the bytes that were there.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from axiommind.config import Config
from axiommind.errors import NotFound
from axiommind.registry import Registry

if TYPE_CHECKING:
    from axiommind.health.check import Check

__all__ = ["Agent", "Machine", "Wishes", "agents", "load", "say"]


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
    MODEL: str  # the provider of `llm/` that asks this agent
    PROGRAM: str  # how it is asked, as people know it

    def install(self, machine: Machine, wishes: Wishes) -> int: ...

    def uninstall(self, machine: Machine, wishes: Wishes) -> int: ...

    def checks(self, config: Config, environ: Mapping[str, str], user: Path) -> list[Check]: ...


_REGISTRY: Registry[Agent] = Registry(
    __name__, requires=("TITLE", "MODEL", "PROGRAM", "install", "uninstall", "checks")
)


def agents() -> list[str]:
    """Their names as the command line writes them: `claude-code`."""
    return _REGISTRY.own()


def load(name: str) -> Agent:
    found = _REGISTRY.find(name)
    if found is None:
        raise NotFound(f"there is no agent {name!r}", hint=f"one of: {', '.join(agents())}")
    return found


def say(text: str) -> None:
    """Tell the user what was done, beside what is printed for programs."""
    from axiommind.surfaces.render.tables import printable

    sys.stderr.write(printable(text) + "\n")
