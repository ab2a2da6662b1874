"""What forgetting does to the text, and lifting a tombstone to what was forgotten with it.

Over a connection that is inside the transaction of the event that says so.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from axiommind.errors import BadQuery
from axiommind.log.purges import Purges

__all__ = ["lift", "purge"]


def purge(db: sqlite3.Connection, purges: Purges, position: int, sessions: Sequence[str], project: str | None) -> None:
    """Drop the references of forgotten events, then every blob that no reference names any more; `position` is the
    event that says so, and its purge is noted."""
    db.execute("create temp table if not exists gone(hash text)")
    db.execute("create temp table if not exists gone_sessions(id text)")
    db.executemany("insert into gone_sessions values (?)", [(s,) for s in sessions])
    forgotten = """
        select position from events
        where session_id in (select id from gone_sessions) or (:project is not null and project = :project)
    """
    db.execute(f"insert into gone select hash from blob_refs where position in ({forgotten})", {"project": project})
    db.execute(f"delete from blob_refs where position in ({forgotten})", {"project": project})
    unused = "select distinct hash from gone where hash not in (select hash from blob_refs)"
    purges.note(position, [row[0] for row in db.execute(unused)])
    db.execute(f"delete from blobs where hash in ({unused})")
    # The keys under which other machines get it: what is published from now on is under others.
    db.execute(
        """
        delete from session_keys
        where session in (select id from gone_sessions)
           or session = 'project ' || :project
           or session in (select session_id from events where :project is not null and project = :project)
        """,
        {"project": project},
    )
    db.execute("delete from gone")
    db.execute("delete from gone_sessions")


def lift(db: sqlite3.Connection, session_id: str | None, project: str | None) -> None:
    """Take tombstones away. What one `forget` forgot comes back together: a session with its subagents, a project with
    its sessions."""
    together = db.execute(
        """
        select kind, key from tombstones where position in (
            select position from tombstones
            where (kind = 'session' and key = ?) or (kind = 'project' and key = ?))
        """,
        (session_id, project),
    ).fetchall()
    projects = [key for kind, key in together if kind == "project"]
    if projects and project is None:  # one session must not bring the whole project back
        raise BadQuery(
            f"{session_id} was forgotten with its project", hint=f"axm forget --project {projects[0]} --undo"
        )
    # Its text comes back, so it is neither looked for nor kept out any more.
    positions = "select position from tombstones where kind = ? and key = ?"
    for table in ("purges", "forgotten_records"):
        db.executemany(f"delete from {table} where position in ({positions})", together)
    db.executemany("delete from tombstones where kind = ? and key = ?", together)
    # The text was purged, so what is still on disk has to be read again from its start.
    db.executemany(
        """
        update heads set size = -1, state = json_set(state, '$.reread', 1)
        where json_extract(state, case ? when 'session' then '$.session_id' else '$.project' end) = ?
        """,
        together,
    )
    # Copies of it were passed over, whole or in part.
    db.execute(
        """
        update heads set size = -1, state = json_set(state, '$.reread', 1)
        where json_extract(state, '$.after_forgotten') is not null
        """
    )
    db.execute("update heads set size = -1 where generation = 0 and end_offset = 0")
