"""Where we left off: what an agent is told when a session starts, and what it is given back after compaction.

Reads only, and only rows that an index leads to: of a project its newest sessions and tasks, of a session its own.
Old news is left out: tasks that nobody touched for a month, and a last session older than that. Words in which
something was decided that was withdrawn since are not quoted.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

from axiommind.extraction.rules import RECORD, form_of
from axiommind.ids import number_of
from axiommind.recall.disclosure import Note, Packet
from axiommind.recall.packets.notes import STAGE_RANK, claim, day, entry_note, gist, has_words, packet, passage_note
from axiommind.recall.packets.open_tasks import blocked_notes, open_notes, tasks_of_project, tasks_of_session
from axiommind.text.summary import preview

__all__ = ["left_off", "recovery"]

_NEWS = 30 * 86_400_000  # milliseconds
_DECISIONS = 3
_FILES = 8
_LEARNED = 5
_SESSIONS = 60  # of a project: more are not looked at for decisions
_USES = 60  # of a session, from its end: where its last failure is looked for
_RESPONSES = 40
_MOST = 0.75  # of the words of a claim: a text with so many of them says it
_MUCH = 0.6  # of a withdrawn claim: better a line too few than one that revives it
_ASKED_LAST = "asked last: "
_ANSWERED_LAST = "answered last: "


def left_off(
    db: sqlite3.Connection,
    project: str | None,
    *,
    session: str | None,
    source: str,
    now: int,
    skip: frozenset[str] = frozenset(),
) -> Packet | None:
    """What is open in a project, for a session that starts by `source`; None when there is nothing to tell."""
    if project is None:
        return None
    sessions = _sessions(db, project)
    tasks = [task for task in tasks_of_project(db, project) if task.by_person or now - task.updated_at < _NEWS]
    own = {session, *(row[0] for row in db.execute(_COPIES, (session,)))}
    before = next((row for row in sessions if row[0] not in own), None) if source == "startup" else None
    last = _last_session(db, *before) if before is not None and now - before[1] < _NEWS else []
    decided, last = _said_once(
        _last_decisions(db, project, sessions, skip), [note for note in last if note.id not in skip]
    )
    sections: list[tuple[str, Iterable[Note]]] = [
        ("Blocked", blocked_notes(db, tasks)),
        ("Open tasks", open_notes(db, tasks)),
        ("Last decisions", decided),
        ("Last session", last),
    ]
    return packet(sections, skip)


def recovery(db: sqlite3.Connection, session: str | None) -> Packet | None:
    """What a session was about, from its own rows; None when it is not in the index."""
    if session is None or db.execute("select 1 from sessions where id = ?", (session,)).fetchone() is None:
        return None
    tasks = tasks_of_session(db, session)
    words = _without_withdrawn(db, [*_asked(db, session), *_last_words(db, session)], _withdrawn_claims(db, session))
    sections: list[tuple[str, Iterable[Note]]] = [
        ("Asked", (note for note in words if note.kind == "prompt")),
        ("Decided and learned", _learned(db, session)),
        ("Blocked", blocked_notes(db, tasks)),
        ("Open tasks", open_notes(db, tasks)),
        ("Still failing", _failing(db, session)),
        ("Files changed", _files(db, session)),
        ("Last words", (note for note in words if note.kind == "response")),
    ]
    return packet(sections, frozenset())


# --- sessions --------------------------------------------------------------------------------------------

_SESSION_ROWS = """
    select id, coalesce(last_ts, ended_at, 0), title
    from sessions
    where project = :project
      and parent_session is null
      and prompt_count > 0
    order by coalesce(last_ts, ended_at, 0) desc, id
    limit :limit
"""
# A fork, or a session that was resumed into another file, begins with the other's messages. None before it is indexed.
_COPIES = """
    select distinct r.session_id
    from prompts p join records r on r.uuid = p.uuid and r.session_id <> p.session_id
    where p.session_id = ?
"""
_WITHDRAWN = "select title, text from entries where session_id = ? and status <> 'active'"
_PROMPTS = "select id, text, timestamp from prompts where session_id = ? order by id {order} limit {limit}"
_WORDS = f"""
    select id, text, timestamp from responses
    where id in (select id from responses where session_id = :session order by id desc limit {_RESPONSES})
      and text <> ''
      and not is_error
    order by id desc
    limit 1
"""


def _sessions(db: sqlite3.Connection, project: str) -> list[tuple[str, int, str | None]]:
    """A project's sessions with their ends and titles, the newest first; none of subagents."""
    return db.execute(_SESSION_ROWS, {"project": project, "limit": _SESSIONS}).fetchall()


def _last_session(db: sqlite3.Connection, session: str, ended: int, title: str | None) -> list[Note]:
    notes = []
    withdrawn = _withdrawn_claims(db, session)
    first = db.execute(_PROMPTS.format(order="asc", limit=1), (session,)).fetchone()
    if first is not None:
        about = title if title and not _says_any(title, withdrawn) else first[1]
        notes.append(passage_note(db, "prompt", first[0], f"{day(ended)}: {gist(about)}", ended))
        last = _last_prompt(db, session)
        if last is not None and last[0] != first[0]:
            notes.append(passage_note(db, "prompt", last[0], f"{_ASKED_LAST}{gist(last[1])}", last[2]))
    return _without_withdrawn(db, [*notes, *_last_words(db, session)], withdrawn)


def _asked(db: sqlite3.Connection, session: str) -> Iterable[Note]:
    first = db.execute(_PROMPTS.format(order="asc", limit=1), (session,)).fetchone()
    if first is not None:
        yield passage_note(db, "prompt", first[0], f"first: {gist(first[1])}", first[2])
        last = _last_prompt(db, session)
        if last is not None and last[0] != first[0]:
            yield passage_note(db, "prompt", last[0], f"last: {gist(last[1])}", last[2])


def _last_prompt(db: sqlite3.Connection, session: str) -> tuple[int, str, int] | None:
    """The last prompt that says something by itself."""
    rows = db.execute(_PROMPTS.format(order="desc", limit=10), (session,))
    return next((row for row in rows if has_words(row[1])), None)


def _last_words(db: sqlite3.Connection, session: str) -> Iterable[Note]:
    row = db.execute(_WORDS, {"session": session}).fetchone()
    if row is not None:
        yield passage_note(db, "response", row[0], f"{_ANSWERED_LAST}{row[1]}", row[2])


def _without_withdrawn(db: sqlite3.Connection, notes: Iterable[Note], withdrawn: list[set[str]]) -> list[Note]:
    """Without the words of withdrawn claims. Nothing takes their place: what was asked before would not be what was
    asked last."""
    from axiommind.recall.withdrawn import withdrawn_among

    numbers = {note.id: number_of(note.id) or 0 for note in notes}
    gone = withdrawn_among(db, numbers.values()) if numbers else set()
    return [n for n in notes if numbers[n.id] not in gone and not _says_any(n.text.partition(": ")[2], withdrawn)]


def _withdrawn_claims(db: sqlite3.Connection, session: str) -> list[set[str]]:
    """What a session claimed that was withdrawn since, each as its words."""
    rows = db.execute(_WITHDRAWN, (session,)).fetchall()
    return [words for title, text in rows if (words := _content(title) or _content(text))]


def _says_any(text: str, claims: list[set[str]]) -> bool:
    """Whether a title or a line says one of these claims. Either may leave out words of the other."""
    said = _content(text) if claims else set()
    return bool(said) and any(len(said & claim) >= _MUCH * min(len(said), len(claim)) for claim in claims)


def _said_once(decided: list[Note], last: list[Note]) -> tuple[list[Note], list[Note]]:
    """The decisions and the notes on the last session, each thing once: a plan is what its session was about, and
    what was asked and answered last is often what was decided."""
    if last and not last[0].text.startswith((_ASKED_LAST, _ANSWERED_LAST)):
        about = _folded(last[0].text.partition(": ")[2])
        decided = [note for note in decided if not _is_one(_folded(note.text), about)]
    decided = decided[:_DECISIONS]
    claims = [words for note in decided if (words := _content(note.text))]
    kept = []
    for note in last:
        words = _content(note.text) if note.text.startswith((_ASKED_LAST, _ANSWERED_LAST)) else set()
        if not any(len(words & claim) >= _MOST * len(claim) for claim in claims):
            kept.append(note)
    return decided, kept


def _is_one(claim: str, about: str) -> bool:
    return (len(about) > 11 and claim.startswith(about)) or (len(claim) > 11 and claim in about)


def _folded(text: str) -> str:
    return text.casefold().rstrip(" .…!?。！？")


def _content(text: str) -> set[str]:
    """The terms of a text that say something."""
    from axiommind.text.query_terms import clauses

    return {term for clause in clauses(text) for term in clause.terms}


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
# What an agent recorded as decided is no more than a working entry.
_DECIDED = """
    select decision_id, action, ts, case actor when 'agent' then 'working' else '' end
    from decisions
    where project = ?
    order by ts desc
    limit 3
"""


def _last_decisions(
    db: sqlite3.Connection, project: str, sessions: Iterable[tuple[Any, ...]], skip: frozenset[str]
) -> list[Note]:
    """What was decided in the newest sessions, and by a person directly; entries of a high stage before the rest."""
    said: set[str] = set()
    found: list[tuple[bool, int, tuple[Any, ...]]] = []
    for session, _, _ in sessions:
        for row in db.execute(_ENTRIES, (session,)):
            if row[2] == "decision" and row[9] not in said and row[1] not in skip:
                said.add(row[9])
                found.append((STAGE_RANK[row[3]] >= STAGE_RANK["candidate"], row[8], row))
        if sum(risen for risen, _, _ in found) > _DECISIONS:
            break
    found += [(True, ts, (decision, action, stage)) for decision, action, ts, stage in db.execute(_DECIDED, (project,))]
    found.sort(key=lambda one: one[:2], reverse=True)
    return [
        _entry(db, row) if len(row) > 3 else Note(row[0], "decision", preview(row[1]), None, at, stage=row[2])
        for _, at, row in found[: _DECISIONS + 1]
    ]


def _learned(db: sqlite3.Connection, session: str) -> list[Note]:
    rows = {row[9]: row for row in reversed(db.execute(_ENTRIES, (session,)).fetchall())}
    newest = sorted(rows.values(), key=lambda row: (row[2] == "decision", row[8]), reverse=True)
    return [_entry(db, row) for row in newest[:_LEARNED]]


def _entry(db: sqlite3.Connection, row: tuple[Any, ...]) -> Note:
    ref, entry_id, kind, _, rule, title, text, content, at, _ = row
    # Of a commit its subject: the agent has the rest in git.
    said = title if form_of(rule) == RECORD else claim(rule, title, text, content)
    return entry_note(db, ref, entry_id, kind, said, at)


# --- what a session did ----------------------------------------------------------------------------------

_EDITED = """
    select f.file_path, count(*), max(f.tool_use_id), max(f.timestamp)
    from file_edits f join tool_uses t on t.id = f.tool_use_id
    where f.session_id = ?
      and t.is_error is not 1
    group by f.file_path
    order by count(*) desc, max(f.tool_use_id) desc
"""
_LAST_USES = f"""
    select id, classified_name, is_error, input_json, error, timestamp
    from tool_uses
    where session_id = ?
    order by seq_order desc
    limit {_USES}
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


def _failing(db: sqlite3.Connection, session: str) -> Iterable[Note]:
    """The last command that failed, if nothing of its kind went well after it."""
    from axiommind.tools.kinds import is_run

    went_well: set[str] = set()
    for use, kind, failed, given, error, at in db.execute(_LAST_USES, (session,)):
        if not is_run(kind) or failed is None:
            continue
        if not failed:
            went_well.add(kind)
        elif kind not in went_well and error and not error.startswith(("<tool_use_error>", "The user doesn't")):
            from axiommind.tools.error_signature import told_by
            from axiommind.tools.past_call import command_of

            if told := told_by(error):
                yield passage_note(db, "tool", use, f"`{preview(command_of(given), 80)}`: {told}", at)
            return
