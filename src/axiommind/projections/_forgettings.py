"""What was forgotten, and when: an event of another home that is older than that, and comes later, never happened."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from axiommind.model import Event
from axiommind.projections import Table

__all__ = ["TABLE", "create", "without_forgotten"]

TABLE = Table(
    "forgettings",
    "Sessions, documents, scratchpads and projects that were forgotten, and the place of the last forgetting (`ord`) "
    "in the order of all machines: what another one had written of them before is left out when it comes.",
    scope="kind = 'project' and key = :project",
)
# What a person rejected stays rejected, whatever was forgotten: these have no text.
_KEPT = ("forget_lifted", "entry_deprecated", "entry_restored")


def create(db: sqlite3.Connection) -> None:
    db.execute(
        """
        create table if not exists forgettings (
            kind text not null check (kind in ('session', 'project')),
            key text not null,
            ord text not null,
            primary key (kind, key)
        ) without rowid
        """
    )


def without_forgotten(db: sqlite3.Connection, events: Sequence[Event]) -> list[Event]:
    """The events of a batch without those of what was forgotten after them; what they forget is noted."""
    if not any(event.event_type == "forgotten" for event in events) and not _any(db):
        return list(events)
    known = {(kind, key): at for kind, key, at in db.execute("select kind, key, ord from forgettings")}
    kept: list[Event] = []
    for event in events:
        if event.event_type == "forgotten":
            names = [("session", name) for name in event.payload["sessions"]]
            if event.payload["project"] is not None:
                names.append(("project", event.payload["project"]))
            for name in names:
                known[name] = max(known.get(name, ""), event.order)
                db.execute("insert or replace into forgettings(kind, key, ord) values (?, ?, ?)", (*name, known[name]))
        elif event.event_type not in _KEPT:
            about = (("session", event.session_id or ""), ("project", event.project or ""))
            if any(known.get(name, "") > event.order for name in about):
                continue
        kept.append(event)
    return kept


def _any(db: sqlite3.Connection) -> bool:
    return db.execute("select 1 from forgettings limit 1").fetchone() is not None
