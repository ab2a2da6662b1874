"""The vector outbox: what has to be embedded. One job for each entry and each task title; the same one never twice.

The jobs follow the log; how far each one got (`status`, `error`, `updated_at`, `attempts`) is the worker's own, and is
not the same after a rebuild.
"""

from __future__ import annotations

import sqlite3

from axiommind.ids import dedupe_key
from axiommind.projections import PLACE_BITS, Batch

NAME = "outbox"
VERSION = 1
AFTER = ("entries", "tasks")
EVENT_TYPES = ("memory_extracted", "task_created", "task_title_changed", "forgotten")
TABLES = ("vector_outbox",)
# Changes with how texts become vectors.
EMBEDDING_VERSION = "1"

_DDL = (
    """
    create table vector_outbox (
        job_id text primary key,
        item_kind text not null check (item_kind in ('entry', 'task_title')),
        item_id text not null,
        embedding_version text not null,
        status text not null check (status in ('pending', 'done', 'failed')),
        error text,
        attempts integer not null default 0,
        created_at text not null,
        updated_at text not null,
        unique (item_kind, item_id, embedding_version)
    )
    """,
    "create index idx_vector_outbox_status on vector_outbox(status)",
)
# What there is to embed, and since when: the jobs are always these.
_ITEMS = {
    "entry": "select entry_id as id, created_at as at from entries",
    "task_title": "select entity_id as id, created_at as at from entities where entity_type = 'task'",
}


def create(db: sqlite3.Connection) -> None:
    for statement in _DDL:
        db.execute(statement)


def apply(db: sqlite3.Connection, batch: Batch) -> None:
    if any(event.event_type == "forgotten" for event in batch.events):
        for kind, there in _ITEMS.items():
            gone = f"item_id not in (select id from ({there}))"
            db.execute(f"delete from vector_outbox where item_kind = ? and {gone}", (kind,))
            _add(db, kind, f"select id, at from ({there})", ())
    for event in batch.events:
        if event.event_type == "memory_extracted":
            those = (event.position << PLACE_BITS, (event.position + 1 << PLACE_BITS) - 1)
            _add(db, "entry", f"{_ITEMS['entry']} where id between ? and ?", those)
        elif event.event_type != "forgotten":
            task = (event.payload["task_id"],)
            _add(db, "task_title", f"{_ITEMS['task_title']} and entity_id = ?", task)
            if event.event_type == "task_title_changed":
                db.execute("update vector_outbox set status = 'pending', attempts = 0 where item_id = ?", task)


def _add(db: sqlite3.Connection, kind: str, items: str, values: tuple[object, ...]) -> None:
    """A job for each item, unless there is one."""
    db.executemany(
        """
        insert into vector_outbox(job_id, item_kind, item_id, embedding_version, status, created_at, updated_at)
        values (?1, ?2, ?3, ?4, 'pending', ?5, ?5)
        on conflict(item_kind, item_id, embedding_version) do update set created_at = excluded.created_at
        """,
        [
            ("job_" + dedupe_key(kind, item, EMBEDDING_VERSION)[:16], kind, item, EMBEDDING_VERSION, at)
            for item, at in db.execute(items, values).fetchall()
        ],
    )
