"""Context: what tools, resources and prompts work with besides their arguments."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from axiommind.memory import Memory, Scope

__all__ = ["Context"]

T = TypeVar("T")


class Context:
    """The memory to ask, the project the client works in, and state that lasts as long as the server."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.is_shared = False  # whether several clients use this server, as over HTTP
        self._kept: dict[Any, Any] = {}

    @property
    def folder(self) -> str | None:
        """The folder the client works in."""
        return os.environ.get("CLAUDE_PROJECT_DIR") or None

    def scope(self, project: str | None) -> Scope:
        """The named project; `all` means every project; without a name, the one the client works in."""
        if project == "all":
            return self.memory.scope(all_projects=True)
        return self.memory.scope(project=project, cwd=os.environ.get("CLAUDE_PROJECT_DIR"))

    def keep(self, make: Callable[[Context], T]) -> T:
        """What `make` made for this server, the same object each time."""
        if make not in self._kept:
            self._kept.setdefault(make, make(self))
        return cast(T, self._kept[make])

    def clean(self, value: T) -> T:
        """The value with every text in it fit for an agent: only what a reader sees, and no known secret."""
        from axiommind.surfaces.render.fence import clean

        home = self.memory.config.home
        return cast(T, _with_texts(value, lambda text: clean(text, home)))

    def redact(self, value: T) -> T:
        """The value without secrets that are known by now: an older version may have stored some."""
        from axiommind.surfaces.render.fence import redacted

        home = self.memory.config.home
        return cast(T, _with_texts(value, lambda text: redacted(text, home, keep_lines=True)))

    def fence(self, text: str) -> str:
        """The text marked as quoted history."""
        from axiommind.surfaces.render.fence import fenced

        return fenced(text, self.memory.config.home)


def _with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """The same value with every text in it changed, except the names of fields."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {name: _with_texts(one, change) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_with_texts(one, change) for one in value]
    return value
