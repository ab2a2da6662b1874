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


_M005 = (
    # Homes whose events are in this log. 0 is this one. `who` is the person, `relation` what that person is to this
    # home's: self (0 only), own (another machine of the same person), teammate. `state`: active, gone, forked.
    """
    create table origins (
        id integer primary key,
        origin text not null unique,
        who text not null default '',
        name text not null default '',
        verify_key blob,
        relation text not null default 'own' check (relation in ('self', 'own', 'teammate')),
        state text not null default 'active'
    )
    """,
    # Of an event of another home: whose, its position there, its time there, the version of its vocabulary. Own events
    # have none of it, so nothing of theirs is rewritten and the index below stays empty without a remote.
    "alter table events add column origin integer not null default 0",
    "alter table events add column seq integer",
    "alter table events add column origin_ts integer",
    "alter table events add column schema integer",
    "create unique index events_origin on events(origin, seq) where origin <> 0",
    # Sets of readers. `kind` private or team, `owner` the person whose word removes others' sessions from it.
    """
    create table spaces (
        space text primary key,
        name text not null default '',
        kind text not null default 'private' check (kind in ('private', 'team')),
        owner text not null default '',
        remote text not null default '',
        epoch integer not null default 1,
        key blob
    ) without rowid
    """,
    # Segments that are published (origin 0) or applied, each with its hash: the next one has to name it.
    """
    create table chain (
        space text not null,
        origin integer not null,
        n integer not null,
        hash blob not null,
        last_seq integer not null,
        primary key (space, origin, n)
    ) without rowid
    """,
    # Segments that are built and not acknowledged. Built once: another build of the same events would look like a fork.
    """
    create table sync_outbox (
        space text not null,
        n integer not null,
        bytes blob not null,
        primary key (space, n)
    )
    """,
    """
    create table session_keys (
        space text not null,
        session text not null,
        key blob not null,
        primary key (space, session)
    ) without rowid
    """,
    # What was refused, why and when: a segment (n), or one event of it (seq), or one of its texts (blob).
    """
    create table quarantine (
        id integer primary key,
        space text not null,
        origin text not null,
        n integer not null,
        seq integer,
        blob text,
        why text not null,
        at integer not null
    )
    """,
    # Who has acknowledged which forgetting, and when it said so.
    """
    create table forget_acks (
        forgotten_id text not null,
        origin integer not null,
        at integer not null,
        primary key (forgotten_id, origin)
    ) without rowid
    """,
)


def m005_origins(db: sqlite3.Connection) -> None:
    for statement in _M005:
        db.execute(statement)


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    m001_events_blobs_heads,
    m002_identity,
    m003_purges_and_forgotten_records,
    m004_replaced_blobs,
    m005_origins,
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
