"""Whose sessions are a team mate's: a person's words in them are that one's, and vouch for nothing here.

What a team mate's home tells of its sessions can name nothing that is ours, since its ids end in `@PERSON` in our words
(`log/origins.py`); `in_their_name` does the same inside of texts.
"""

from __future__ import annotations

import re
import sqlite3
from typing import Any

from axiommind.model import Event
from axiommind.projections import OF_SESSION, Batch, Table

__all__ = ["AFTER", "EVENT_TYPES", "NAME", "TABLES", "VERSION", "apply", "create", "in_their_name", "is_teammates"]

NAME = "teammates"
VERSION = 2
AFTER: tuple[str, ...] = ()
EVENT_TYPES = ("transcript_segment", "forgotten")
TABLES = (
    Table(
        "teammate_sessions",
        "Sessions of other people, whose homes were imported or are synced: who said what is in them.",
        scope=OF_SESSION,
        forgotten_by="session_id",
    ),
)
_ID = re.compile(r"[a-z]{2,4}_[0-9A-Za-z]{6,64}")


def create(db: sqlite3.Connection) -> None:
    db.execute(
        """
        create table teammate_sessions (
            session_id text primary key,
            person text not null,
            project_path text
        ) without rowid
        """
    )


def apply(db: sqlite3.Connection, batch: Batch) -> None:
    for event in batch.events:
        if event.event_type == "forgotten":
            gone = [(session,) for session in event.payload["sessions"]]
            db.executemany("delete from teammate_sessions where session_id = ?", gone)
            db.execute("delete from teammate_sessions where project_path = ?", (event.payload["project"],))
        elif event.is_teammates:
            found = (event.session_id, _person(event), event.project)
            db.execute("insert into teammate_sessions values (?, ?, ?) on conflict do nothing", found)


def is_teammates(db: sqlite3.Connection, session: str) -> bool:
    return db.execute("select 1 from teammate_sessions where session_id = ?", (session,)).fetchone() is not None


def in_their_name(event: Event, value: Any) -> Any:
    """A JSON value out of a text of a team mate's event: each id in it names what is that person's."""
    if isinstance(value, list):
        return [in_their_name(event, one) for one in value]
    if isinstance(value, dict):
        return {name: in_their_name(event, one) for name, one in value.items()}
    if isinstance(value, str) and _ID.fullmatch(value):
        return f"{value}@{_person(event)}"
    return value


def _person(event: Event) -> str:
    return str(event.session_id).rpartition("@")[2]
