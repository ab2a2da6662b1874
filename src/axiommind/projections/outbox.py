"""The vector outbox: what has to be embedded, each thing once for each version of the vectors.

Jobs come and go with their rows: those of passages and entries by triggers, those of sessions and tasks as the events
that touch them are folded. A text that changed gets a new job. Which version the jobs are for is `embedding_version` in
`meta`; that, and how far each job got, is the worker's own and not the same after a rebuild. Jobs of tool calls are
added by the worker, where they are wanted.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from axiommind.projections import Batch, Table

NAME = "outbox"
VERSION = 5
AFTER = ("sessions", "entries", "tasks", "passages")
EVENT_TYPES = ("task_created", "task_title_changed", "learning_voided", "forgotten")
TABLES = (
    Table(
        "vector_outbox",
        "What has to be embedded, and its progress (`status`, `error`, `attempts`). `item_id` is the id of a "
        "passage (`prompt`, `response`, `doc`, `pad`, `tool`), of an entry, of a session (`summary`: what it "
        "is about) or of a task (`task_title`); `created_at` is when that was said.",
        scope="""
        case item_kind
            when 'entry' then item_id in (select entry_id from entries)
            when 'task_title' then item_id in (select entity_id from entities)
            when 'summary' then item_id in (select id from sessions)
            else item_id in (select id from passages)
        end
        """,
        differs="item_kind = 'tool'",
        differing=("job_id", "embedding_version", "status", "error", "attempts", "updated_at"),
    ),
)

# In the order in which they are embedded.
KINDS = ("entry", "task_title", "summary", "doc", "pad", "prompt", "response", "tool")
# The version of jobs while no embedder was chosen.
UNCHOSEN = "1"

_PASSAGES = "'prompt', 'response', 'doc', 'pad'"
_WANTED = "(select value from meta where key = 'embedding_version')"
_COLUMNS = "vector_outbox(item_kind, item_id, embedding_version, created_at)"
_AGAIN = "on conflict do update set status = 'pending', error = null, attempts = 0"

# `item_id` has no type of its own: the id of a passage is a number, other ids are texts. What is short comes first, and
# times are numbers: there is a row for every prompt and every answer.
_DDL = (
    f"""
    create table vector_outbox (
        job_id integer primary key,
        item_kind text not null check (item_kind in ({", ".join(f"'{kind}'" for kind in KINDS)})),
        item_id not null,
        embedding_version text not null,
        status text not null default 'pending' check (status in ('pending', 'done', 'failed')),
        attempts integer not null default 0,
        created_at integer,
        updated_at integer,
        error text,
        unique (item_kind, item_id, embedding_version)
    )
    """,
    "create index idx_vector_outbox_pending on vector_outbox(item_kind) where status = 'pending'",
    "create index idx_vector_outbox_failed on vector_outbox(item_kind) where status = 'failed'",
    f"insert into meta(key, value) values ('embedding_version', '{UNCHOSEN}')",
    f"""
    create trigger outbox_passages_in after insert on passages when new.kind in ({_PASSAGES}) begin
        insert into {_COLUMNS} values (new.kind, new.id, {_WANTED}, new.timestamp) {_AGAIN};
    end
    """,
    # `+`: beside a column of whole numbers, `item_id` would be made one first, and its index be of no use.
    """
    create trigger outbox_passages_out after delete on passages when old.kind not in ('insight', 'summary') begin
        delete from vector_outbox where item_kind = old.kind and item_id = +old.id;
    end
    """,
    f"""
    create trigger outbox_entries_in after insert on entries begin
        insert into {_COLUMNS} values ('entry', new.entry_id, {_WANTED}, new.created_ts) {_AGAIN};
    end
    """,
    f"""
    create trigger outbox_entries_new after update of title, text on entries
    when new.title <> old.title or new.text <> old.text begin
        insert into {_COLUMNS} values ('entry', new.entry_id, {_WANTED}, new.created_ts) {_AGAIN};
    end
    """,
    """
    create trigger outbox_entries_out after delete on entries begin
        delete from vector_outbox where item_kind = 'entry' and item_id = +old.entry_id;
    end
    """,
)

# What there is to embed, and since when: the jobs are always these.
_ITEMS = {
    "entry": "select 'entry' as kind, entry_id as id, created_ts as at from entries",
    "task_title": """
        select 'task_title' as kind, entity_id as id, cast(strftime('%s', created_at) as integer) * 1000 as at
        from entities where entity_type = 'task'
    """,
    "summary": "select 'summary' as kind, id, coalesce(ended_at, last_ts, file_mtime) as at from sessions",
    "passage": f"select kind, id, timestamp as at from passages where kind in ({_PASSAGES})",
    "tool": "select kind, id, timestamp as at from passages where kind = 'tool'",
}


def create(db: sqlite3.Connection) -> None:
    for statement in _DDL:
        db.execute(statement)


def apply(db: sqlite3.Connection, batch: Batch) -> None:
    for session in sorted(batch.sessions):
        db.execute("delete from vector_outbox where item_kind = 'summary' and item_id = ?", (session,))
        _add(db, "summary", session)
    for event in batch.events:
        if event.event_type == "forgotten":
            # What is left of a task may have another title, or be of another time.
            db.execute("delete from vector_outbox where item_kind = 'task_title'")
            _add(db, "task_title")
            continue
        voided = event.event_type == "learning_voided"
        for task in event.payload.get("entities", ()) if voided else (event.payload["task_id"],):
            if event.event_type != "task_created":
                db.execute("delete from vector_outbox where item_kind = 'task_title' and item_id = ?", (task,))
            _add(db, "task_title", task)


def _add(db: sqlite3.Connection, items: str, one: str | None = None) -> None:
    """A job for each of these items, or for the one with this id, unless there is one."""
    those = "true" if one is None else "id = ?"
    db.execute(
        f"""
        insert into {_COLUMNS}
        select kind, id, {_WANTED}, at from ({_ITEMS[items]}) where {those}
        on conflict do nothing
        """,
        () if one is None else (one,),
    )


# --- which version -----------------------------------------------------------------------------------------


def wanted(db: sqlite3.Connection) -> str:
    """The version that jobs are written for."""
    row = db.execute("select value from meta where key = 'embedding_version'").fetchone()
    return UNCHOSEN if row is None else str(row[0])


def retarget(db: sqlite3.Connection, version: str, keep: Collection[str] = ()) -> None:
    """From now on jobs are for this version, and everything has one. Jobs of other versions go, but those to `keep`."""
    there = {row[0] for row in db.execute("select distinct embedding_version from vector_outbox")}
    for other in sorted(there - {version, *keep}):
        db.execute("delete from vector_outbox where embedding_version = ?", (other,))
    db.execute("insert or replace into meta(key, value) values ('embedding_version', ?)", (version,))
    for items in ("entry", "task_title", "summary", "passage"):
        _add(db, items)


def add_tools(db: sqlite3.Connection) -> None:
    """A job for each tool call that has none."""
    _add(db, "tool")
