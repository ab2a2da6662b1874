"""Usefulness: how much of what hooks gave was used, by hook and kind of thing, in periods. Folds `context_judged`.

An answer is judged once, after its session; the event holds counts. With them stand the controls: things that were not
given, judged in the same way, which say how much looks used by chance. Counts only; they go with the session.
"""

from __future__ import annotations

import sqlite3

from axiommind.model import Event
from axiommind.projections import OF_PROJECT, Batch, Table, forgotten_projects

NAME = "usefulness"
VERSION = 2
AFTER = ("sessions",)
EVENT_TYPES = ("context_judged", "forgotten")
TABLES = (
    Table(
        "judged_context",
        "Of one answer of a hook, how many things of a kind could be judged (`given`) and were used; how many controls "
        "there were, and how many of those look used (`by_chance`).",
        scope=OF_PROJECT,
        forgotten_by="session_id",
    ),
    Table(
        "usefulness",
        "The same, summed by hook, kind, project and period of thirty days. Recall weighs kinds with it.",
        scope=OF_PROJECT,
    ),
)
PERIOD_MS = 30 * 86_400_000
_DDL = (
    """
    create table judged_context (
        session_id text not null,
        hook text not null,
        at integer not null,
        kind text not null,
        project text not null,
        project_path text not null,
        given integer not null,
        used integer not null,
        controls integer not null,
        by_chance integer not null,
        primary key (session_id, hook, at, kind)
    ) without rowid
    """,
    """
    create table usefulness (
        hook text not null,
        period integer not null,
        kind text not null,
        project text not null,
        given integer not null,
        used integer not null,
        controls integer not null,
        by_chance integer not null,
        primary key (hook, period, kind, project)
    ) without rowid
    """,
)
# Nothing of the answer is left that could be judged: a row of no kind says that it was looked at.
_NOTHING = {"kind": "", "given": 0, "used": 0, "controls": 0, "by_chance": 0}
_ADD = """
    insert into judged_context
    values (:session, :hook, :at, :kind, :project, :project_path, :given, :used, :controls, :by_chance)
    on conflict do nothing
"""
_SUM = f"""
    insert into usefulness
    select hook, at / {PERIOD_MS}, kind, project, sum(given), sum(used), sum(controls), sum(by_chance)
    from judged_context
    where kind <> ''
    group by 1, 2, 3, 4
"""
_ADD_TO_SUM = f"""
    insert into usefulness
    values (:hook, :at / {PERIOD_MS}, :kind, :project, :given, :used, :controls, :by_chance)
    on conflict do update
    set given = given + excluded.given,
        used = used + excluded.used,
        controls = controls + excluded.controls,
        by_chance = by_chance + excluded.by_chance
"""


def create(db: sqlite3.Connection) -> None:
    for statement in _DDL:
        db.execute(statement)


def apply(db: sqlite3.Connection, batch: Batch) -> None:
    for event in batch.events:
        if event.event_type == "context_judged":
            _judged(db, event, batch)
        else:
            _forget(db, event)
    if batch.moved:
        _sum(db)


def _judged(db: sqlite3.Connection, event: Event, batch: Batch) -> None:
    same = {"session": event.session_id, **batch.placed(event, ""), "hook": event.payload["hook"]}
    for counts in event.payload["kinds"] or [_NOTHING]:
        row = {**counts, **same, "at": event.happened_at}
        if db.execute(_ADD, row).rowcount and row["kind"]:
            db.execute(_ADD_TO_SUM, row)


def _forget(db: sqlite3.Connection, event: Event) -> None:
    gone = 0
    for session in event.payload["sessions"]:
        gone += db.execute("delete from judged_context where session_id = ?", (session,)).rowcount
    for path in forgotten_projects(event):
        gone += db.execute("delete from judged_context where project_path = ?", (path,)).rowcount
    if gone:
        _sum(db)


def _sum(db: sqlite3.Connection) -> None:
    db.execute("delete from usefulness")
    db.execute(_SUM)
