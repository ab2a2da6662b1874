"""Proposals: what agents asked for that counts only from a person, and what the person said. Folds proposal events.

A proposal goes with the session, workflow or decision that it is about, or with its project. What it asks for, in full,
is text, and comes from a blob: where that was purged there is no proposal any more.
"""

from __future__ import annotations

import json
import sqlite3

from axiommind.model import Event
from axiommind.projections import OF_PROJECT, Batch, Table, forgotten_projects

NAME = "proposals"
VERSION = 2
AFTER = ("sessions",)
EVENT_TYPES = ("proposal_made", "proposal_confirmed", "proposal_declined", "forgotten")
TABLES = (
    Table(
        "proposals",
        "What agents asked for that counts only from a person: `act` and `args_json` say what, `about` is the id of "
        "what it would change. `status` is open, confirmed or declined.",
        scope=OF_PROJECT,
        forgotten_by="session_id",
    ),
)
_DDL = (
    """
    create table proposals (
        proposal_id text primary key,
        request_key text not null,
        act text not null,
        about text not null,
        args_json text not null check (json_valid(args_json)),
        asked_by text not null,
        asked_at integer not null,
        status text not null default 'open' check (status in ('open', 'confirmed', 'declined')),
        decided_at integer,
        reason text not null default '',
        session_id text,
        project text,
        project_path text
    ) without rowid
    """,
    "create index idx_proposals_request on proposals(request_key)",
    "create index idx_proposals_open on proposals(asked_at) where status = 'open'",
)
_ADD = """
    insert into proposals(proposal_id, request_key, act, about, args_json, asked_by, asked_at, session_id, project,
                          project_path)
    values (:proposal, :request_key, :act, :about, :args, :asked_by, :at, :session, :project, :project_path)
    on conflict do nothing
"""
_DECIDE = """
    update proposals
    set status = :status, decided_at = :at, reason = :reason
    where proposal_id = :proposal
"""
_FORGET = "delete from proposals where session_id = ?"
_FORGET_PROJECT = "delete from proposals where project_path = ?"


def create(db: sqlite3.Connection) -> None:
    for statement in _DDL:
        db.execute(statement)


def apply(db: sqlite3.Connection, batch: Batch) -> None:
    for event in batch.events:
        if event.event_type == "proposal_made":
            _made(db, event, batch)
        elif event.event_type == "forgotten":
            db.executemany(_FORGET, [(name,) for name in event.payload["sessions"]])
            db.executemany(_FORGET_PROJECT, [(path,) for path in forgotten_projects(event)])
        else:
            _decided(db, event, batch)


def _made(db: sqlite3.Connection, event: Event, batch: Batch) -> None:
    given = event.payload
    content = batch.blob(given["blob"])
    if content is None:
        return
    said = json.loads(content)
    db.execute(
        _ADD,
        {
            "proposal": given["proposal_id"],
            "request_key": given["request_key"],
            "act": given["act"],
            "about": given["about"],
            "args": json.dumps(said["args"], ensure_ascii=False, sort_keys=True),
            "asked_by": said["asked_by"],
            "at": event.ts,
            "session": event.session_id,
            **batch.placed(event),
        },
    )


def _decided(db: sqlite3.Connection, event: Event, batch: Batch) -> None:
    given = event.payload
    content = batch.blob(given["blob"]) if "blob" in given else None
    db.execute(
        _DECIDE,
        {
            "status": event.event_type.removeprefix("proposal_"),
            "at": event.ts,
            "reason": "" if content is None else json.loads(content)["reason"],
            "proposal": given["proposal_id"],
        },
    )
