"""Rows of workflows and scratchpads, as everything outside the projection reads them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

__all__ = [
    "ScratchpadRow",
    "ScratchpadText",
    "WorkflowRow",
    "list_scratchpads",
    "list_workflows",
    "one_scratchpad",
    "one_workflow",
    "text_of",
]


class WorkflowRow(NamedTuple):
    id: str
    name: str
    description: str
    project_scope: str | None
    is_active: bool
    created_at: str
    updated_at: str
    scratchpad_count: int
    project: str
    conflicts: int = 0  # descriptions beside this one, of other machines


class ScratchpadRow(NamedTuple):
    id: str
    workflow_id: str
    title: str
    version: int
    size_bytes: int
    lines: int
    created_at: str
    updated_at: str
    project: str
    conflicts: int = 0  # texts beside its text, of other machines


class ScratchpadText(NamedTuple):
    """A scratchpad and its text."""

    row: ScratchpadRow
    text: str


_WORKFLOWS = """
    select w.id, w.name, w.description, w.project_scope, w.is_active, w.created_at, w.updated_at,
           (select count(*) from pads p where p.workflow_id = w.id), w.project,
           (select count(*) from pad_conflicts c where c.workflow_id = w.id and c.pad_id = '')
    from workflows w
"""
_SCRATCHPADS = """
    select p.id, p.workflow_id, p.title, p.version, p.size_bytes, p.lines, p.created_at, p.updated_at, p.project,
           (select count(*) from pad_conflicts c where c.workflow_id = p.workflow_id and c.pad_id = p.id)
    from pads p
"""


def _workflow(row: Sequence[Any]) -> WorkflowRow:
    made = WorkflowRow._make(row)
    return made._replace(is_active=bool(made.is_active))


def one_workflow(db: sqlite3.Connection, name: str) -> WorkflowRow | None:
    row = db.execute(f"{_WORKFLOWS} where w.id = ?", (name,)).fetchone()
    return None if row is None else _workflow(row)


def list_workflows(
    db: sqlite3.Connection,
    *,
    project_scope: str | None = None,
    project: str | None = None,
    active: bool | None = None,
    limit: int = 20,
    offset: int = 0,
) -> list[WorkflowRow]:
    """Latest updated first."""
    wanted = {"w.project_scope": project_scope, "w.project": project, "w.is_active": active}
    where, values = _where(wanted)
    rows = db.execute(
        f"{_WORKFLOWS} {where} order by w.updated_at desc, w.id limit ? offset ?", (*values, limit, offset)
    )
    return [_workflow(row) for row in rows]


def _where(wanted: dict[str, str | bool | None]) -> tuple[str, list[str | bool]]:
    """Conditions for what was asked for only: with `or ? is null` no index would be used."""
    given = {column: value for column, value in wanted.items() if value is not None}
    return "where " + " and ".join(f"{column} = ?" for column in given) if given else "", list(given.values())


def one_scratchpad(db: sqlite3.Connection, name: str) -> ScratchpadRow | None:
    row = db.execute(f"{_SCRATCHPADS} where p.id = ?", (name,)).fetchone()
    return None if row is None else ScratchpadRow._make(row)


def list_scratchpads(
    db: sqlite3.Connection,
    *,
    workflow: str | None = None,
    project: str | None = None,
    limit: int = 20,
    offset: int = 0,
) -> list[ScratchpadRow]:
    """Those of a workflow in the order they were created; of all, the latest updated first."""
    order = "p.ordinal, p.id" if workflow is not None else "p.updated_at desc, p.id"
    where, values = _where({"p.workflow_id": workflow, "p.project": project})
    rows = db.execute(f"{_SCRATCHPADS} {where} order by {order} limit ? offset ?", (*values, limit, offset))
    return [ScratchpadRow._make(row) for row in rows]


def text_of(db: sqlite3.Connection, scratchpad: str) -> str:
    rows = db.execute("select text from pad_chunks where pad_id = ? order by seq", (scratchpad,))
    return "\n".join(row[0] for row in rows)
