"""The events of a session's files in the order of all machines: two of them may go on with one session, and what one of
them wrote comes when what the other wrote later is folded already."""

from __future__ import annotations

import sqlite3

from axiommind.model import Event
from axiommind.projections import OF_SESSION, Batch, Table, _forgettings

__all__ = ["DDL", "TABLE", "events_of", "note"]

TABLE = Table(
    "session_events",
    "The events of each session's files, with their place in the order of all machines (`ord`), in which a session is "
    "folded that several machines went on with.",
    scope=OF_SESSION,
    forgotten_by="session_id",
    differs="true",
)
DDL = """
    create table session_events (
        session_id text not null,
        ord text not null,
        position integer not null,
        primary key (session_id, ord)
    ) without rowid
"""


def note(db: sqlite3.Connection, event: Event) -> bool:
    """Note an event of a session. Whether one is folded that comes after it in the order of all machines."""
    values = (str(event.session_id), event.order, event.position)
    later = db.execute("select 1 from session_events where session_id = ? and ord > ? limit 1", values[:2]).fetchone()
    db.execute("insert into session_events(session_id, ord, position) values (?, ?, ?) on conflict do nothing", values)
    return later is not None


def events_of(db: sqlite3.Connection, session: str, batch: Batch) -> list[Event]:
    """The events of a session in that order, less those of what was forgotten since."""
    rows = db.execute("select position from session_events where session_id = ? order by ord", (session,)).fetchall()
    events = [event for (position,) in rows if (event := batch.event_at(position)) is not None]
    return _forgettings.without_forgotten(db, events)
