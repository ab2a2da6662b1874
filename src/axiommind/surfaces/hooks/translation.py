"""A call of a client that is not Claude Code, in the words of our events, and an answer in the client's.

Only such a call loads this and the one dialect it needs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from axiommind.surfaces.hooks import dialects
from axiommind.surfaces.hooks.answers import HookAnswer, silent

__all__ = ["Translated", "spoken", "translated"]

_ALSO_RUNS_OTHERS = "cursor"  # a client that runs the hooks of another one too, so nobody named it


class Translated(NamedTuple):
    """A call as our events know it; `named`: as its client calls the event."""

    agent: str
    event: str
    named: str
    given: Mapping[str, Any]


def translated(given: Mapping[str, Any], agent: str, event: str, home: Path | None) -> Translated | HookAnswer:
    """The call, or why it is none of ours."""
    agent = agent or _ALSO_RUNS_OTHERS
    dialect = dialects.find(agent)
    if dialect is None:
        return HookAnswer("error", "there is no such agent")
    ours = {name.casefold(): event for event, name in dialect.NAMES.items()}
    said = given.get("hook_event_name")
    if isinstance(said, str):
        meant = ours.get(said.casefold(), "")
        if event and meant != event and agent != _ALSO_RUNS_OTHERS:
            from axiommind.surfaces.hooks.record import mismatch

            return HookAnswer("error", mismatch(event, said))
        event = meant
    if event not in dialect.NAMES:
        return silent("this event of the client is not answered")
    heard = dialect.hear(event, given)
    if heard is None:
        return silent("nothing of ours happened")
    session = heard.given.get("session_id")
    if heard.event in getattr(dialect, "ONCE", ()) and home is not None and isinstance(session, str):
        from axiommind.surfaces.hooks.record import claim, session_name

        if not claim(home, f"{session_name(session, home)}-{heard.event}"):
            return silent("another hook of the client is told it")
    return Translated(agent, heard.event, dialect.NAMES[event], heard.given)


def spoken(agent: str, named: str, text: str) -> bytes:
    """A text for the agent as its client takes it."""
    dialect = dialects.find(agent)
    if dialect is None:
        return b""
    return json.dumps(dialect.say(named, text), ensure_ascii=False).encode("utf-8", "replace")
