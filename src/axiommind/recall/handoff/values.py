"""A handoff as values: sections of notes, each with how soon it is worth telling."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from axiommind.ids import short_id
from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.text.whole_sentences import pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from axiommind.model import Citation

__all__ = ["OWN_WORDS", "Handoff", "HandoffNote", "HandoffSection", "HandoffSession", "in_parts", "passage_id"]


# What of `responses` the agent of a session said itself, not a subagent whose words are in the same transcript.
OWN_WORDS = """
    (not is_sidechain
     or exists (select 1 from sessions s where s.id = session_id and s.parent_session is not null))
"""


class HandoffNote(NamedTuple):
    """One thing to know, in whole sentences. Of what is told in several parts each is a note: they have the same `id`
    and `lead`, and follow each other."""

    text: str
    rank: float  # how soon it is worth telling: the lower, the sooner
    id: str = ""  # what `axm show` opens
    session_id: str = ""  # where it was said
    lead: str = ""  # what it is, before its text
    part: int = 0
    glue: str = "\n"  # between the part before and this one
    parts: int = 1
    provenance: str = ""
    timestamp: int | None = None
    citation: Citation | None = None


class HandoffSection(NamedTuple):
    title: str
    notes: tuple[HandoffNote, ...]
    what: str  # what its notes are, when some are left out: "files"


class HandoffSession(NamedTuple):
    """The session that is handed over."""

    id: str
    agent: str  # the name of its source
    agent_title: str
    project: str
    folder: str  # in which it worked
    branch: str
    title: str
    began: int | None
    ended: int | None
    prompts: int
    calls: int
    subagents: int
    compactions: int
    parent: str  # of a subagent's session: whose
    resume: tuple[str, ...] | None  # the command that resumes it


class Handoff(NamedTuple):
    session: HandoffSession
    sections: tuple[HandoffSection, ...]

    @property
    def notes(self) -> tuple[HandoffNote, ...]:
        return tuple(note for section in self.sections for note in section.notes)


def passage_id(kind: str, ref: int) -> str:
    """What `axm show` calls the passage of a row."""
    return short_id(ref << KIND_BITS | KINDS[kind])


def in_parts(text: str, note: HandoffNote, ranks: Sequence[float], size: int) -> list[HandoffNote]:
    """A long text as notes: its parts in order with these ranks; what follows them is not told."""
    found = pieces(text, size)
    return [
        note._replace(text=piece.text, glue=piece.glue, part=n, parts=len(found), rank=rank)
        for n, (piece, rank) in enumerate(zip(found, ranks, strict=False))
    ]
