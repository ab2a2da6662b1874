"""What a client told a hook, and what it is answered."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.config import Config
from axiommind.surfaces.hooks import _record

if TYPE_CHECKING:
    import sqlite3

    from axiommind.memory import Memory
    from axiommind.recall.disclosure import Packet

__all__ = ["MOST_CHARS", "Answer", "Call", "Item", "about_packet", "silent", "within"]

MOST_CHARS = 10_000  # one more, and the client gives the model a file's name instead
_LEAST_TOKENS = 20


class Item(NamedTuple):
    """One memory that was served."""

    id: str
    kind: str
    score: float | None = None


class Answer(NamedTuple):
    """What became of a call. Only `text` reaches the client."""

    outcome: str  # served, silent, off, error
    why: str = ""
    text: str = ""
    items: tuple[Item, ...] = ()
    project: str | None = None
    about: str = ""  # what it was served for, as a hash, where that may be served only once
    also: tuple[str, ...] = ()  # other names of what was served, and what was shown beside it
    afresh: bool = False  # what was served before has left the agent's context
    indexing: bool = False  # whether to index in the background
    learning: bool = False  # and to learn

    @property
    def tokens(self) -> int:
        return -(-len(self.text) // 4)


class Call(NamedTuple):
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

    def served(self) -> _record.Served:
        """What this session was given before."""
        return _record.served(self.config.home, self.session)

    def memory(self) -> Memory:
        from axiommind.memory import Memory

        return Memory(self.config, environ=self.environ, user=_user(self.environ))

    @contextlib.contextmanager
    def reading(self) -> Iterator[tuple[sqlite3.Connection, str | None]]:
        """The index, ready to be searched, in one state of it; and the project that the session works in. Refuses an
        index that another version of the program made."""
        from axiommind.search.rows import index_version

        recall = self.memory().recall
        with recall.reading() as reader:
            index_version(reader.db)
            yield reader.db, recall.project_of(reader.db, self.folder)


def silent(why: str) -> Answer:
    return Answer("silent", why)


def about_packet(call: Call, packet: Packet | None, budget: int, project: str | None, about: str = "") -> Answer:
    """A packet as the agent reads it."""
    if packet is None or not packet.notes:
        return silent("nothing is known")
    from axiommind.surfaces.render.recall import packet_text, packet_within

    text, tokens = within(call.config.home, budget, lambda tokens: packet_text(packet, tokens))
    if not text:
        return silent("the budget is too small")
    items = tuple(Item(note.id, note.kind) for note in packet_within(packet, tokens).notes)
    return Answer("served", "", text, items, project, about)


def within(home: Path, budget: int, render: Callable[[int], str]) -> tuple[str, int]:
    """A text for the agent, fenced, that the client takes whole, and the budget that it was made for; empty where there
    is none so short."""
    from axiommind.surfaces.render.recall import fenced

    budget = min(budget, MOST_CHARS // 4)
    while budget >= _LEAST_TOKENS:
        text = render(budget)
        if not text.strip():
            break
        text = fenced(text, home)
        if _units(text) <= MOST_CHARS:
            return text, budget
        budget = budget * 3 // 4
    return "", 0


def _units(text: str) -> int:
    """Its length as JavaScript counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _user(environ: Mapping[str, str]) -> Path:
    """The person's own folder; where nobody knows it, the root of everything."""
    if environ.get("HOME"):
        return Path(environ["HOME"])
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")
