"""Where we left off: what an agent is told when a session starts, and what it is given back after compaction.

Reads only, and only rows that an index leads to: of a project its newest sessions and tasks, of a session its own.
Old news is left out: a last session of more than a month ago, and tasks that the last session did not speak of, unless
a person set them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from axiommind.extraction.rules import RECORD, form_of
from axiommind.recall.packet import Note, Packet
from axiommind.recall.packets.held import content_terms, held_notes
from axiommind.recall.packets.last_session import (
    first_prompt,
    last_prompt,
    last_words,
    newest_sessions,
    session_notes,
    withdrawn_claims,
    without_withdrawn,
)
from axiommind.recall.packets.notes import EntryWords, claim, entry_notes, gist, packet, passage_note
from axiommind.recall.packets.open_tasks import (
    blocked_notes,
    open_notes,
    still_open_notes,
    tasks_of_project,
    tasks_of_session,
)
from axiommind.recall.packets.prepared_start import PreparedStart, state_of, write_prepared
from axiommind.recall.packets.still_failing import failing
from axiommind.recall.packets.wanted import wanted

if TYPE_CHECKING:
    from axiommind.config import Config
    from axiommind.recall.reader import Reader

__all__ = ["left_off", "prepare_starts", "recovery"]

_NEWS = 30 * 86_400_000
_PREPARED = 12  # projects: a start of another one is made when it is wanted
_FILES = 8
_LEARNED = 5
_MOST = 0.75  # of the terms of a claim: a text with so many of them says it


def left_off(
    db: sqlite3.Connection,
    project: str | None,
    *,
    session: str | None,
    source: str,
    now: int,
    skip: frozenset[str] = frozenset(),
) -> Packet | None:
    """Where the work on a project stands, for a session that starts by `source`; None when there is nothing to tell."""
    if project is None:
        return None
    return _start_of(db, project, session=session, now=now, skip=skip).told(source)


def _start_of(
    db: sqlite3.Connection, project: str, *, session: str | None, now: int, skip: frozenset[str] = frozenset()
) -> PreparedStart:
    """What a start is told: the last session, then what holds, then what is open, each thing once. Who goes on after a
    pause knows what was said last."""
    own = {session, *(row[0] for row in db.execute(_COPIES, (session,)))}
    newest = newest_sessions(db, project)
    before = next((one for one in newest if one.id not in own), None)
    if before is not None and now - before.ended >= _NEWS:
        before = None
    last = [note for note in session_notes(db, before) if note.id not in skip] if before is not None else []
    held = held_notes(db, project, [one.id for one in newest], skip)
    spoken_of = tasks_of_project(db, project, now if before is None else before.began)
    tasks = [task for task in spoken_of if task.by_person or now - task.updated_at < _NEWS]
    still_open = [note for note in still_open_notes(db, tasks) if note.id not in skip]
    ends = [task.updated_at for task in tasks if not task.by_person] + ([] if before is None else [before.ended])
    return PreparedStart(
        _sections(last, held, still_open, skip),
        _sections([], held, still_open, skip),
        None if before is None else before.id,
        min(ends, default=now) + _NEWS,
    )


def prepare_starts(config: Config, reading: Callable[[], AbstractContextManager[Reader]], now: int) -> int:
    """Prepare what the next start is told, of the projects that were worked on last; returns of how many."""
    state = state_of(config)  # before it is read: what is written meanwhile makes it another
    starts, files = {}, {}
    with reading() as reader:
        for (project,) in reader.db.execute(_WORKED_ON, (_PREPARED,)).fetchall():
            start = _start_of(reader.db, project, session=None, now=now)
            fresh, resumed = (
                wanted(reader.db, "SessionStart", packet, session=None) if packet is not None else None
                for packet in (start.fresh, start.resumed)
            )
            starts[project] = start._replace(fresh=fresh, resumed=resumed)
            names = json.dumps([note.id for note in start.notes])
            files[project] = [str(Path(project, path)) for (path,) in reader.db.execute(_ANCHORED, (names,))]
    return write_prepared(config, state, starts, files)


def _sections(last: list[Note], held: list[Note], still_open: list[Note], skip: frozenset[str]) -> Packet | None:
    held = _not_in(last, held)
    still_open = _not_in([*last, *held], still_open)
    return packet([("Last session", last), ("Decided and wanted", held), ("Open tasks", still_open)], skip)


def recovery(db: sqlite3.Connection, session: str | None) -> Packet | None:
    """What a session was about, from its own rows; None when it is not in the index."""
    if session is None or db.execute("select 1 from sessions where id = ?", (session,)).fetchone() is None:
        return None
    tasks = tasks_of_session(db, session)
    words = without_withdrawn(db, [*_asked(db, session), *_last_words(db, session)], withdrawn_claims(db, session))
    sections: list[tuple[str, Iterable[Note]]] = [
        ("Asked", (note for note in words if note.kind == "prompt")),
        ("Decided and learned", _learned(db, session)),
        ("Blocked", blocked_notes(db, tasks)),
        ("Open tasks", open_notes(db, tasks)),
        ("Still failing", failing(db, session)),
        ("Files changed", _files(db, session)),
        ("Last words", (note for note in words if note.kind == "response")),
    ]
    return packet(sections, frozenset())


_WORKED_ON = """
    select project from sessions
    where parent_session is null and prompt_count > 0
    group by project
    order by max(coalesce(last_ts, ended_at, 0)) desc
    limit ?
"""
_ANCHORED = "select distinct path from entry_anchors where entry_id in (select value from json_each(?)) and path <> ''"
# A fork, or a session that was resumed into another file, begins with the other's messages. None before it is indexed.
_COPIES = """
    select distinct r.session_id
    from prompts p join records r on r.uuid = p.uuid and r.session_id <> p.session_id
    where p.session_id = ?
"""


def _asked(db: sqlite3.Connection, session: str) -> Iterable[Note]:
    first, last = first_prompt(db, session), last_prompt(db, session)
    if first is not None:
        yield passage_note(db, "prompt", first.id, f"first: {gist(first.text)}", first.timestamp)
        if last is not None and last != first:
            yield passage_note(db, "prompt", last.id, f"last: {gist(last.text)}", last.timestamp)


def _last_words(db: sqlite3.Connection, session: str) -> Iterable[Note]:
    words = last_words(db, session)
    if words is not None:
        yield passage_note(db, "response", words.response, f"answered last: {words.text}", words.timestamp)


def _not_in(told: Iterable[Note], notes: Iterable[Note]) -> list[Note]:
    """The notes that nothing says already: what a session was about is often what was decided in it, or left open."""
    said = [content_terms(note.text) for note in told]
    kept = []
    for note in notes:
        terms = content_terms(note.text)
        if not terms or not any(len(terms & one) >= _MOST * len(terms) for one in said):
            kept.append(note)
    return kept


# --- what was decided and learned ------------------------------------------------------------------------

_ENTRIES = """
    select id, entry_id, entry_type, stage, rule, title, text, content_json, coalesce(happened_at, created_ts),
           value_key
    from entries
    where session_id = ?
      and entry_type in ('decision', 'fact')
      and status = 'active'
      and stage <> 'raw'
    order by coalesce(happened_at, created_ts) desc, id desc
"""


def _learned(db: sqlite3.Connection, session: str) -> list[Note]:
    rows = {row[9]: row for row in reversed(db.execute(_ENTRIES, (session,)).fetchall())}
    newest = sorted(rows.values(), key=lambda row: (row[2] == "decision", row[8]), reverse=True)
    return entry_notes(db, list(map(_entry, newest[:_LEARNED])))


def _entry(row: tuple[Any, ...]) -> EntryWords:
    ref, entry_id, kind, _, rule, title, text, content, at, _ = row
    # Of a commit its subject: the agent has the rest in git.
    said = title if form_of(rule) == RECORD else claim(rule, title, text, content)
    return EntryWords(ref, entry_id, kind, said, at)


# --- what a session did ----------------------------------------------------------------------------------

_EDITED = """
    select f.file_path, count(*), max(f.tool_use_id), max(f.timestamp)
    from file_edits f join tool_uses t on t.id = f.tool_use_id
    where f.session_id = ?
      and t.is_error is not 1
    group by f.file_path
    order by count(*) desc, max(f.tool_use_id) desc
"""


def _files(db: sqlite3.Connection, session: str) -> list[Note]:
    """The files that were changed most, and those that were changed last."""
    rows = db.execute(_EDITED, (session,)).fetchall()
    latest = sorted(rows, key=lambda row: -row[2])[: _FILES // 2]
    kept = [*latest, *(row for row in rows if row not in latest)][:_FILES]
    (root,) = db.execute("select project from sessions where id = ?", (session,)).fetchone()
    return [
        passage_note(db, "tool", use, f"{path.removeprefix(f'{root}/')} ({times} edit{'s' * (times > 1)})", at, "file")
        for path, times, use, at in kept
    ]
