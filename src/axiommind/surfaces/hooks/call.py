"""What a client told a hook, and how a text is made ready for it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.config import Config
from axiommind.surfaces.hooks.answers import HookAnswer, ServedItem, silent
from axiommind.surfaces.hooks.record import ServedBefore, served_before

if TYPE_CHECKING:
    import sqlite3

    from axiommind.memory import Memory
    from axiommind.recall.packet import Packet

__all__ = ["HookCall", "answer_with", "fenced_for"]


class HookCall(NamedTuple):
    event: str
    session: str
    given: Mapping[str, Any]
    config: Config
    environ: Mapping[str, str]
    now: int  # epoch ms

    def text(self, name: str) -> str:
        """A field that should be a text; anything else is none."""
        value = self.given.get(name)
        return value if isinstance(value, str) else ""

    def table(self, name: str) -> Mapping[str, Any]:
        value = self.given.get(name)
        return value if isinstance(value, dict) else {}

    @property
    def folder(self) -> str:
        """Where the session works, as far as anybody says."""
        return self.text("cwd") or self.environ.get("CLAUDE_PROJECT_DIR") or "/"

    def served(self) -> ServedBefore:
        """What this session was given before."""
        return served_before(self.config.home, self.session)

    def memory(self) -> Memory:
        from axiommind.memory import Memory

        return Memory(self.config, environ=self.environ, user=_user(self.environ))

    @contextlib.contextmanager
    def reading(self) -> Iterator[tuple[sqlite3.Connection, str | None]]:
        """The index, ready to be searched, in one state of it; and the project that the session works in. Refuses an
        index that another version of the program made."""
        from axiommind.search.rows import index_version

        recall = self.memory().recall
        with recall.telling() as reader:
            index_version(reader.db)
            yield reader.db, recall.project_of(reader.db, self.folder)

    def wanted(self, db: sqlite3.Connection, packet: Packet | None, project: str | None) -> Packet | None:
        """A packet without what was called not useful at such a moment, or is never used."""
        if packet is None:
            return None
        from axiommind.recall.packets.wanted import wanted

        return wanted(db, self.event, packet, session=self.session or None, project=project)


def answer_with(call: HookCall, packet: Packet | None, budget: int, project: str | None, about: str = "") -> HookAnswer:
    """A packet as the agent reads it."""
    if packet is None or not packet.notes:
        return silent("nothing is known")
    from axiommind.surfaces.render.recall import packet_text, packet_within

    shown = packet_within(packet, budget)
    text = fenced_for(call, packet_text(shown))
    if not text:
        return silent("the budget is too small")
    items = tuple(ServedItem(note.shown_id, note.kind) for note in shown.notes)
    also = tuple(note.id for note in shown.notes if note.id != note.shown_id)
    return HookAnswer("served", "", text, items, project, about, also, message=_announced(call, shown))


def _announced(call: HookCall, packet: Packet) -> str:
    """What the person is told about it; nothing unless the settings want it for this event."""
    if call.event not in call.config.hooks.announce:
        return ""
    from axiommind.surfaces.render.recall import packet_announced

    return packet_announced(packet, call.config.home)


def fenced_for(call: HookCall, text: str) -> str:
    """A text for the agent as quoted history. Empty where there is none, and where the client would not take it whole:
    one character more than it takes, and it gives the model the name of a file instead."""
    from axiommind.recall.disclosure import MOST_CHARS, client_chars
    from axiommind.surfaces.render.fence import fenced

    text = fenced(text, call.config.home)
    return text if client_chars(text) <= MOST_CHARS else ""


def _user(environ: Mapping[str, str]) -> Path:
    """The person's own folder; where nobody knows it, the root of everything."""
    if environ.get("HOME"):
        return Path(environ["HOME"])
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")
