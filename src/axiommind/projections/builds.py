"""Builds: every run of the pipeline over a session, how long its steps took, and what models cost.

`learned` says how far a session was learned, so that an unchanged one is not learned again. Folds the events that the
pipeline writes about itself.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from axiommind.model import Event
from axiommind.projections import OF_PROJECT, Batch, Table, forgotten_projects
from axiommind.projections.session_rows import iso, row_id

NAME = "builds"
VERSION = 5
AFTER = ("projects",)
EVENT_TYPES = (
    "build_started",
    "build_finished",
    "pipeline_measured",
    "model_called",
    "learning_voided",
    "forgotten",
)
TABLES = (
    Table(
        "build_runs",
        "One row per run of the pipeline over a session: with which extractor, and how it ended. One that was cut off, "
        "and whose session a later build (`resumed_by`) finished, is `resumed`.",
        scope=OF_PROJECT,
        forgotten_by="session_id",
    ),
    Table(
        "pipeline_metrics",
        "How long each step of a build took, and whether it succeeded.",
        scope=OF_PROJECT,
        forgotten_by="session_id",
    ),
    Table(
        "model_calls",
        "Each call to a model, with its tokens and cost, if known.",
    ),
    Table(
        "learning_voids",
        "Sessions to be learned again, because a task they mention was forgotten with another session.",
        scope=OF_PROJECT,
        forgotten_by="session_id",
    ),
    Table(
        "learned",
        "How far each session was learned (`head`), by which extractor (and `version` of it), and whether that failed; "
        "`read_to` is the position up to which it was read with success.",
        scope=OF_PROJECT,
        forgotten_by="session_id",
    ),
)

_DDL = (
    """
    create table build_runs (
        build_id text primary key,
        started_at text not null,
        finished_at text,
        extractor text not null,
        extractor_model text not null,
        extractor_prompt_hash text not null,
        embedder_model text not null,
        embedding_version text not null,
        idris_version text not null,
        schema_version text not null,
        status text not null check (status in ('running', 'success', 'failed', 'resumed')),
        error text,
        session_id text,
        project text,
        project_path text,
        resumed_by text
    )
    """,
    "create index idx_build_runs_session on build_runs(session_id)",
    """
    create table pipeline_metrics (
        id integer primary key,
        ts text not null,
        stage text not null,
        latency_ms real not null,
        success integer not null,
        error text,
        session_id text,
        build_id text,
        project text,
        project_path text
    )
    """,
    """
    create table model_calls (
        position integer primary key,
        ts text not null,
        day text not null,
        extractor text not null,
        model text not null,
        input_tokens integer not null,
        output_tokens integer not null,
        usd real,
        seconds real not null,
        ok integer not null
    )
    """,
    """
    create table learned (
        session_id text not null,
        extractor text not null,
        head text not null,
        status text not null check (status in ('success', 'failed')),
        error text,
        build_id text not null,
        at text not null,
        project text,
        project_path text,
        failures integer not null default 0,
        version text not null default '',
        read_to integer not null default 0,
        primary key (session_id, extractor)
    ) without rowid
    """,
    """
    create table learning_voids (
        session_id text primary key,
        position integer not null,
        project text,
        project_path text
    ) without rowid
    """,
)


def create(db: sqlite3.Connection) -> None:
    for statement in _DDL:
        db.execute(statement)


def apply(db: sqlite3.Connection, batch: Batch) -> None:
    for event in batch.events:
        _FOLDS[event.event_type](db, event, batch, _error(event, batch))


def _error(event: Event, batch: Batch) -> str | None:
    """Why a build failed: in a blob, because it may be the words of a model."""
    name = event.payload.get("blob")
    content = batch.blob(name) if name else None
    return None if content is None else str(json.loads(content)["error"])


_CUT = "cut off"
# A build of the same session that never finished was cut off.
_CUT_OFF = f"""
    update build_runs
    set status = 'failed', error = '{_CUT}', finished_at = :at
    where session_id = :session
      and extractor = :extractor
      and status = 'running'
"""
_START = """
    insert into build_runs(build_id, started_at, extractor, extractor_model, extractor_prompt_hash, embedder_model,
                           embedding_version, idris_version, schema_version, status, session_id, project, project_path)
    values (:build, :at, :extractor, :model, :prompt_hash, :embedder_model, :embedding_version, :idris_version,
            :schema_version, 'running', :session, :project, :project_path)
    on conflict do nothing
"""
_STARTED_WITH = (
    "extractor",
    "model",
    "prompt_hash",
    "embedder_model",
    "embedding_version",
    "idris_version",
    "schema_version",
)


def _started(db: sqlite3.Connection, event: Event, batch: Batch, _error: str | None) -> None:
    values = _of(event, batch) | {name: event.payload[name] for name in _STARTED_WITH}
    db.execute(_CUT_OFF, values)
    db.execute(_START, values)


def _of(event: Event, batch: Batch) -> dict[str, Any]:
    return {"build": event.build_id, "at": iso(event.ts), "session": event.session_id, **batch.placed(event)}


_FINISH = """
    update build_runs
    set status = :status, error = :error, finished_at = :at, resumed_by = null,
        extractor_model = coalesce(:model, extractor_model),
        extractor_prompt_hash = coalesce(:prompt_hash, extractor_prompt_hash)
    where build_id = :build
"""
# What a build wrote before it was cut off counts: entries name it, and its session is learned now.
_RESUME = f"""
    update build_runs
    set status = 'resumed', error = null, resumed_by = :build
    where session_id = :session
      and extractor = :extractor
      and build_id <> :build
      and status = 'failed'
      and error = '{_CUT}'
"""
_LEARN = """
    insert into learned(session_id, head, extractor, status, error, build_id, at, project, project_path, failures,
                        version, read_to)
    values (:session, :head, :extractor, :status, :error, :build, :at, :project, :project_path, :status = 'failed',
            coalesce(:prompt_hash, ''), case :status when 'success' then cast(:head as integer) else 0 end)
    on conflict(session_id, extractor) do update set
        failures = excluded.failures * case when head = excluded.head then failures + 1 else 1 end,
        head = excluded.head, status = excluded.status, error = excluded.error,
        build_id = excluded.build_id, at = excluded.at, project = excluded.project,
        project_path = excluded.project_path, version = excluded.version, read_to = max(read_to, excluded.read_to)
"""


def _finished(db: sqlite3.Connection, event: Event, batch: Batch, error: str | None) -> None:
    names = ("status", "head", "extractor", "model", "prompt_hash")
    values = _of(event, batch) | {"error": error} | {name: event.payload.get(name) for name in names}
    db.execute(_FINISH, values)
    if values["status"] == "success":
        db.execute(_RESUME, values)
    db.execute(_LEARN, values)


_ADD_METRIC = """
    insert into pipeline_metrics(id, ts, stage, latency_ms, success, error, session_id, build_id, project,
                                 project_path)
    values (:id, :at, :stage, :latency_ms, :success, :error, :session, :build, :project, :project_path)
"""


def _measured(db: sqlite3.Connection, event: Event, batch: Batch, error: str | None) -> None:
    db.executemany(
        _ADD_METRIC,
        [
            _of(event, batch)
            | {
                "id": row_id(event.position, n),
                "stage": step["stage"],
                "latency_ms": step["latency_ms"],
                "success": int(step["success"]),
                "error": None if step["success"] else error,
            }
            for n, step in enumerate(event.payload["steps"])
        ],
    )


_ADD_CALL = """
    insert into model_calls(position, ts, day, extractor, model, input_tokens, output_tokens, usd, seconds, ok)
    values (:position, :at, :day, :extractor, :model, :input_tokens, :output_tokens, :usd, :seconds, :ok)
"""
_CALLED_WITH = ("extractor", "model", "input_tokens", "output_tokens", "usd", "seconds")


def _called(db: sqlite3.Connection, event: Event, _batch: Batch, _error: str | None) -> None:
    at = iso(event.ts)
    values = {"position": event.position, "at": at, "day": at[:10], "ok": int(event.payload["ok"])}
    db.execute(_ADD_CALL, values | {name: event.payload[name] for name in _CALLED_WITH})


_VOID = """
    insert into learning_voids(session_id, position, project, project_path)
    values (:session, :position, :project, :project_path)
    on conflict do update set position = excluded.position
"""


def _voided(db: sqlite3.Connection, event: Event, batch: Batch, _error: str | None) -> None:
    """A task that the session mentioned was forgotten with another session: it has to be learned again."""
    values = _of(event, batch) | {"position": event.position}
    db.execute("delete from learned where session_id = :session", values)
    db.execute(_VOID, values)


def _forget(db: sqlite3.Connection, event: Event, _batch: Batch, _error: str | None) -> None:
    """A forgotten session can be learned again when it comes back. What models cost stays: it was spent."""
    sessions = event.payload["sessions"]
    for table in ("build_runs", "pipeline_metrics", "learned", "learning_voids"):
        db.executemany(f"delete from {table} where session_id = ?", [(s,) for s in sessions])
        db.executemany(f"delete from {table} where project_path = ?", [(p,) for p in forgotten_projects(event)])


_FOLDS = {
    "build_started": _started,
    "build_finished": _finished,
    "pipeline_measured": _measured,
    "model_called": _called,
    "learning_voided": _voided,
    "forgotten": _forget,
}
