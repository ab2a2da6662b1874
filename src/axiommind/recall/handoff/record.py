"""Which session is handed over, and what is known of it as a whole."""

from __future__ import annotations

import sqlite3
from typing import Any, NamedTuple

from axiommind.errors import BadQuery, NotFound
from axiommind.recall.handoff.values import HandoffSession

__all__ = ["NamedSession", "newest_session", "project_of", "session_like", "session_of", "with_children"]

_TITLE = 100  # characters
_NAMED = 5  # of the sessions that a beginning fits

_LAST = """
    select id from sessions
    where parent_session is null
      and (:project is null or project = :project)
      and (prompt_count > 0 or tool_use_count > 0)
    order by coalesce(last_ts, ended_at, started_at, first_ts, 0) desc, id
    limit 1
"""
_LIKE = """
    select id, project, coalesce(last_ts, ended_at, started_at, first_ts, 0), coalesce(title, '')
    from sessions
    where substr(id, 1, length(:start)) = :start
    order by id <> :start, parent_session is not null, 3 desc, id
"""
_SESSION = """
    select id, agent, project, coalesce(cwd, project), coalesce(git_branch, ''), coalesce(title, ''),
           coalesce(started_at, first_ts), coalesce(last_ts, ended_at), prompt_count, tool_use_count,
           (select count(*) from sessions c where c.parent_session = s.id),
           (select count(*) from compactions c where c.session_id = s.id), coalesce(parent_session, ''),
           case when parent_session is null and missing_since is null then file_path end
    from sessions s where id = ?
"""
_BEGINNINGS = "select substr(text, 1, 400) from prompts where session_id = ?"
_CHILDREN = """
    with recursive family(id) as (
      select ? union select s.id from sessions s join family f on s.parent_session = f.id
    )
    select id from family
"""


class NamedSession(NamedTuple):
    """A session that a beginning of an id fits."""

    id: str
    project: str
    ended: int
    title: str


def newest_session(db: sqlite3.Connection, project: str | None) -> str | None:
    """The session that was worked in last, of a project or of all; none of subagents."""
    row = db.execute(_LAST, {"project": project}).fetchone()
    return None if row is None else str(row[0])


def session_like(db: sqlite3.Connection, start: str) -> str:
    """The session of this id, or the only one whose id begins so. Several are named, so that one can be picked."""
    found = [NamedSession._make(row) for row in db.execute(_LIKE, {"start": start})] if start else []
    if not found:
        raise NotFound(
            f"there is no session {start!r}", hint="axm query --all-projects --perspective sessions lists the sessions"
        )
    if len(found) > 1 and found[0].id != start:
        named = "; ".join(_named(one) for one in found[:_NAMED])
        more = f"; and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        raise BadQuery(f"{start!r} fits {len(found)} sessions: {named}{more}", hint="give more characters of the id")
    return found[0].id


def project_of(db: sqlite3.Connection, session: str) -> str:
    (project,) = db.execute("select project from sessions where id = ?", (session,)).fetchone()
    return str(project)


def _named(one: NamedSession) -> str:
    from axiommind.recall.packets.notes import day, gist

    about = f", {gist(one.title, 50)}" if one.title else ""
    return f"{one.id} ({day(one.ended)}{about})"


def session_of(db: sqlite3.Connection, session: str) -> HandoffSession:
    from axiommind.recall.packets.notes import gist
    from axiommind.sources import load, resume_command

    row: tuple[Any, ...] = db.execute(_SESSION, (session,)).fetchone()
    name, agent, project, folder, branch, title = row[:6]
    title = gist(title, 2 * _TITLE)
    if any(" ".join(text.split()).startswith(title) for (text,) in db.execute(_BEGINNINGS, (name,))):
        title = ""  # it was made of a request, which is told anyway
    about = (name, agent, load(agent).TITLE, project, folder, branch, title if len(title) <= _TITLE else "")
    stream = row[-1]  # None of a subagent, and of one whose transcript is gone
    return HandoffSession._make((*about, *row[6:-1], None if stream is None else resume_command(agent, name, stream)))


def with_children(db: sqlite3.Connection, session: str) -> list[str]:
    """The session, and those of its subagents and of theirs."""
    return [row[0] for row in db.execute(_CHILDREN, (session,))]
