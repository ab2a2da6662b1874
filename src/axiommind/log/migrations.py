"""The log's schema, as numbered migrations. An old one is never edited.

Each runs once, inside the transaction that records it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

__all__ = ["MIGRATIONS", "migrate"]


_M001 = (
    """
    create table events (
        position integer primary key autoincrement,
        event_id text not null unique,
        ts integer not null,
        event_type text not null,
        actor text not null,
        session_id text,
        project text,
        payload_json text not null check (json_valid(payload_json)),
        payload_redacted text check (payload_redacted is null or json_valid(payload_redacted)),
        sensitivity text not null default 'normal',
        checksum text not null,
        build_id text,
        happened_at integer,
        created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    )
    """,
    "create index idx_events_ts on events(ts)",
    "create index idx_events_type on events(event_type)",
    "create index idx_events_session on events(session_id)",
    """
    create trigger events_never_update before update on events
    begin select raise(abort, 'events are never changed: the log is append-only'); end
    """,
    """
    create trigger events_never_delete before delete on events
    begin select raise(abort, 'events are never changed: the log is append-only'); end
    """,
    """
    create table event_dedup (
        dedupe_key text primary key,
        event_id text not null,
        ts integer not null,
        event_type text not null
    ) without rowid
    """,
    """
    create table blobs (
        id integer primary key,
        hash text not null unique,
        codec text not null,
        size integer not null,
        data blob not null
    )
    """,
    # Which event refers to which blob: what reference counting means when something is forgotten.
    """
    create table blob_refs (
        position integer not null references events(position),
        hash text not null,
        primary key (position, hash)
    ) without rowid
    """,
    "create index idx_blob_refs_hash on blob_refs(hash)",
    # The fold of the segment events by stream, kept in step inside their transactions (verify compares),
    # plus the file's last seen state, which is a cache.
    """
    create table heads (
        stream text primary key,
        generation integer not null,
        end_offset integer not null,
        size integer not null,
        mtime_ns integer not null,
        inode integer not null,
        state text not null
    ) without rowid
    """,
    """
    create table tombstones (
        kind text not null,
        key text not null,
        position integer not null,
        primary key (kind, key)
    ) without rowid
    """,
)


def m001_events_blobs_heads(db: sqlite3.Connection) -> None:
    for statement in _M001:
        db.execute(statement)


def m002_identity(db: sqlite3.Connection) -> None:
    """A log that is there already is named after its first event, so that copies of it have the same name."""
    db.execute("create table identity (name text primary key, value text not null) without rowid")
    db.execute(
        """
        insert into identity
        select 'log', coalesce((select event_id from events order by position limit 1), lower(hex(randomblob(16))))
        """
    )


_M003 = (
    # Purges that are not proven yet, and what to look for of each (log/purges.py). A row goes when it is proven.
    """
    create table purges (
        position integer primary key references events(position),
        key blob not null,
        runs blob not null,
        heads blob not null,
        blobs integer not null,
        bytes integer not null
    )
    """,
    # What was forgotten before this table was there has never been proven: the next run does it.
    """
    insert into purges
    select position, zeroblob(32), x'', x'', 0, 0
    from events
    where event_type = 'forgotten'
    """,
    # Records that were forgotten, by a keyed hash of their own id, and which event forgot them: whatever file holds a
    # copy of one, it is not read.
    """
    create table forgotten_records (
        hash blob not null,
        position integer not null,
        primary key (hash, position)
    ) without rowid
    """,
)


def m003_purges_and_forgotten_records(db: sqlite3.Connection) -> None:
    for statement in _M003:
        db.execute(statement)


_M004 = (
    # Blobs that were redacted again, and which took their place: events name them by their old names for ever.
    """
    create table replaced_blobs (
        hash text primary key,
        replaced_by text not null,
        position integer not null references events(position)
    ) without rowid
    """,
)


def m004_replaced_blobs(db: sqlite3.Connection) -> None:
    for statement in _M004:
        db.execute(statement)


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    m001_events_blobs_heads,
    m002_identity,
    m003_purges_and_forgotten_records,
    m004_replaced_blobs,
)


def migrate(db: sqlite3.Connection) -> int:
    """Apply what is missing; the caller holds the write transaction. Returns the version found before."""
    db.execute(
        """
        create table if not exists migrations (
            number integer primary key,
            name text not null,
            applied_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
        )
        """
    )
    (found,) = db.execute("select coalesce(max(number), 0) from migrations").fetchone()
    for number, step in enumerate(MIGRATIONS, start=1):
        if number > found:
            step(db)
            db.execute("insert into migrations(number, name) values (?, ?)", (number, step.__name__))
    return int(found)
