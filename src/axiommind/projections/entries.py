"""Entries: what was learned, the stage and status of each claim, and the promotions and rulings that led there.

Content never changes. The stage is that of the latest promotion, and the status follows from rulings and open
conflicts: both are recomputed from their rows whenever those change, so that removing a session leaves what the others
said. Folds learning's events; their text is in blobs, and an event whose text was purged never happened.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from axiommind.ids import canonical_json
from axiommind.model import Event
from axiommind.projections import Batch
from axiommind.projections._entry_tables import DDL, TABLES
from axiommind.projections.session_rows import iso, row_id

__all__ = ["AFTER", "EVENT_TYPES", "NAME", "TABLES", "VERSION", "apply", "create"]

NAME = "entries"
VERSION = 2
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

_BY_ENTRY = ("promotions", "rulings", "entry_uses")
_ACTS = {
    "entry_contested": "contested",
    "entry_superseded": "superseded",
    "entry_deprecated": "deprecated",
    "entry_restored": "restored",
}


def create(db: sqlite3.Connection) -> None:
    for statement in DDL:
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
    # What a person rejected stays rejected, even when the session is forgotten and comes back: the key reveals nothing.
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
    """Recompute the status of entries: the latest ruling on them, or an open conflict."""
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
