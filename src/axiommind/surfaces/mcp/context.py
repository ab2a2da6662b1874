"""Context: what tools, resources and prompts work with besides their arguments."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from axiommind.memory import Memory, Scope
    from axiommind.surfaces.mcp.elicitation import Ask

__all__ = ["Context"]

T = TypeVar("T")
# How the person is asked while this call is answered; None where the client cannot ask.
_asking: ContextVar[Ask | None] = ContextVar("asking", default=None)


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

    @contextmanager
    def asking(self, ask: Ask | None) -> Iterator[None]:
        """While a call is answered: how its person is asked."""
        token = _asking.set(ask)
        try:
            yield
        finally:
            _asking.reset(token)

    def ask_person(self, request: Callable[[], T]) -> T:
        """Make a request that counts only from a person. Where the client can ask, the person decides at once; else it
        waits as a proposal (`NeedsPerson`)."""
        from axiommind.callers import Caller
        from axiommind.errors import BadQuery, NeedsPerson

        try:
            return request()
        except NeedsPerson as needed:
            ask = _asking.get()
            shown = self.memory.proposals.show(needed.proposal)
            why = f" Its reason: {shown.args['reason']}" if shown.args.get("reason") else ""
            question = self.clean(f"The agent asks to {needed.what}.{why}")
            said = None if ask is None else ask(needed.proposal, question)
            if said is None:
                raise
            person = Caller.person("asked through the MCP client")
            if not said:
                self.memory.proposals.decline(needed.proposal, caller=person)
                raise BadQuery(f"the person declined: {needed.what}", hint="do not ask again") from None
            return cast(T, self.memory.proposals.confirm(needed.proposal, caller=person).result)

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
