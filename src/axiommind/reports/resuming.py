"""Sessions to go on with: which there are, which of them some words mean, and a glance at one.

Words mean a session by what it is called (title, first request, project, branch, agent, id); what was said in it is
found by a search, which is asked apart because it takes longer.
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from axiommind.errors import NotFound
from axiommind.home import Home, Scope

__all__ = ["ResumableSession", "Resuming", "SessionGlance", "matching"]

_TITLE, _ASKED = 200, 300  # characters
_TURNS, _TURN_CHARS = 4, 600
_SESSIONS = """
    select s.id, s.agent, s.project, coalesce(s.cwd, s.project), coalesce(s.git_branch, ''), coalesce(s.title, ''),
           coalesce(s.started_at, s.first_ts, 0), coalesce(s.last_ts, s.ended_at, 0), s.prompt_count, s.missing_since,
           s.file_path,
           coalesce((select substr(p.text, 1, 300) from prompts p where p.session_id = s.id
                     order by p.char_count < 12, p.id limit 1), '')
    from sessions s
    where s.parent_session is null
      and (s.prompt_count > 0 or s.tool_use_count > 0)
      and (:session is null or s.id = :session)
    order by 8 desc, s.id
    limit :limit
"""


class ResumableSession(NamedTuple):
    """A session that somebody may want to go on with. `resume` is the command, in its folder; None where its agent
    cannot, or where its transcript is gone, which `gone_since` says."""

    id: str
    agent: str
    agent_title: str
    project: str
    folder: str
    branch: str
    title: str
    began: int
    ended: int
    prompts: int
    gone_since: str | None
    resume: tuple[str, ...] | None
    words: str  # what it is found by, folded

    @property
    def where(self) -> str | None:
        """The folder to go on in, as far as it is here: where the session was started, or its project."""
        return next((folder for folder in (self.folder, self.project) if folder and Path(folder).is_dir()), None)


class SessionGlance(NamedTuple):
    """What a session was about and how it ended, and its last turns."""

    notes: tuple[str, ...]
    turns: tuple[tuple[bool, str], ...]  # whether it is a prompt, and its text


class Resuming:
    """Answers which session to go on with."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def sessions(self, scope: Scope, limit: int = -1) -> list[ResumableSession]:
        """Those of a scope, the newest first; none of subagents."""
        with self.home.reading(scope, None) as db:
            return [_session(row) for row in db.execute(_SESSIONS, {"session": None, "limit": limit})]

    def session(self, name: str) -> ResumableSession:
        """The one of this id, or whose id begins so."""
        from axiommind.recall.handoff.record import session_like

        with self.home.reading(Scope(None), None) as db:
            found = session_like(db, name.strip())
            row = db.execute(_SESSIONS, {"session": found, "limit": 1}).fetchone()
        if row is None:
            raise NotFound(
                f"{found} is a session of a subagent, or nothing was asked in it",
                hint=f"axm show --session {found} shows it",
            )
        return _session(row)

    def glance(self, session: ResumableSession) -> SessionGlance:
        from axiommind.recall.packets.last_session import NewestSession, session_notes
        from axiommind.text.summary import preview

        about = NewestSession(session.id, session.began, session.ended, session.title or None)
        with self.home.reading(Scope(None), None) as db:
            notes = tuple(note.text for note in session_notes(db, about))
            turns = tuple((bool(asked), preview(text, _TURN_CHARS)) for asked, text in _last_turns(db, session.id))
        return SessionGlance(notes, turns)


def matching(sessions: Iterable[ResumableSession], text: str) -> list[ResumableSession]:
    """Those that every word means: first where words stand in the title, then the newest. Where no session has all of
    them, those with words in their titles that have their letters in that order, as `ldng` means `landing`."""
    words = _folded(text).split()
    if not words:
        return list(sessions)
    known = list(sessions)
    found = [one for one in known if all(word in one.words for word in words)]
    if found:
        titles = {one.id: _folded(one.title) for one in found}
        return sorted(found, key=lambda one: -sum(word in titles[one.id] for word in words))
    return [
        one for one in known if all(any(_in_order(word, said) for said in _folded(one.title).split()) for word in words)
    ]


def _in_order(word: str, text: str) -> bool:
    """Whether a word begins so, and has the rest of the letters in that order."""
    at = 0 if text.startswith(word[0]) else len(text)
    word = word[1:]
    for char in word:
        at = text.find(char, at + 1)
        if at < 0:
            return False
    return True


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _session(row: Sequence[Any]) -> ResumableSession:
    from axiommind.recall.packets.notes import gist, has_words
    from axiommind.sources import load, resume_command

    name, agent, project, folder, branch, title, began, ended, prompts, missing, path, asked = row
    called = gist(title if has_words(title) or not asked else asked, _TITLE)
    agent_title = load(agent).TITLE
    folders = (re.split(r"[/\\]", path)[-1] for path in (project, folder))  # above them is what all have
    words = _folded("\n".join((called, asked[:_ASKED], *folders, branch, agent, agent_title, name)))
    resume = None if missing else resume_command(agent, name, path)
    about = (name, agent, agent_title, project, folder, branch, called, began, ended, prompts)
    return ResumableSession(*about, missing, resume, words)


def _last_turns(db: sqlite3.Connection, session: str) -> list[tuple[int, str]]:
    """The last prompts and answers, in order."""
    rows = db.execute(
        """
        select asked, text from (
          select 1 as asked, line as at, text from prompts where session_id = :session
          union all
          select 0, line_start, text from responses where session_id = :session and text <> '' and not is_error
        )
        order by at desc, asked
        limit :most
        """,
        {"session": session, "most": _TURNS},
    ).fetchall()
    return rows[::-1]
