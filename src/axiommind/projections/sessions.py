"""Sessions: who asked what, which tools ran, which files changed, what it cost. Folds transcript events.

Every occurrence of a record is a row of its session; `canonical` marks the one that totals over several sessions
count, because forks and resumes copy records (see `_canonical.py`).
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from axiommind.model import Event
from axiommind.projections import Batch, Segment, _canonical, _session_order, _sidecars, forgotten_projects
from axiommind.projections import session_rows as _rows
from axiommind.projections._project_files import rename_files
from axiommind.projections._session_summaries import summarise
from axiommind.projections._session_tables import DDL, TABLES
from axiommind.projections.session_rows import iso
from axiommind.projects import fold_worktree, slug

__all__ = ["AFTER", "EVENT_TYPES", "NAME", "TABLES", "VERSION", "apply", "create"]

NAME = "sessions"
VERSION = 12
AFTER = ("projects",)
EVENT_TYPES = (
    "transcript_segment",
    "transcript_sidecar",
    "transcript_missing",
    "transcript_returned",
    "session_pruned",
    "forgotten",
)

# How sure the project of a session is, at most: its lines say where it was moved to.
_MOVED = 2


def create(db: sqlite3.Connection) -> None:
    for statement in DDL:
        db.execute(statement)


def apply(db: sqlite3.Connection, batch: Batch) -> None:
    shared = _canonical.Shared(db)
    for event in batch.events:
        if event.event_type == "transcript_sidecar":
            _sidecars.fold(db, event, batch)
        elif event.event_type == "forgotten":
            _forget(db, event, batch, shared)
        elif _session_order.note(db, event):
            _fold_anew(db, str(event.session_id), batch, shared)
        else:
            _event(db, event, batch, shared)
    batch.sessions |= shared.settle()
    _refresh(db, batch)


def _event(db: sqlite3.Connection, event: Event, batch: Batch, shared: _canonical.Shared) -> None:
    if event.event_type == "transcript_segment":
        _segment(db, event, batch, shared)
    elif event.event_type == "transcript_missing":
        _missing(db, event, batch)
    elif event.event_type == "transcript_returned":
        _returned(db, event, batch, shared)
    elif event.event_type == "session_pruned" and event.session_id:
        _prune(db, event.session_id, batch, shared)


def _fold_anew(db: sqlite3.Connection, session: str, batch: Batch, shared: _canonical.Shared) -> None:
    """A session from its first event on, in the order of all machines."""
    events = _session_order.events_of(db, session, batch)
    _remove(db, session, batch, shared)
    for table in ("segments", "files"):
        db.execute(f"delete from {table} where session_id = ?", (session,))
    for event in events:
        _event(db, event, batch, shared)


# --- segments ----------------------------------------------------------------------------------------------


_OF_A_FILE = ("size", "mtime_ms")
_OF_A_SEGMENT = ("source", "stream", "generation", "start", "end", "first_line", "lines", "blob")


def _segment(db: sqlite3.Connection, event: Event, batch: Batch, shared: _canonical.Shared) -> None:
    payload = event.payload
    session = str(event.session_id)
    path = payload["stream"]
    generation = payload["generation"]
    before = db.execute("select generation, pruned, session_id from files where path = ?", (path,)).fetchone()
    rewritten = before is not None and (generation > before[0] or before[1])
    _upsert_session(db, event, session, batch, rewritten=rewritten)
    db.execute(
        """
        insert into segments(position, session_id, source, path, generation, start_offset, end_offset,
                             first_line, lines, blob, context)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            event.position,
            session,
            *map(payload.get, _OF_A_SEGMENT),
            json.dumps(payload["context"], sort_keys=True) if payload.get("context") else None,
        ),
    )
    db.execute(
        """
        insert into files(path, session_id, folder, generation, position, ord, size, mtime)
        values (?, ?, ?, ?, ?, ?, ?, ?)
        on conflict(path) do update set
            session_id = excluded.session_id, generation = excluded.generation, size = excluded.size,
            mtime = excluded.mtime, missing_since = null, pruned = 0
        """,
        (
            path,
            session,
            payload["folder"],
            generation,
            event.position,
            event.order,
            payload["size"],
            payload["mtime_ms"],
        ),
    )
    batch.sessions |= {session, *_rows.clear_relayed(db, session, shared)}
    if rewritten:
        # Rewritten, or back after a prune: other files of the session may hold the same records, so the
        # session is folded anew from what is live.
        db.execute("update segments set live = 0 where path = ? and generation < ?", (path, generation))
        if before[2] != session:  # whose file it was has what its other files say, if there are any
            others = db.execute("select 1 from files where session_id = ?", (before[2],)).fetchone()
            (_remove if others is None else _fold_again)(db, before[2], batch, shared)
            batch.sessions.add(before[2])
        _fold_again(db, session, batch, shared)
    else:
        moved_to = _fold(db, session, event.position, batch, shared)
        if moved_to is not None and payload["project_known"] == _MOVED:
            project = fold_worktree(payload.get("moves", {}).get(moved_to, event.project))  # older logs have no `moves`
            db.execute(
                "update sessions set project_path = ?, project_known = ? where id = ?", (project, _MOVED, session)
            )


def _upsert_session(db: sqlite3.Connection, event: Event, session: str, batch: Batch, *, rewritten: bool) -> None:
    """That a session was moved counts only by a line that is new: a copy of an older one says where it was before."""
    payload = event.payload
    known = int(payload["project_known"])
    old = db.execute("select project from sessions where id = ?", (session,)).fetchone()
    db.execute(
        """
        insert into sessions(id, project, project_path, file_path, file_size, file_mtime, indexed_at, agent,
                             parent_session, project_known)
        values (:id, :project, :project, :path, :size, :mtime, :at, :agent, :parent, :known)
        on conflict(id) do update set
            project_path = case when excluded.project_known > project_known or excluded.project_known = 2
                                then excluded.project_path else project_path end,
            project_known = max(project_known, excluded.project_known),
            indexed_at = excluded.indexed_at,
            parent_session = coalesce(parent_session, excluded.parent_session)
        """,
        {
            "id": session,
            "project": fold_worktree(str(event.project)),  # as it is known today: older events did not fold all
            "path": payload["stream"],
            "size": payload["size"],
            "mtime": payload["mtime_ms"],
            "at": iso(event.ts),
            "agent": payload["source"],
            "parent": payload["parent_session"],
            "known": known if rewritten or old is None else min(known, _MOVED - 1),
        },
    )
    if old is not None:
        batch.projects.add(old[0])


def _fold_again(db: sqlite3.Connection, session: str, batch: Batch, shared: _canonical.Shared) -> None:
    _rows.clear(db, session, shared, batch)
    live = db.execute(
        """
        select s.position from segments s left join session_events e using (session_id, position)
        where s.session_id = ? and s.live order by e.ord, s.position
        """,
        (session,),
    )
    for (position,) in live.fetchall():
        _fold(db, session, position, batch, shared)


def _fold(db: sqlite3.Connection, session: str, position: int, batch: Batch, shared: _canonical.Shared) -> str | None:
    """The rows of one segment, less what another file of the session has brought already; the folder that the session
    was moved to, if they name one."""
    *where, path, twin = db.execute(
        """
        select s.source, s.blob, s.first_line, s.context, s.path,
               exists (select 1 from segments o where o.session_id = s.session_id and o.position < s.position
                       and o.blob = s.blob and o.first_line = s.first_line and o.live)
        from segments s where s.position = ?
        """,
        (position,),
    ).fetchone()
    if twin:  # the same lines under another path: a file that was moved or is there twice
        return None
    segment = Segment(*where)
    decoded = batch.decode(position, segment)
    if decoded is None:
        return None
    known = _rows.known_elsewhere(db, session, decoded)
    if known:
        decoded = batch.decode(position, segment, known)
        assert decoded is not None
    _rows.add(db, session, position, path, decoded, shared, batch)
    return decoded.cwd if decoded.relocated else None


# --- leaving and coming back -------------------------------------------------------------------------------


def _missing(db: sqlite3.Connection, event: Event, batch: Batch) -> None:
    db.execute(
        "update files set missing_since = ? where path = ? and missing_since is null",
        (iso(event.ts), event.payload["path"]),
    )
    batch.sessions.add(str(event.session_id))


def _returned(db: sqlite3.Connection, event: Event, batch: Batch, shared: _canonical.Shared) -> None:
    session = str(event.session_id)
    row = db.execute("select pruned, folder from files where path = ?", (event.payload["path"],)).fetchone()
    db.execute(
        "update files set missing_since = null, pruned = 0, size = ?, mtime = ? where path = ?",
        (event.payload["size"], event.payload["mtime_ms"], event.payload["path"]),
    )
    batch.sessions.add(session)
    if row is None or not row[0]:
        return
    first = db.execute(
        "select source, path from segments where session_id = ? and live order by position limit 1", (session,)
    ).fetchone()
    if first is None:
        return
    db.execute(
        """
        insert into sessions(id, project, project_path, file_path, file_size, file_mtime, indexed_at, agent,
                             parent_session, project_known)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
        """,
        (
            session,
            event.project,
            event.project,
            first[1],
            event.payload["size"],
            event.payload["mtime_ms"],
            iso(event.ts),
            first[0],
            event.payload["parent"],
            int(event.project != row[1]),
        ),
    )
    _fold_again(db, session, batch, shared)


def _prune(db: sqlite3.Connection, session: str, batch: Batch, shared: _canonical.Shared) -> None:
    """Out of the index, still in the log: its segments stay known, so that it can come back."""
    _remove(db, session, batch, shared)
    db.execute("update files set pruned = 1 where session_id = ?", (session,))


def _forget(db: sqlite3.Connection, event: Event, batch: Batch, shared: _canonical.Shared) -> None:
    wanted = set(event.payload["sessions"])
    for path in forgotten_projects(event):
        wanted |= {row[0] for row in db.execute("select id from sessions where project_path = ?", (path,))}
    for session in sorted(wanted):
        _remove(db, session, batch, shared)
        for table in ("segments", "files", "sidecars", "session_events"):
            db.execute(f"delete from {table} where session_id = ?", (session,))


def _remove(db: sqlite3.Connection, session: str, batch: Batch, shared: _canonical.Shared) -> None:
    row = db.execute("select project from sessions where id = ?", (session,)).fetchone()
    if row is not None:
        batch.projects.add(row[0])
    neighbours = db.execute(
        """
        select s.id from files f join files o on o.folder = f.folder join sessions s on s.id = o.session_id
        where f.session_id = ? and not s.project_known
        """,
        (session,),
    )
    batch.sessions |= {row[0] for row in neighbours}  # their project may have come from here
    _rows.clear(db, session, shared, batch)
    db.execute("delete from sessions where id = ?", (session,))
    batch.sessions.add(session)


# --- what a session says of itself -------------------------------------------------------------------------

_REFRESH = """
    update sessions set
        project = coalesce((select p.project from project_paths p where p.path = project_path), project_path),
        prompt_count = (select count(*) from prompts where session_id = sessions.id),
        tool_use_count = (select count(*) from tool_uses where session_id = sessions.id),
        edit_count = (select count(*) from file_edits where session_id = sessions.id),
        error_count = (select count(*) from tool_uses where session_id = sessions.id and is_error),
        first_ts = coalesce(
            (select min(timestamp) from prompts where session_id = sessions.id and timestamp > 0),
            (select min(timestamp) from tool_uses where session_id = sessions.id)),
        last_ts = coalesce(
            (select max(timestamp) from prompts where session_id = sessions.id and timestamp > 0),
            (select max(timestamp) from tool_uses where session_id = sessions.id)),
        (response_count, input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens) = (
            select count(*) filter (where line_start), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),
                   coalesce(sum(cache_creation_tokens), 0), coalesce(sum(cache_read_tokens), 0)
            from responses where session_id = sessions.id),
        (agent_type, parent_tool_use_id) = (
            select max(agent_type), max(parent_tool_use_id) from sidecars where session_id = sessions.id),
        missing_since = (
            select case when count(*) = count(missing_since) then max(missing_since) end
            from files where session_id = sessions.id),
        (file_path, file_size, file_mtime) = (
            select path, size, mtime from files where session_id = sessions.id
            order by missing_since is not null, ord limit 1),
        title = coalesce(
            (select title from session_titles where session_id = sessions.id and kind = 'custom'),
            (select max(title) from sidecars where session_id = sessions.id),
            (select title from session_titles where session_id = sessions.id and kind = 'ai'),
            (select title from session_titles where session_id = sessions.id and kind = 'last-prompt'),
            (select summary from temp.summarised where session_id = sessions.id),
            (select substr(text, 1, 200) from prompts where session_id = sessions.id order by id limit 1),
            (select title from session_titles where session_id = sessions.id and kind = 'task'))
    where id = ?
"""


def _adopt(db: sqlite3.Connection, batch: Batch) -> None:
    """A subagent belongs to its parent's project. A session whose lines name no folder belongs to that of its
    neighbours, if their folder's name is that project's; one that was moved, to where it is now. In whatever order they
    came."""
    touched = sorted(batch.sessions)
    moved: list[tuple[str, str]] = []
    for session in touched:
        moved += db.execute(
            """
            select p.project_path, c.id from sessions c join sessions p on p.id = c.parent_session
            where (c.id = ?1 or c.parent_session = ?1) and p.project_known and c.project_path <> p.project_path
            """,
            (session,),
        ).fetchall()
    folders = {
        folder
        for session in touched
        for (folder,) in db.execute("select folder from files where session_id = ?", (session,))
    }
    for folder in sorted(folders):
        lost = db.execute(
            """
            select distinct s.id, s.project_path from files f join sessions s on s.id = f.session_id
            where f.folder = ?1 and not s.project_known and s.parent_session is null
              and ?1 = (
                select o.folder from files o where o.session_id = s.id
                order by o.missing_since is not null, o.ord limit 1)
            """,
            (folder,),
        ).fetchall()
        if not lost:
            continue
        names = db.execute(
            """
            select distinct s.project_path from files f join sessions s on s.id = f.session_id
            where f.folder = ? and s.project_known order by 1
            """,
            (folder,),
        )
        home = next((name for (name,) in names if slug(name) == folder), folder)
        moved += [(home, session) for session, path in lost if path != home]
    for path, session in moved:
        (before,) = db.execute("select project from sessions where id = ?", (session,)).fetchone()
        db.execute("update sessions set project_path = ? where id = ?", (path, session))
        batch.projects.add(before)
        batch.sessions.add(session)


def _refresh(db: sqlite3.Connection, batch: Batch) -> None:
    _adopt(db, batch)
    summarise(db, batch.sessions)
    touched: list[tuple[Any, ...]] = [(s,) for s in sorted(batch.sessions)]
    for (session,) in touched:
        _sidecars.settle(db, session)
    db.executemany(_REFRESH, touched)
    for (session,) in touched:
        rename_files(db, session)
        row = db.execute("select project from sessions where id = ?", (session,)).fetchone()
        if row is not None:
            batch.projects.add(row[0])
