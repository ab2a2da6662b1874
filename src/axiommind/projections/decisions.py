"""Decisions: what a person decided, and the entries it rests on. Folds decision events.

A decision belongs to a project, and is forgotten with it or by its own id. What may be evidence is decided before the
event is written; the table's constraints repeat it.
"""

from __future__ import annotations

import json
import sqlite3

from axiommind.model import Event
from axiommind.projections import OF_PROJECT, Batch, Table, forgotten_projects
from axiommind.projections.session_rows import iso, row_id

NAME = "decisions"
VERSION = 2
AFTER = ("entries",)
EVENT_TYPES = ("decision_made", "forgotten")
TABLES = (
    Table(
        "decisions",
        "What was decided with `axm decision make`.",
        scope=OF_PROJECT,
        forgotten_by="decision_id",
    ),
    Table(
        "decision_evidence",
        "The entries that a decision rests on, and the stage they had then.",
        scope="decision_id in (select decision_id from decisions)",
    ),
)

_DDL = (
    """
    create table decisions (
        decision_id text primary key,
        ts integer not null,
        actor text not null,
        action text not null,
        outcome_json text not null check (json_valid(outcome_json)),
        confidence real not null,
        build_id text,
        created_at text not null,
        project text,
        project_path text
    )
    """,
    """
    create table decision_evidence (
        id integer primary key,
        decision_id text not null references decisions(decision_id) on delete cascade,
        evidence_kind text not null check (evidence_kind in ('entry', 'entity')),
        evidence_id text not null,
        evidence_stage text not null check (evidence_stage in ('verified', 'certified')),
        role text not null
    )
    """,
    "create index idx_decision_evidence on decision_evidence(decision_id)",
)


def create(db: sqlite3.Connection) -> None:
    for statement in _DDL:
        db.execute(statement)


def apply(db: sqlite3.Connection, batch: Batch) -> None:
    for event in batch.events:
        if event.event_type == "decision_made":
            _made(db, event, batch)
        else:
            _forget(db, event)


_ADD_DECISION = """
    insert into decisions(decision_id, ts, actor, action, outcome_json, confidence, build_id, created_at, project,
                          project_path)
    values (:decision, :ts, :actor, :action, :outcome, :confidence, :build_id, :created_at, :project, :project_path)
    on conflict do nothing
"""
_ADD_EVIDENCE = """
    insert into decision_evidence(id, decision_id, evidence_kind, evidence_id, evidence_stage, role)
    values (:row, :decision, :kind, :id, :stage, :role)
"""


def _made(db: sqlite3.Connection, event: Event, batch: Batch) -> None:
    given = event.payload
    content = batch.blob(given["blob"])
    if content is None:
        return
    said = json.loads(content)
    decision = str(event.session_id)
    db.execute(
        _ADD_DECISION,
        {
            "decision": decision,
            "ts": event.happened_at or event.ts,
            "actor": event.actor,
            "action": said["action"],
            "outcome": json.dumps(said["outcome"], ensure_ascii=False),
            "confidence": given["confidence"],
            "build_id": event.build_id,
            "created_at": iso(event.ts),
            **batch.placed(event),
        },
    )
    db.executemany(
        _ADD_EVIDENCE,
        [
            {"row": row_id(event.position, n), "decision": decision}
            | {name: one[name] for name in ("kind", "id", "stage", "role")}
            for n, one in enumerate(given["evidence"])
        ],
    )


def _forget(db: sqlite3.Connection, event: Event) -> None:
    gone = [(d,) for d in event.payload["sessions"]]
    for path in forgotten_projects(event):
        gone += db.execute("select decision_id from decisions where project_path = ?", (path,)).fetchall()
    for table in ("decision_evidence", "decisions"):
        db.executemany(f"delete from {table} where decision_id = ?", gone)
