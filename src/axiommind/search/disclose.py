"""Progressive disclosure: an index of what may be meant, a timeline around it, and details, within a budget.

Owns the values that travel to the surfaces. What is decided here is decided by calibrated relevance alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from axiommind.model import Citation
    from axiommind.search.hits import Learned

__all__ = ["Detail", "Disclosed", "IndexItem", "Meta", "Note", "Packet", "Section", "TimelineItem"]


class IndexItem(NamedTuple):
    """Layer 1: one line of what may be meant."""

    id: str
    summary: str  # at most 100 characters
    score: float  # calibrated relevance, 0 to 1
    type: str  # prompt, response, tool, insight, doc
    timestamp: int | None
    session_id: str | None
    citation: Citation | None
    project: str | None
    entry: Learned | None = None  # of an insight: what was learned, how far it has risen
    elsewhere: bool = False  # of another project than the one asked about


class TimelineItem(NamedTuple):
    """Layer 2: what was said before and after, in the same session."""

    id: str
    timestamp: int | None
    type: str
    preview: str  # at most 200 characters
    is_target: bool
    citation: Citation | None = None


class Detail(NamedTuple):
    """Layer 3: one passage in full, or as much of it as the budget allows."""

    id: str
    content: str
    type: str
    timestamp: int | None
    session_id: str | None
    citation: Citation | None
    token_count: int  # of all of it
    has_code: bool
    files: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    parent_id: str | None = None
    child_ids: tuple[str, ...] = ()
    related_ids: tuple[str, ...] = ()


class Meta(NamedTuple):
    total_matches: int
    expanded_count: int
    estimated_tokens: int
    expansion_reason: str | None = None


class Disclosed(NamedTuple):
    matches: tuple[IndexItem, ...]  # the index; a tuple has a method of that name
    timeline: tuple[TimelineItem, ...]
    details: tuple[Detail, ...]
    meta: Meta


class Note(NamedTuple):
    """One thing that is known, for a packet: a task, a decision, an error that was met before."""

    id: str
    kind: str  # task, decision, fact, insight, prompt, response, tool, file, doc …
    text: str
    citation: Citation | None = None
    timestamp: int | None = None


class Section(NamedTuple):
    title: str
    notes: tuple[Note, ...]


class Packet(NamedTuple):
    """What an agent is told without having asked, most important section first."""

    sections: tuple[Section, ...]

    @property
    def notes(self) -> tuple[Note, ...]:
        return tuple(note for section in self.sections for note in section.notes)
