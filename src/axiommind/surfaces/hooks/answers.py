"""What a hook answers: the values that events return, that reach the client, and that are recorded."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["HookAnswer", "HookEvent", "ServedItem", "silent"]


class HookEvent(NamedTuple):
    """What an event's file declares of it. Installing it into a client's settings, the plugin's `hooks.json` and what
    becomes of its answers all follow from this."""

    name: str  # as the client calls it
    order: int  # among the others, wherever they are listed
    matcher: str | None = None  # for what the client calls it; None for everything
    seconds: int = 5  # after which the client gives up
    gives_context: bool = False  # whether its text may be added to the agent's context
    starts_index: bool = False  # whether it may start indexing in the background


class ServedItem(NamedTuple):
    """One memory that was served."""

    id: str
    kind: str
    score: float | None = None


class HookAnswer(NamedTuple):
    """What became of a call. Only `text` and `message` reach the client."""

    outcome: str  # served, silent, off, error, late
    why: str = ""
    text: str = ""
    items: tuple[ServedItem, ...] = ()
    project: str | None = None
    about: str = ""  # what it was served for, as a hash, where that may be served only once
    also: tuple[str, ...] = ()  # other names of what was served, and what was shown beside it
    afresh: bool = False  # what was served before has left the agent's context
    indexing: bool = False  # whether to index in the background
    learning: bool = False  # and to learn
    expanded: int = 0  # matches that were opened beside the index
    message: str = ""  # one line for the person, about what the agent was given

    @property
    def tokens(self) -> int:
        """Of the text as it is sent, the fence included."""
        from axiommind.text.estimate import estimate_tokens

        return estimate_tokens(self.text)


def silent(why: str) -> HookAnswer:
    return HookAnswer("silent", why)
