"""Before a new file: what made git or a linter reject a new file of the same kind in the same folder, and how that was
mended. Told when the rejected file was edited right after, and then accepted: what was said in between is the rule.
"""

from __future__ import annotations

import json
import posixpath
import sqlite3
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.recall.packet import Note
from axiommind.recall.packets.file_identity import FileMeant
from axiommind.recall.packets.notes import passage_note
from axiommind.text.summary import preview
from axiommind.tools.kinds import GIT, LINT

__all__ = ["rejected_before"]

_SAID = 300  # characters
_SIBLINGS, _WRITTEN, _AFTER = 40, 8, 15  # files of the folder, of which the newest, and what was done after each
_FOLDER = f"""
    select file_path from main.file_hotspots
    where project = :project
      and substr(file_path, -length(:ending)) = :ending
      and instr(replace(file_path, char(92), '/'), :folder) > 0
    limit {_SIBLINGS}
"""
# A file that was written whole and never edited before.
_FIRST = f"""
    select f.file_path, t.session_id, t.seq_order
    from file_edits f join tool_uses t on t.id = f.tool_use_id
    where f.file_path in (select value from json_each(:paths))
      and f.canonical
      and json_valid(t.input_json)
      and json_extract(t.input_json, '$.content') is not null
      and t.session_id is not :session
      and t.session_id not in (select id from sessions where parent_session = :session)
      and not exists (select 1 from file_edits e where e.file_path = f.file_path and e.id < f.id)
    order by t.timestamp desc
    limit {_WRITTEN}
"""
_THEN = f"""
    select t.classified_name, t.is_error, t.line,
           coalesce(t.error, '') || coalesce(t.input_json, ''),
           exists (select 1 from file_edits e where e.tool_use_id = t.id and e.file_path = :path)
    from tool_uses t
    where t.session_id = :session and t.seq_order > :seq
      and t.subagent is (select subagent from tool_uses where session_id = :session and seq_order = :seq)
    order by t.seq_order
    limit {_AFTER}
"""
_REASON = """
    select id, timestamp, text
    from responses
    where session_id = :session and line_start > :first and line_start <= :last and text <> ''
    order by line_start
    limit 1
"""
_BY = {GIT: "git", LINT: "a linter"}


class _Call(NamedTuple):
    classified: str
    failed: bool | None
    line: int
    text: str
    is_edit: bool


def rejected_before(db: sqlite3.Connection, file: FileMeant, project: str, session: str | None) -> Iterator[Note]:
    """Why new files beside this one were rejected, in the words that say most."""
    ending = posixpath.splitext(file.path)[1]
    folder = posixpath.dirname(file.path)
    if not ending or not folder.strip("/"):
        return
    values = {"project": project, "ending": ending, "folder": f"/{posixpath.basename(folder)}/"}
    siblings = [row[0] for row in db.execute(_FOLDER, values) if _is_beside(row[0].replace("\\", "/"), file)]
    if not siblings:
        return
    from axiommind.recall.withdrawn import withdrawn_among

    cases = {case[0] << KIND_BITS | KINDS["response"]: case for case in _cases(db, siblings, session)}
    gone = withdrawn_among(db, cases) if cases else ()
    told = [case for passage, case in cases.items() if passage not in gone]
    if told:
        times = f" {len(told)} times" if len(told) > 1 else ""
        which = "New files in this folder were" if times else "A new file in this folder was"
        # Who meets it again says less of it.
        ref, at, text, by = max(told, key=lambda case: (not case[2].rstrip().endswith((":", "：")), len(case[2])))
        note = passage_note(db, "response", ref, text, at)
        yield note._replace(text=f"{which} rejected by {by}{times}: {preview(text, _SAID)}")


def _cases(db: sqlite3.Connection, siblings: list[str], session: str | None) -> Iterator[tuple[int, int, str, str]]:
    """What was said between a rejection and what mended it, and who rejected the file."""
    written = db.execute(_FIRST, {"paths": json.dumps(siblings), "session": session}).fetchall()
    for path, owner, seq in written:
        found = _mended(map(_Call._make, db.execute(_THEN, {"session": owner, "seq": seq, "path": path})), path)
        if found is not None:
            rejected, edited = found
            span = {"session": owner, "first": rejected.line, "last": edited.line}
            reason = db.execute(_REASON, span).fetchone()
            if reason is not None:
                yield (*reason, _BY[rejected.classified])


def _is_beside(other: str, file: FileMeant) -> bool:
    folder = posixpath.dirname(other)
    below = posixpath.dirname(file.own)
    return folder == posixpath.dirname(file.path) or ("/" in below and folder.endswith(f"/{below}"))


def _mended(calls: Iterable[_Call], path: str) -> tuple[_Call, _Call] | None:
    """The call that rejected a file and the edit that mended it, where the same kind of call accepted it then."""
    base = path.replace("\\", "/").rpartition("/")[2]
    rejected: _Call | None = None
    edited: _Call | None = None
    for call in calls:
        if call.is_edit and rejected is not None:
            edited = edited or call
        elif call.classified in _BY and base in call.text:
            if call.failed:
                if rejected is None:
                    rejected = call
            elif rejected is not None and edited is not None and call.classified == rejected.classified:
                return rejected, edited
    return None
