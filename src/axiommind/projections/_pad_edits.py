"""The edits of workflows and scratchpads as rows, and the texts beside a text that two machines made of one version.

A row refers to its text, which is in the log. Where one machine wrote everything, or whoever wrote last had seen all of
it, the next text follows from the one before; else all edits are merged again (`text/merged_edits.py`).
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any, NamedTuple

from axiommind.model import Event
from axiommind.projections import Table
from axiommind.projections.session_rows import iso
from axiommind.text.edits import Edit, count
from axiommind.text.merged_edits import MergedText, WrittenEdit, merged

__all__ = [
    "DDL",
    "NAME_CHARS",
    "TABLES",
    "add",
    "forget",
    "is_active",
    "is_next",
    "put_asides",
    "read_written",
    "remerged",
]

_FLOWS = "select id from main.workflows where project in (:project, '')"
TABLES = (
    Table(
        "pad_edits",
        "Every edit of a workflow or scratchpad (`owner_id`), without its text: `ord` is its place in the order that "
        "all machines agree on, `seen_json` the last edits of other machines that its writer knew.",
        scope=f"workflow_id in ({_FLOWS})",
    ),
    Table(
        "pad_conflicts",
        "Texts beside the text of a scratchpad (`pad_id`) or the description of a workflow: two machines changed one "
        "version of it. `edit` is the event that made it, `number` its place from 1.",
        scope=f"workflow_id in ({_FLOWS})",
    ),
)
DDL = (
    """
    create table pad_edits (
        position integer primary key,
        owner_id text not null,
        workflow_id text not null,
        name text not null,
        ord text not null,
        machine integer not null,
        number integer not null,
        at integer not null,
        mode text not null,
        line_start integer not null,
        line_end integer not null,
        blob text,
        active integer,
        ordinal integer,
        seen_json text not null check (json_valid(seen_json)),
        resolves_json text not null check (json_valid(resolves_json)),
        project_path text not null
    )
    """,
    "create index idx_pad_edits_owner on pad_edits(owner_id)",
    "create index idx_pad_edits_workflow on pad_edits(workflow_id)",
    """
    create table pad_conflicts (
        workflow_id text not null,
        pad_id text not null,
        number integer not null,
        edit text not null,
        machine integer not null,
        at text not null,
        lines integer not null,
        text text not null,
        primary key (workflow_id, pad_id, number)
    ) without rowid
    """,
)
NAME_CHARS = 26  # of an event's id; what follows says whose it is


def read_written(event: Event, content: bytes | None) -> WrittenEdit | None:
    """The edit of an event, for merging; None where its text was purged."""
    given = event.payload
    if "blob" in given and content is None:
        return None
    title, edit = _edit(event.event_type, given, content)
    return WrittenEdit(
        event.event_id[:NAME_CHARS],
        event.order,
        event.origin,
        event.seq or event.position,
        edit,
        title,
        tuple(one[:NAME_CHARS] for one in given.get("seen", ()) if isinstance(one, str)),
        tuple(one[:NAME_CHARS] for one in given.get("resolves", ()) if isinstance(one, str)),
    )


def _edit(event_type: str, given: dict[str, Any], content: bytes | None) -> tuple[str, Edit]:
    if event_type == "scratchpad_written":
        piece, title = (content or b"").decode("utf-8", "replace"), ""
        if given["mode"] in ("created", "renamed"):
            title, _, piece = piece.partition("\n")
        return title, Edit(given["mode"], piece, given["start"], given["end"])
    words = {} if content is None else json.loads(content)
    mode = "created" if event_type == "workflow_created" else "replaced" if "description" in words else "renamed"
    return words.get("name", ""), Edit(mode, words.get("description", ""))


def add(db: sqlite3.Connection, event: Event, written: WrittenEdit) -> None:
    given = event.payload
    owner = str(event.session_id)
    db.execute(
        """
        insert into pad_edits(position, owner_id, workflow_id, name, ord, machine, number, at, mode, line_start,
                              line_end, blob, active, ordinal, seen_json, resolves_json, project_path)
        values (:position, :owner, :flow, :name, :ord, :machine, :number, :at, :mode, :start, :end, :blob, :active,
                :ordinal, :seen, :resolves, :project_path)
        """,
        {
            "position": event.position,
            "owner": owner,
            "flow": given.get("workflow", owner),
            "name": written.name,
            "ord": event.order,
            "machine": event.origin,
            "number": written.number,
            "at": event.ts,
            "mode": written.edit.mode,
            "start": written.edit.start,
            "end": written.edit.end,
            "blob": given.get("blob"),
            "active": given.get("active"),
            "ordinal": given.get("ordinal"),
            "seen": json.dumps(written.seen),
            "resolves": json.dumps(written.resolves),
            "project_path": event.project or "",
        },
    )


def is_next(db: sqlite3.Connection, event: Event, written: WrittenEdit) -> bool:
    """Whether an edit follows from all that is there: then nothing has to be merged."""
    owner = event.session_id
    if db.execute("select 1 from pad_conflicts where ? in (pad_id, workflow_id) limit 1", (owner,)).fetchone():
        return False
    rows = db.execute(
        "select machine, name, max(number) from pad_edits where owner_id = ? and position <> ? group by machine",
        (owner, event.position),
    ).fetchall()
    if not rows:
        return written.edit.mode == "created"
    later = {name for machine, name, number in rows if machine != event.origin or number > written.number}
    return later <= set(written.seen)


class _Row(NamedTuple):
    name: str
    ord: str
    machine: int
    number: int
    mode: str
    line_start: int
    line_end: int
    blob: str | None
    seen: str
    resolves: str


def remerged(db: sqlite3.Connection, owner: str, blob: Any) -> MergedText | None:
    """The texts of a scratchpad or workflow, of all its edits."""
    rows = db.execute(
        """
        select name, ord, machine, number, mode, line_start, line_end, blob, seen_json, resolves_json
        from pad_edits where owner_id = ?
        """,
        (owner,),
    ).fetchall()
    edits = []
    for row in map(_Row._make, rows):
        content = blob(row.blob) if row.blob else None
        if row.blob and content is None:
            continue
        kind = "scratchpad_written" if owner.startswith("pad_") else "workflow_updated"
        given = {"mode": row.mode, "start": row.line_start, "end": row.line_end}
        title, edit = _edit("workflow_created" if row.mode == "created" and kind[0] == "w" else kind, given, content)
        seen, resolves = tuple(json.loads(row.seen)), tuple(json.loads(row.resolves))
        edits.append(WrittenEdit(row.name, row.ord, row.machine, row.number, edit, title, seen, resolves))
    return merged(edits)


def is_active(db: sqlite3.Connection, flow: str) -> bool:
    """Whether a workflow takes writes: as was said last."""
    row = db.execute(
        "select active from pad_edits where owner_id = ? and active is not null order by ord desc limit 1", (flow,)
    ).fetchone()
    return row is None or bool(row[0])


def put_asides(db: sqlite3.Connection, flow: str, scratchpad: str, text: MergedText) -> None:
    """The texts beside a text; of a workflow's own, `scratchpad` is empty."""
    db.execute("delete from pad_conflicts where workflow_id = ? and pad_id = ?", (flow, scratchpad))
    for number, aside in enumerate(text.asides, 1):
        machine, at = db.execute(
            "select machine, at from pad_edits where owner_id = ? and name = ?", (scratchpad or flow, aside.name)
        ).fetchone()
        values = (flow, scratchpad, number, aside.name, machine, iso(at), count(aside.text), aside.text)
        db.execute("insert into pad_conflicts values (?, ?, ?, ?, ?, ?, ?, ?)", values)


def forget(db: sqlite3.Connection, gone: set[str], projects: list[str]) -> None:
    for name in sorted(gone):
        db.execute("delete from pad_edits where owner_id = ? or workflow_id = ?", (name, name))
        db.execute("delete from pad_conflicts where pad_id = ? or workflow_id = ?", (name, name))
    db.executemany("delete from pad_edits where project_path = ?", [(path,) for path in projects])
