"""A packet: context that is injected unasked, as sections of notes. Values only."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from axiommind.model import Citation

__all__ = ["Note", "Packet", "Section"]


class Note(NamedTuple):
    """One thing that is known, for a packet: a task, a decision, a fixed error."""

    id: str
    kind: str  # task, decision, fact, insight, prompt, response, tool, file, doc …
    text: str
    citation: Citation | None = None
    timestamp: int | None = None
    is_gone: bool = False  # what it speaks of is no longer there
    stage: str = ""  # of an entry that is less than verified
    session_id: str | None = None
    passage_id: str = ""  # of an entry: the passage that says it
    provenance: str = ""  # of an entry

    @property
    def shown_id(self) -> str:
        """The shortest name that opens it."""
        return self.passage_id or self.id


class Section(NamedTuple):
    title: str
    notes: tuple[Note, ...]


class Packet(NamedTuple):
    """Context that is injected unasked, most important section first."""

    sections: tuple[Section, ...]

    @property
    def notes(self) -> tuple[Note, ...]:
        return tuple(note for section in self.sections for note in section.notes)
