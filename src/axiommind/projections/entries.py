"""Entries: what was learned, the stage and standing of each claim, and the ledgers that say how it got there.

Content never changes. The stage is that of the latest promotion, the status follows from rulings and open conflicts:
both are worked out anew from their rows whenever those change, so that taking a session out leaves what the others
said. Folds memory events; the text is in their blobs, and an event whose text was purged never was.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from axiommind.ids import canonical_json
from axiommind.model import Event
from axiommind.projections import Batch
from axiommind.projections._rows import iso, row_id

NAME = "entries"
VERSION = 1
AFTER = ("sessions",)
EVENT_TYPES = (
    "memory_extracted",
    "evidence_aligned",
    "idris_checked",
    "promoted",
    "conflict_detected",
    "conflict_resolved",
    "conflict_reopened",
    "entry_contested",
    "entry_superseded",
    "entry_deprecated",
    "entry_restored",
    "entry_used",
    "forgotten",
)
TABLES = ("entries", "promotions", "rulings", "conflicts", "entry_uses", "rejected_claims", "checks")

_DDL = (
    """
    create table entries (
        id integer primary key,
        entry_id text not null unique,
        created_ts integer not null,
        entry_type text not null
            check (entry_type in ('fact', 'decision', 'insight', 'task_note', 'reference')),
        stage text not null check (stage in ('raw', 'working', 'candidate', 'verified', 'certified')),
        status text not null default 'active'
            check (status in ('active', 'contested', 'deprecated', 'superseded')),
        superseded_by text,
        session_id text not null,
        project text not null,
        build_id text,
        rule text not null,
        confidence real not null,
        aligned integer not null default 0,
        verified_by text,
        happened_at integer,
        created_at text not null,
        canonical_key text not null,
        value_key text not null,
        evidence_json text not null default '[]' check (json_valid(evidence_json)),
        title text not null,
        text text not null,
        content_json text not null check (json_valid(content_json))
    )
    """,
    "create index idx_entries_type on entries(entry_type)",
    "create index idx_entries_stage on entries(stage)",
    "create index idx_entries_session on entries(session_id)",
    "create index idx_entries_key on entries(canonical_key)",
    "create index idx_entries_value on entries(value_key)",
    """
    create table promotions (
        id integer primary key,
        entry_id text not null,
        from_stage text not null,
        to_stage text not null,
        policy text not null,
        policy_version text not null,
        reason text not null,
        actor text not null,
        at text not null
    )
    """,
    "create index idx_promotions_entry on promotions(entry_id)",
    """
    create table rulings (
        position integer primary key,
        entry_id text not null,
        act text not null check (act in ('contested', 'superseded', 'deprecated', 'restored')),
        other_id text,
        actor text not null,
        reason text not null,
        at text not null
    )
    """,
    "create index idx_rulings_entry on rulings(entry_id)",
    """
    create table conflicts (
        conflict_id text primary key,
        older_id text not null,
        newer_id text not null,
        conflict_type text not null,
        reason text not null,
        detected_at text not null,
        resolved_at text,
        resolution text,
        resolved_by text
    ) without rowid
    """,
    "create index idx_conflicts_older on conflicts(older_id)",
    "create index idx_conflicts_newer on conflicts(newer_id)",
    """
    create table entry_uses (
        id integer primary key,
        entry_id text not null,
        session_id text,
        how text not null,
        at integer not null
    )
    """,
    "create index idx_entry_uses_entry on entry_uses(entry_id)",
    """
    create table rejected_claims (
        value_key text primary key,
        entry_id text not null,
        position integer not null
    ) without rowid
    """,
    """
    create table checks (
        position integer primary key,
        session_id text not null,
        project text not null,
        at text not null,
        verified_by text not null,
        agree integer not null,
        difference text not null,
        passed integer not null,
        failed integer not null
    )
    """,
    # One row a quote that was found: where its words stand, with the file and line to open.
    """
    create view entry_evidence as
    select
        e.entry_id,
        q.key as seq_order,
        json_extract(q.value, '$.event_id') as event_id,
        json_extract(q.value, '$.position') as position,
        g.path,
        coalesce(g.live, 0) as is_live,
        json_extract(q.value, '$.line') as line,
        json_extract(q.value, '$.block') as block,
        json_extract(q.value, '$.start') as span_start,
        json_extract(q.value, '$.end') as span_end,
        json_extract(q.value, '$.quote_hash') as quote_hash,
        json_extract(q.value, '$.confidence') as confidence,
        json_extract(q.value, '$.method') as method,
        json_extract(q.value, '$.reason') as reason
    from entries e
    join json_each(e.evidence_json) q
    left join segments g on g.position = json_extract(q.value, '$.position')
    """,
)
_BY_ENTRY = ("promotions", "rulings", "entry_uses")
_ACTS = {
    "entry_contested": "contested",
    "entry_superseded": "superseded",
    "entry_deprecated": "deprecated",
    "entry_restored": "restored",
}


def create(db: sqlite3.Connection) -> None:
    for statement in _DDL:
        db.execute(statement)


def apply(db: sqlite3.Connection, batch: Batch) -> None:
    for event in batch.events:
        if event.event_type == "memory_extracted":
            _extracted(db, event, batch)
        elif event.event_type == "evidence_aligned":
            _aligned(db, event)
        elif event.event_type == "idris_checked":
            _checked(db, event, batch)
        elif event.event_type == "promoted":
            _promoted(db, event, batch)
        elif event.event_type == "conflict_detected":
            _conflict(db, event)
        elif event.event_type in ("conflict_resolved", "conflict_reopened"):
            _resolved(db, event)
        elif event.event_type == "entry_used":
            _used(db, event)
        elif event.event_type == "forgotten":
            _forget(db, event)
        else:
            _ruled(db, event, batch)


def _extracted(db: sqlite3.Connection, event: Event, batch: Batch) -> None:
    name = event.payload.get("blob")
    content = batch.blob(name) if name else None
    if content is None:  # nothing new, or forgotten later in the log
        return
    for place, given in enumerate(json.loads(content)["entries"]):
        db.execute(
            """
            insert into entries(id, entry_id, created_ts, entry_type, stage, session_id, project, build_id, rule,
                                confidence, happened_at, created_at, canonical_key, value_key, title, text,
                                content_json)
            values (?, ?, ?, ?, 'raw', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            on conflict(entry_id) do nothing
            """,
            (
                row_id(event.position, place),
                given["entry_id"],
                event.ts,
                given["type"],
                event.session_id,
                event.project,
                event.build_id,
                given["rule"],
                given["confidence"],
                given["timestamp"],
                iso(event.ts),
                given["canonical_key"],
                given["value_key"],
                given["title"],
                given["text"],
                canonical_json(given["content"]),
            ),
        )


def _aligned(db: sqlite3.Connection, event: Event) -> None:
    db.executemany(
        "update entries set evidence_json = ?, aligned = ? where entry_id = ? and session_id = ?",
        [
            (canonical_json(one["evidence"]), int(one["aligned"]), one["entry_id"], event.session_id)
            for one in event.payload["entries"]
        ],
    )


def _checked(db: sqlite3.Connection, event: Event, batch: Batch) -> None:
    given = event.payload
    words = batch.blob(given["blob"])
    by, passed = given["verified_by"], sum(one["passed"] for one in given["results"])
    db.execute(
        "insert into checks values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            event.position,
            event.session_id,
            event.project,
            iso(event.ts),
            by,
            int(given["agree"]),
            "" if words is None else str(json.loads(words)["difference"]),
            passed,
            len(given["results"]) - passed,
        ),
    )
    db.executemany(
        "update entries set verified_by = ? where entry_id = ?",
        [(by if one["passed"] else None, one["entry_id"]) for one in event.payload["results"]],
    )


# --- stage -------------------------------------------------------------------------------------------------


def _promoted(db: sqlite3.Connection, event: Event, batch: Batch) -> None:
    given = event.payload
    said = _said(given, batch)
    for place, change in enumerate(given["changes"]):
        if not _exists(db, change["entry_id"]):
            continue
        db.execute(
            "insert into promotions values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                row_id(event.position, place),
                change["entry_id"],
                change["from"],
                change["to"],
                given["policy"],
                given["version"],
                said or change["reason"],
                event.actor,
                iso(event.ts),
            ),
        )
        db.execute("update entries set stage = ? where entry_id = ?", (change["to"], change["entry_id"]))


# --- status ------------------------------------------------------------------------------------------------


def _conflict(db: sqlite3.Connection, event: Event) -> None:
    given = event.payload
    if not (_exists(db, given["older_id"]) and _exists(db, given["newer_id"])):
        return
    db.execute(
        """
        insert into conflicts(conflict_id, older_id, newer_id, conflict_type, reason, detected_at)
        values (?, ?, ?, ?, ?, ?)
        on conflict do nothing
        """,
        (
            given["conflict_id"],
            given["older_id"],
            given["newer_id"],
            given["conflict_type"],
            given["reason"],
            iso(event.ts),
        ),
    )
    _settle(db, given["older_id"], given["newer_id"])


def _resolved(db: sqlite3.Connection, event: Event) -> None:
    given = event.payload
    row = db.execute(
        "select older_id, newer_id from conflicts where conflict_id = ?", (given["conflict_id"],)
    ).fetchone()
    if row is None:
        return
    ended = event.event_type == "conflict_resolved"
    db.execute(
        "update conflicts set resolved_at = ?, resolution = ?, resolved_by = ? where conflict_id = ?",
        (iso(event.ts) if ended else None, given["resolution"], given["resolved_by"], given["conflict_id"]),
    )
    _settle(db, *row)


def _ruled(db: sqlite3.Connection, event: Event, batch: Batch) -> None:
    given = event.payload
    entry = given["entry_id"]
    act = _ACTS[event.event_type]
    # What a person rejected stays rejected, also when the session is forgotten and comes back: the key says nothing.
    if act == "deprecated" and given["value_key"]:
        db.execute(
            "insert into rejected_claims values (?, ?, ?) on conflict do nothing",
            (given["value_key"], entry, event.position),
        )
    elif act == "restored":
        db.execute("delete from rejected_claims where entry_id = ?", (entry,))
    if not _exists(db, entry):
        return
    reason = _said(given, batch) or given.get("reason", "")
    db.execute(
        "insert into rulings values (?, ?, ?, ?, ?, ?, ?)",
        (event.position, entry, act, given.get("other_id"), event.actor, reason, iso(event.ts)),
    )
    _settle(db, entry)


def _said(given: dict[str, Any], batch: Batch) -> str:
    """The reason that a person gave, which is text and in a blob."""
    name = given.get("blob")
    content = batch.blob(name) if name else None
    return str(json.loads(content)["reason"]) if content is not None else ""


def _settle(db: sqlite3.Connection, *entries: str) -> None:
    """The status of entries: the latest ruling on them, or that a conflict is open."""
    for entry in entries:
        ruling = db.execute(
            "select act, other_id from rulings where entry_id = ? order by position desc limit 1", (entry,)
        ).fetchone()
        act, other = ruling or ("restored", None)
        if act == "superseded" and not _exists(db, other):  # what took its place was forgotten
            act = "restored"
        if act == "restored":
            (contested,) = db.execute(
                """
                select exists (
                    select 1 from conflicts where (older_id = ?1 or newer_id = ?1) and resolved_at is null)
                """,
                (entry,),
            ).fetchone()
            act = "contested" if contested else "active"
        db.execute(
            "update entries set status = ?, superseded_by = ? where entry_id = ?",
            (act, other if act == "superseded" else None, entry),
        )


def _used(db: sqlite3.Connection, event: Event) -> None:
    for place, entry in enumerate(event.payload["entries"]):
        if _exists(db, entry):
            db.execute(
                "insert into entry_uses values (?, ?, ?, ?, ?)",
                (row_id(event.position, place), entry, event.session_id, event.payload["how"], event.ts),
            )


def _exists(db: sqlite3.Connection, entry: Any) -> bool:
    return db.execute("select 1 from entries where entry_id = ?", (entry,)).fetchone() is not None


# --- forgetting --------------------------------------------------------------------------------------------


def _forget(db: sqlite3.Connection, event: Event) -> None:
    gone: list[str] = []
    for session in event.payload["sessions"]:
        gone += [row[0] for row in db.execute("select entry_id from entries where session_id = ?", (session,))]
        db.execute("delete from entry_uses where session_id = ?", (session,))
        db.execute("delete from checks where session_id = ?", (session,))
    if event.payload["project"] is not None:
        rows = db.execute("select entry_id from entries where project = ?", (event.payload["project"],))
        gone += [row[0] for row in rows]
        db.execute("delete from checks where project = ?", (event.payload["project"],))
    touched: set[str] = set()
    for entry in gone:
        rows = db.execute(
            """
            select older_id from conflicts where newer_id = :entry
            union select newer_id from conflicts where older_id = :entry
            union select entry_id from rulings where other_id = :entry
            """,
            {"entry": entry},
        )
        touched |= {row[0] for row in rows}
        db.execute("delete from conflicts where older_id = ?1 or newer_id = ?1", (entry,))
        for table in _BY_ENTRY:
            db.execute(f"delete from {table} where entry_id = ?", (entry,))
        db.execute("delete from entries where entry_id = ?", (entry,))
    _settle(db, *sorted(touched - set(gone)))
