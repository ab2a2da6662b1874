"""What is still open: the agent's own list as it stood last, then other tasks of the session that nobody finished."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from axiommind.recall.handoff.values import HandoffNote, passage_id
from axiommind.recall.packets.held import content_terms
from axiommind.recall.packets.open_tasks import tasks_of_session
from axiommind.text.whole_sentences import whole
from axiommind.tools.kinds import ADD_TASK, CHANGE_TASK, SET_TASKS

if TYPE_CHECKING:
    from axiommind.extraction.drafts import Draft
    from axiommind.projections.transcript import Transcript

__all__ = ["open_work"]

_TITLE, _ABOUT = 200, 240  # characters
_OWN = ("person", "picked", "agent", "")
_LISTS = (SET_TASKS, ADD_TASK, CHANGE_TASK)
_PRINTED = 4
_SAME = 0.75  # of the terms of the shorter title
_OPEN = ("in_progress", "blocked", "pending")
_LATER = "select count(*) from prompts where session_id = ? and line > ?"
_CALL = "select id from tool_uses where session_id = ? and line <= ? order by line desc limit 1"
_SAID = "select id, provenance, session_id, text from entries where entry_id = ?"


def open_work(
    db: sqlite3.Connection, session: str, transcript: Transcript | None, told: Iterable[str] = ()
) -> Iterator[HandoffNote]:
    """What is in progress first. `told`: requests, which say what is open themselves."""
    asked = [content_terms(text) for text in told]
    listed = _own_list(transcript)
    tasks = tasks_of_session(db, session)
    closed = [content_terms(task.title) for task in tasks if task.status not in _OPEN]
    kept: list[tuple[int, HandoffNote]] = []
    said: list[set[str]] = []
    for draft in listed:
        status = draft.steps[-1].status
        terms = content_terms(draft.title)
        if status not in _OPEN or _is_among(terms, closed):
            continue
        said.append(terms)
        about = "" if draft.text in ("", draft.title) else f": {whole(draft.text, _ABOUT)}"
        waits = " and ".join(whole(one.text, 80) for one in draft.blocked_by[:2])
        text = f"{whole(draft.title, _TITLE)}{about}{f' (waits for: {waits})' if waits else ''}"
        note = HandoffNote(text, 0, _said_at(db, session, draft, transcript), session, status.replace("_", " "))
        kept.append((_OPEN.index(status), note))
    printed = 0
    for task in sorted(tasks, key=lambda task: (-task.updated_at, task.id)):
        terms = content_terms(task.title)
        if (
            task.status not in _OPEN
            or _is_among(terms, said)
            or _is_said(terms, asked)
            or task.title.rstrip().endswith(("?", "？"))
        ):
            continue
        said.append(terms)
        row = db.execute(_SAID, (task.entry_id,)).fetchone()
        note = HandoffNote(
            whole(task.title, _TITLE),
            0,
            task.id,
            session,
            task.status.replace("_", " "),
            provenance="" if row is None else row[1],
            timestamp=task.updated_at,
        )
        is_own = note.provenance in _OWN
        printed += not is_own
        if is_own or printed <= _PRINTED:  # what a tool printed is the project's work more often than the session's
            kept.append((_OPEN.index(task.status) + (3 if is_own else 6), note))
    kept.sort(key=lambda pair: pair[0])
    for n, (order, note) in enumerate(kept):
        yield note._replace(rank=1.2 + 0.8 * n + (4 if order > 5 else 0))
    if any(order < 3 for order, _ in kept):
        yield from _about_list(db, session, transcript, listed)


def _about_list(
    db: sqlite3.Connection, session: str, transcript: Transcript | None, listed: list[Draft]
) -> Iterator[HandoffNote]:
    """How much of the agent's list is done, and whether the list was left behind by the work."""
    done = sum(1 for draft in listed if draft.steps[-1].status == "done")
    if done:
        yield HandoffNote(f"{done} of {len(listed)} on the agent's list are done.", 2.5, "", session)
    changed = max((use.line for use in transcript.uses if use.tool.act in _LISTS), default=0) if transcript else 0
    (later,) = db.execute(_LATER, (session, changed)).fetchone()
    if later:
        asked = "1 request" if later == 1 else f"{later} requests"
        yield HandoffNote(f"The list was not changed in the last {asked}: some of it may be done.", 1.3, "", session)


def _is_said(terms: set[str], texts: list[set[str]]) -> bool:
    return bool(terms) and any(len(terms & text) >= _SAME * len(terms) for text in texts)


def _own_list(transcript: Transcript | None) -> list[Draft]:
    from axiommind.extraction.rules.tasks import find

    return [draft for draft in find(transcript) if draft.steps] if transcript is not None else []


def _is_among(terms: set[str], others: list[set[str]]) -> bool:
    return bool(terms) and any(len(terms & other) >= _SAME * min(len(terms), len(other)) for other in others if other)


def _said_at(db: sqlite3.Connection, session: str, draft: Draft, transcript: Transcript | None) -> str:
    """The call that said it last."""
    if transcript is None or not draft.steps[-1].quotes:
        return ""
    line = transcript.messages[draft.steps[-1].quotes[0].message].line
    row = db.execute(_CALL, (session, line)).fetchone()
    return "" if row is None else passage_id("tool", row[0])
