"""Entries: what was learned, the stage and status of each claim, and the promotions and rulings that led there.

Content never changes. The stage is that of the latest promotion, and the status follows from rulings and open
conflicts: both are recomputed from their rows whenever those change, so that removing a session leaves what the others
said. Folds learning's events; their text is in blobs, and an event whose text was purged never happened.
"""

from __future__ import annotations

import json
import sqlite3

from axiommind.ids import canonical_json
from axiommind.model import Event
from axiommind.projections import Batch, forgotten_projects
from axiommind.projections import _entry_events as noting
from axiommind.projections._entry_status import LINKED, settle_status
from axiommind.projections._entry_tables import DDL, TABLES
from axiommind.projections.entry_rows import ONLY_KIND
from axiommind.projections.session_rows import iso, row_id

__all__ = ["AFTER", "EVENT_TYPES", "NAME", "TABLES", "VERSION", "apply", "create"]

NAME = "entries"
VERSION = 8
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
    "entry_withdrawn",
    "entry_returned",
    "support_checked",
    "entry_used",
    "transcript_segment",
    "forgotten",
)

_BY_ENTRY = ("promotions", "rulings", "entry_uses")


def create(db: sqlite3.Connection) -> None:
    for statement in DDL:
        db.execute(statement)


def apply(db: sqlite3.Connection, batch: Batch) -> None:
    for event in batch.events:
        if event.event_type == "forgotten":
            _forget(db, event)
            continue
        if event.event_type == "transcript_segment":
            for entry in noting.awaiting(db, event):
                _fold_again(db, entry, batch)
            continue
        if noting.vouches_elsewhere(event):
            continue
        about = noting.about_entries(event, batch)
        late = {entry for entry in about if noting.is_late(db, entry, event)}
        noting.note(db, event, about)
        _fold(db, event, batch, about - late)
        for entry in sorted(late):
            _fold_again(db, entry, batch)


def _fold_again(db: sqlite3.Connection, entry: str, batch: Batch) -> None:
    if not entry.startswith("ent_"):  # a conflict, whose last word counts
        _last_word(db, entry, batch)
        return
    linked = {row[0] for row in db.execute(LINKED, {"entry": entry})}
    db.execute("delete from rejected_claims where entry_id = ?", (entry,))
    _remove(db, entry)
    for event in noting.noted(db, entry, batch):
        _fold(db, event, batch, {entry})
    settle_status(db, entry, *sorted(linked))


def _fold(db: sqlite3.Connection, event: Event, batch: Batch, only: set[str]) -> None:
    """Fold an event as far as it is about these entries."""
    if event.event_type == "memory_extracted":
        _extracted(db, event, batch, only)
    elif event.event_type == "evidence_aligned":
        _aligned(db, event, only)
    elif event.event_type == "idris_checked":
        _checked(db, event, batch, only)
    elif event.event_type == "support_checked":
        _supported(db, event, only)
    elif event.event_type == "promoted":
        _promoted(db, event, batch, only)
    elif event.event_type == "conflict_detected":
        _conflict(db, event, batch, only)
    elif event.event_type in ("conflict_resolved", "conflict_reopened"):
        if only:
            _last_word(db, event.payload["conflict_id"], batch)
    elif event.event_type == "entry_used":
        _used(db, event, only)
    elif only:
        _ruled(db, event, batch)


_GIVEN = (
    "entry_id",
    "type",
    "rule",
    "confidence",
    "timestamp",
    "canonical_key",
    "value_key",
    "title",
    "text",
)
_ADD_ENTRY = """
    insert into entries(id, entry_id, created_ts, entry_type, stage, session_id, project, project_path, build_id,
                        kind, provenance, extractor, rule, confidence, support, happened_at, created_at, canonical_key,
                        value_key, title, text, content_json, anchors_json)
    values (:id, :entry_id, :created_ts, :type, 'raw', :session_id, :project, :project_path, :build_id,
            :kind, :provenance, :extractor, :rule, :confidence, :support, :timestamp, :created_at, :canonical_key,
            :value_key, :title, :text, :content_json, :anchors_json)
    on conflict(entry_id) do update set
        kind = excluded.kind, provenance = excluded.provenance, extractor = excluded.extractor, rule = excluded.rule,
        confidence = excluded.confidence, support = excluded.support, happened_at = excluded.happened_at,
        value_key = excluded.value_key, canonical_key = excluded.canonical_key, anchors_json = excluded.anchors_json,
        title = iif(entry_type = 'task_note', excluded.title, title),
        text = iif(entry_type = 'task_note', excluded.text, text),
        content_json = iif(entry_type = 'task_note', excluded.content_json, content_json)
"""


def _extracted(db: sqlite3.Connection, event: Event, batch: Batch, only: set[str]) -> None:
    """New entries. Of one that is known, what is known about it, never what it says: only the note on a task, which is
    of how far that is, changes with it."""
    name = event.payload.get("blob")
    content = batch.blob(name) if name else None
    if content is None:  # nothing new, or forgotten later in the log
        return
    for place, one in enumerate(json.loads(content)["entries"]):
        given = noting.in_our_words(event, one) if event.is_teammates else one
        if given["entry_id"] not in only:
            continue
        db.execute(
            _ADD_ENTRY,
            {
                "id": row_id(event.position, place),
                "created_ts": event.ts,
                "session_id": event.session_id,
                **batch.placed(event),
                "build_id": event.build_id,
                "created_at": iso(event.ts),
                "extractor": event.payload.get("extractor", ""),
                "content_json": canonical_json(given["content"]),
                # Older events say neither kind nor provenance.
                "kind": given.get("kind") or ONLY_KIND.get(given["type"], ""),
                "provenance": given.get("provenance", "elsewhere"),
                "support": given.get("support", ""),
                "anchors_json": canonical_json(given.get("anchors", [])),
                **{name: given[name] for name in _GIVEN},
            },
        )


_ALIGN = """
    update entries
    set evidence_json = :evidence, aligned = :aligned
    where entry_id = :entry and session_id = :session
"""


def _aligned(db: sqlite3.Connection, event: Event, only: set[str]) -> None:
    noting.await_words(db, [one for one in event.payload["entries"] if one["entry_id"] in only])
    db.executemany(
        _ALIGN,
        [
            {
                "evidence": canonical_json(one["evidence"]),
                "aligned": int(one["aligned"]),
                "entry": one["entry_id"],
                "session": event.session_id,
            }
            for one in event.payload["entries"]
            if one["entry_id"] in only
        ],
    )


_ADD_CHECK = """
    insert into checks(position, session_id, project, project_path, at, verified_by, agree, difference, passed, failed)
    values (:position, :session_id, :project, :project_path, :at, :verified_by, :agree, :difference, :passed, :failed)
    on conflict do nothing
"""


def _checked(db: sqlite3.Connection, event: Event, batch: Batch, only: set[str]) -> None:
    given = event.payload
    # The first events of this type named only the checkers, and had no text of their own.
    words = batch.blob(given["blob"]) if "blob" in given else None
    by = given["verified_by"] if "verified_by" in given else given["checkers"][0]["name"]
    passed = sum(one["passed"] for one in given["results"])
    db.execute(
        _ADD_CHECK,
        {
            "position": event.position,
            "session_id": event.session_id,
            **batch.placed(event),
            "at": iso(event.ts),
            "verified_by": by,
            "agree": int(given["agree"]),
            "difference": "" if words is None else str(json.loads(words)["difference"]),
            "passed": passed,
            "failed": len(given["results"]) - passed,
        },
    )
    db.executemany(
        "update entries set verified_by = :by where entry_id = :entry",
        [
            {"by": by if one["passed"] else None, "entry": one["entry_id"]}
            for one in given["results"]
            if one["entry_id"] in only
        ],
    )


_SUPPORT = """
    update entries
    set support = :support, confidence = min(confidence, :most)
    where entry_id = :entry_id
"""


def _supported(db: sqlite3.Connection, event: Event, only: set[str]) -> None:
    """What a second reader said later of claims that nobody had been asked about."""
    db.executemany(_SUPPORT, [one for one in event.payload["entries"] if one["entry_id"] in only])


# --- stage -------------------------------------------------------------------------------------------------


_ADD_PROMOTION = """
    insert into promotions(id, entry_id, from_stage, to_stage, policy, policy_version, reason, actor, at)
    values (:id, :entry_id, :from, :to, :policy, :version, :reason, :actor, :at)
"""


def _promoted(db: sqlite3.Connection, event: Event, batch: Batch, only: set[str]) -> None:
    given = event.payload
    said = noting.reason_in(given, batch)
    for place, change in enumerate(given["changes"]):
        if change["entry_id"] not in only or not noting.exists(db, change["entry_id"]):
            continue
        db.execute(
            _ADD_PROMOTION,
            {
                "id": row_id(event.position, place),
                "entry_id": change["entry_id"],
                "from": change["from"],
                "to": change["to"],
                "policy": given["policy"],
                "version": given["version"],
                "reason": said or change["reason"],
                "actor": event.actor,
                "at": iso(event.ts),
            },
        )
        db.execute("update entries set stage = ? where entry_id = ?", (change["to"], change["entry_id"]))


# --- status ------------------------------------------------------------------------------------------------


_ADD_CONFLICT = """
    insert into conflicts(conflict_id, older_id, newer_id, conflict_type, reason, detected_at)
    values (:conflict_id, :older_id, :newer_id, :conflict_type, :reason, :at)
    on conflict do nothing
"""
_RESOLVE = """
    update conflicts
    set resolved_at = :at, resolution = :resolution, resolved_by = :by
    where conflict_id = :conflict
"""


def _conflict(db: sqlite3.Connection, event: Event, batch: Batch, only: set[str]) -> None:
    given = event.payload
    if not (only and noting.exists(db, given["older_id"]) and noting.exists(db, given["newer_id"])):
        return
    names = ("conflict_id", "older_id", "newer_id", "conflict_type", "reason")
    db.execute(_ADD_CONFLICT, {"at": iso(event.ts), **{name: given[name] for name in names}})
    _last_word(db, given["conflict_id"], batch)
    settle_status(db, given["older_id"], given["newer_id"])


def _last_word(db: sqlite3.Connection, conflict: str, batch: Batch) -> None:
    """Whether a conflict is resolved: as was said last of it."""
    row = db.execute("select older_id, newer_id from conflicts where conflict_id = ?", (conflict,)).fetchone()
    said = [] if row is None else noting.noted(db, conflict, batch)
    if row is None or not said:
        return
    event = said[-1]
    given = event.payload
    at = iso(event.ts) if event.event_type == "conflict_resolved" else None
    values = {"resolution": given["resolution"], "by": given["resolved_by"], "conflict": conflict}
    db.execute(_RESOLVE, {"at": at, **values})
    settle_status(db, *row)


_REJECT = """
    insert into rejected_claims(value_key, entry_id, position)
    values (:value_key, :entry, :position)
    on conflict do nothing
"""
_ADD_RULING = """
    insert into rulings(position, ord, entry_id, act, other_id, actor, reason, at)
    values (:position, :ord, :entry, :act, :other, :actor, :reason, :at)
"""


def _ruled(db: sqlite3.Connection, event: Event, batch: Batch) -> None:
    given = event.payload
    entry = given["entry_id"]
    act = noting.ACTS[event.event_type]
    # What a person rejected stays rejected, even when the session is forgotten and comes back: the key reveals nothing.
    if act == "deprecated" and given["value_key"] and not event.is_teammates:
        db.execute(_REJECT, {"value_key": given["value_key"], "entry": entry, "position": event.position})
    elif act == "restored" and not event.is_teammates:
        db.execute("delete from rejected_claims where entry_id = ?", (entry,))
    if not noting.exists(db, entry):
        return
    reason = noting.reason_in(given, batch) or given.get("reason", "")
    db.execute(
        _ADD_RULING,
        {
            "position": event.position,
            "ord": event.order,
            "entry": entry,
            "act": act,
            "other": given.get("other_id"),
            "actor": event.actor,
            "reason": reason,
            "at": iso(event.ts),
        },
    )
    settle_status(db, entry)
    if act in ("withdrawn", "returned"):  # with it goes, and comes, what it contested and superseded
        settle_status(db, *(row[0] for row in db.execute(LINKED, {"entry": entry}).fetchall()))


_ADD_USE = """
    insert into entry_uses(id, entry_id, session_id, how, at)
    values (:id, :entry, :session, :how, :at)
"""


def _used(db: sqlite3.Connection, event: Event, only: set[str]) -> None:
    for place, entry in enumerate(event.payload["entries"]):
        if entry in only and noting.exists(db, entry):
            values = {"session": event.session_id, "how": event.payload["how"], "at": event.ts}
            db.execute(_ADD_USE, {"id": row_id(event.position, place), "entry": entry, **values})


# --- forgetting --------------------------------------------------------------------------------------------


def _forget(db: sqlite3.Connection, event: Event) -> None:
    gone: list[str] = []
    for session in event.payload["sessions"]:
        gone += [row[0] for row in db.execute("select entry_id from entries where session_id = ?", (session,))]
        db.execute("delete from entry_uses where session_id = ?", (session,))
        db.execute("delete from checks where session_id = ?", (session,))
    for path in forgotten_projects(event):
        gone += [row[0] for row in db.execute("select entry_id from entries where project_path = ?", (path,))]
        db.execute("delete from checks where project_path = ?", (path,))
    touched: set[str] = set()
    for entry in gone:
        rows = db.execute(LINKED, {"entry": entry})
        touched |= {row[0] for row in rows}
        _remove(db, entry)
    settle_status(db, *sorted(touched - set(gone)))


def _remove(db: sqlite3.Connection, entry: str) -> None:
    db.execute("delete from conflicts where older_id = :entry or newer_id = :entry", {"entry": entry})
    for table in _BY_ENTRY:
        db.execute(f"delete from {table} where entry_id = ?", (entry,))
    db.execute("delete from entries where entry_id = ?", (entry,))
