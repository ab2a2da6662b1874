"""About a file, before an agent edits it: what binds it, why edits of it failed, what new files of its folder were
rejected for, and what was said of the lines that are about to change. None if unsure: of most files nothing particular
was ever said.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.recall.packet import Note, Packet
from axiommind.recall.packets.failed_edits import failed_edits
from axiommind.recall.packets.file_entries import bound_entries
from axiommind.recall.packets.file_identity import FileMeant, identify
from axiommind.recall.packets.line_authors import Change, authors_of, change_in
from axiommind.recall.packets.new_files import rejected_before
from axiommind.recall.packets.notes import packet, passage_note
from axiommind.text.summary import preview

__all__ = ["about_file"]

_NOTES = 3
_REMARK, _LINE = 380, 60  # characters
# A document says itself what it says, and lines of a file of secrets are not quoted.
_PROSE = (".md", ".mdx", ".markdown", ".txt", ".rst", ".adoc", ".org")
_SECRET = (".env", ".netrc", ".npmrc", ".pypirc")


def about_file(
    db: sqlite3.Connection,
    path: str,
    project: str | None,
    *,
    session: str | None,
    change: Mapping[str, Any] | None = None,
    skip: frozenset[str] = frozenset(),
) -> Packet | None:
    """What an agent should know before it edits the file at `path`; `change` is the input of its call."""
    file = identify(db, path, project)
    notes = list(failed_edits(db, file.known, session))
    asked = change_in(change)
    if project is not None and file.is_new and asked.is_whole:
        notes += rejected_before(db, file, project, session)
    if file.own and project is not None:
        notes = [*bound_entries(db, file.own, asked.touched, project, session), *notes]
        if len(notes) < _NOTES:
            notes += _remarks(db, file, asked, project, session)
    notes = [note for note in notes if note.id not in skip]
    return packet([(f"About {file.base or file.path.rpartition('/')[2]}", notes[:_NOTES])], skip)


def _remarks(
    db: sqlite3.Connection, file: FileMeant, change: Change, project: str, session: str | None
) -> Iterable[Note]:
    from axiommind.recall.packets.file_remarks import choose, remarks_about, remarks_on_lines
    from axiommind.recall.withdrawn import copied, withdrawn_among

    if file.base.lower().endswith(_PROSE) or file.base.startswith(_SECRET):
        return
    found = [*remarks_on_lines(db, file, change, authors_of(db, file.known, change, session))]
    found += remarks_about(db, file, change, project, session)
    passages = {remark.response << KIND_BITS | KINDS["response"] for remark in found}
    gone = withdrawn_among(db, passages) if passages else set()
    if passages and session is not None:  # what a session was forked from is in its own context
        gone |= copied(db, passages, session)
    kept = (remark for remark in found if remark.response << KIND_BITS | KINDS["response"] not in gone)
    for remark in choose(kept, _NOTES):
        note = passage_note(db, "response", remark.response, remark.text, remark.at)
        said = preview(remark.text, _REMARK)
        line = preview(remark.line, _LINE).replace("`", "'")
        yield note._replace(text=f"{said} (said when `{line}` was written)" if line else said)
