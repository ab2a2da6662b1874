"""Rows of proposals, as they are read."""

from __future__ import annotations

import json
import sqlite3
from typing import Any, NamedTuple

__all__ = ["AgentProposal", "count_open_proposals", "get_proposal", "last_of_request", "list_proposals"]

_COLUMNS = """
    select proposal_id, act, about, args_json, asked_by, asked_at, status, decided_at, reason, session_id, project
    from proposals
"""
_LIST = f"""
    {_COLUMNS}
    where (:every or status = 'open')
      and (:project is null or project = :project or project is null)
    order by status <> 'open', asked_at, proposal_id
    limit :limit
"""
_LAST = f"""
    {_COLUMNS}
    where request_key = :request_key
    order by asked_at desc, proposal_id desc
    limit 1
"""
_CONFIRMED = "select count(*) from proposals where request_key = :request_key and status = 'confirmed'"
_COUNT = """
    select count(*)
    from proposals
    where status = 'open'
      and (:project is null or project = :project or project is null)
"""


class AgentProposal(NamedTuple):
    """What an agent asked for: an act of the library and its arguments. Nothing of it was done while it is open."""

    id: str
    act: str
    about: str
    args: dict[str, Any]
    asked_by: str
    asked_at: int
    status: str
    decided_at: int | None
    reason: str  # of whoever declined it
    session_id: str | None
    project: str | None


def list_proposals(
    db: sqlite3.Connection, project: str | None, *, every: bool = False, limit: int = -1
) -> list[AgentProposal]:
    """Those of a project, and those of none; the oldest first, and with `every` those that were decided after them."""
    return [_row(row) for row in db.execute(_LIST, {"every": every, "project": project, "limit": limit})]


def get_proposal(db: sqlite3.Connection, name: str) -> AgentProposal | None:
    row = db.execute(f"{_COLUMNS} where proposal_id = ?", (name,)).fetchone()
    return None if row is None else _row(row)


def last_of_request(db: sqlite3.Connection, request_key: str) -> tuple[AgentProposal | None, int]:
    """The last proposal of a request, and how many of it were confirmed."""
    row = db.execute(_LAST, {"request_key": request_key}).fetchone()
    (confirmed,) = db.execute(_CONFIRMED, {"request_key": request_key}).fetchone()
    return None if row is None else _row(row), int(confirmed)


def count_open_proposals(db: sqlite3.Connection, project: str | None = None) -> int:
    (count,) = db.execute(_COUNT, {"project": project}).fetchone()
    return int(count)


def _row(row: tuple[Any, ...]) -> AgentProposal:
    return AgentProposal(row[0], row[1], row[2], json.loads(row[3]), *row[4:])
