"""Served: what hooks gave agents, when, and at what cost in tokens. Folds `memory_served`.

Ids and numbers only. An item goes with the session or document that it is of (`owner`), an answer with the session
that got it.
"""

from __future__ import annotations

import sqlite3

from axiommind.model import Event
from axiommind.projections import OF_PROJECT, Batch, Table, forgotten_projects

NAME = "served"
VERSION = 2
AFTER = ("sessions",)
EVENT_TYPES = ("memory_served", "forgotten")
TABLES = (
    Table(
        "served",
        "Context that hooks supplied: one row per answer, with the session that got it, its tokens and its time.",
        scope=OF_PROJECT,
        forgotten_by="session_id",
    ),
    Table(
        "served_items",
        "The items of each answer: the id of a passage, entry, task or decision, its probability, and the "
        "session or document it belongs to (`owner`).",
        scope="served_id in (select id from served)",
    ),
)

_DDL = (
    """
    create table served (
        id integer primary key,
        session_id text not null,
        project text,
        project_path text,
        hook text not null,
        at integer not null,
        tokens integer not null,
        took_ms integer not null
    )
    """,
    "create index idx_served_session on served(session_id, at)",
    """
    create table served_items (
        served_id integer not null references served(id) on delete cascade,
        item_id text not null,
        kind text not null,
        score real,
        owner text,
        primary key (served_id, item_id)
    ) without rowid
    """,
    "create index idx_served_items_owner on served_items(owner) where owner is not null",
)


def create(db: sqlite3.Connection) -> None:
    for statement in _DDL:
        db.execute(statement)


def apply(db: sqlite3.Connection, batch: Batch) -> None:
    for event in batch.events:
        if event.event_type == "memory_served":
            _served(db, event, batch)
        else:
            _forget(db, event)


def _served(db: sqlite3.Connection, event: Event, batch: Batch) -> None:
    given = event.payload
    db.execute(
        "insert into served values (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            event.position,
            event.session_id,
            *batch.placed(event).values(),
            given["hook"],
            event.happened_at,
            given["tokens"],
            given["ms"],
        ),
    )
    db.executemany(
        "insert into served_items values (?, ?, ?, ?, ?)",
        [(event.position, one["id"], one["kind"], one["score"], one["owner"]) for one in given["items"]],
    )


def _forget(db: sqlite3.Connection, event: Event) -> None:
    gone = [(session,) for session in event.payload["sessions"]]
    db.executemany("delete from served_items where owner = ?", gone)
    db.executemany("delete from served where session_id = ?", gone)
    db.executemany("delete from served where project_path = ?", [(path,) for path in forgotten_projects(event)])
