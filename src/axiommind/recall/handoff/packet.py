"""The packet: everything that the next agent has to know of a session, in sections."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from axiommind.projections.transcript import Blob
from axiommind.projections.transcript import read as read_transcript
from axiommind.recall.handoff.asked import asked, requests
from axiommind.recall.handoff.changes import changed_files, commit_notes, commits_of
from axiommind.recall.handoff.decided import decided
from axiommind.recall.handoff.ending import ending_notes, ending_of
from axiommind.recall.handoff.failures import failures
from axiommind.recall.handoff.helpers import scratchpads, subagents
from axiommind.recall.handoff.open_work import open_work
from axiommind.recall.handoff.record import session_of, with_children
from axiommind.recall.handoff.values import Handoff, HandoffNote, HandoffSection

__all__ = ["handoff_of"]


_TOLD = 450  # characters: of every request so much is told, and says what was learned from it


def handoff_of(db: sqlite3.Connection, blob: Blob | None, session: str) -> Handoff:
    """What is known of a session, by its id. Without `blob`, which reads the log, what only the transcript says is
    missing: the agent's own list, and the hashes of commits."""
    about = session_of(db, session)
    family = with_children(db, session)
    transcripts = {one: read_transcript(db, blob, one) if blob is not None else None for one in family}
    ending = ending_of(db, session)
    commits = commits_of(db, family, transcripts)
    children = [one for one in family if one != session]
    said = [one.text[:_TOLD] for one in requests(db, session)]
    sections: list[tuple[str, str, Iterable[HandoffNote]]] = [
        ("Asked", "requests", asked(db, session, is_open=ending.is_open, is_done=ending.is_done)),
        ("Where it stopped", "parts of how it ended", ending_notes(db, session, ending)),
        ("Still open", "open tasks", open_work(db, session, transcripts.get(session), said)),
        ("Tried and failed", "failures", failures(db, session)),
        ("Decided and learned", "decisions", decided(db, session, about.project, about.began, about.ended, said)),
        ("Commits", "commits", commit_notes(db, session, commits)),
        ("Files changed", "files", changed_files(db, session, family, about.project, commits)),
        ("Scratchpads", "scratchpads", scratchpads(db, about.project, about.began)),
        ("Subagents", "subagents", subagents(db, session, children)),
    ]
    found = (HandoffSection(title, tuple(notes), what) for title, what, notes in sections)
    return Handoff(about, tuple(section for section in found if section.notes))
