"""Scratchpads: workflows, their scratchpads, and the texts of these in chunks.

A written event holds an edit, not a text, so appending to a long scratchpad costs what is appended. The chunks of a
scratchpad, joined by line breaks, are its text; they are always `cut` of the whole text, and chunks that an edit does
not reach keep their rows.
"""

from __future__ import annotations

import json
import sqlite3

from axiommind.model import Event
from axiommind.projections import Batch, Table, _pad_edits, forgotten_projects
from axiommind.projections._pad_chunks import rewrite, terms
from axiommind.projections._pad_edits import NAME_CHARS, read_written
from axiommind.projections.session_rows import iso, row_id
from axiommind.text.edits import Edit, count
from axiommind.text.merged_edits import WrittenEdit

__all__ = ["AFTER", "EVENT_TYPES", "NAME", "NAME_CHARS", "TABLES", "VERSION", "apply", "create", "read_written"]

NAME = "pads"
VERSION = 4
AFTER = ("projects",)
EVENT_TYPES = ("workflow_created", "workflow_updated", "scratchpad_written", "forgotten")
# A workflow without a project belongs to everybody.
_FLOWS = "select id from main.workflows where project in (:project, '')"
TABLES = (
    Table(
        "workflows",
        "Working memory: one row per workflow. `project_scope` is the label as given, `project` the project "
        "that it belongs to, `position` the last event about it or one of its scratchpads.",
        scope=f"id in ({_FLOWS})",
    ),
    Table(
        "pads",
        "The scratchpads of workflows, without their text; `version` counts the writes.",
        scope=f"workflow_id in ({_FLOWS})",
    ),
    Table(
        "pad_chunks",
        "The text of scratchpads in chunks: lines `line_start` to `line_end`. Without a `pad_id` it is the "
        "description of the workflow.",
        scope=f"workflow_id in ({_FLOWS})",
    ),
    Table(
        "pad_owners",
        "The workflow and scratchpad of each chunk, as numbers (0: the workflow's own text), and how many of "
        "its indexed terms come from its title; used to count points.",
    ),
    Table(
        "scratchpads",
        "A view: scratchpads with their whole text.",
        scope=f"workflow_id in ({_FLOWS})",
        is_view=True,
    ),
    *_pad_edits.TABLES,
)

_DDL = (
    *_pad_edits.DDL,
    """
    create table workflows (
        id text primary key,
        number integer not null,
        name text not null,
        description text not null,
        project_scope text,
        is_active integer not null default 1,
        created_at text not null,
        updated_at text not null,
        project text not null,
        project_path text not null,
        position integer not null,
        pads_made integer not null default 0
    )
    """,
    "create index idx_workflows_scope on workflows(project_scope, updated_at)",
    "create index idx_workflows_latest on workflows(updated_at)",
    """
    create table pads (
        id text primary key,
        number integer not null,
        workflow_id text not null,
        title text not null,
        version integer not null,
        size_bytes integer not null,
        lines integer not null,
        ordinal integer not null,
        created_at text not null,
        updated_at text not null,
        project text not null,
        project_path text not null,
        position integer not null
    )
    """,
    "create index idx_pads_workflow on pads(workflow_id, ordinal)",
    "create index idx_pads_latest on pads(updated_at)",
    # `pad_id` is null in the row of the workflow itself: its title is the name, its text the description.
    """
    create table pad_chunks (
        id integer primary key,
        workflow_id text not null,
        pad_id text,
        seq integer not null,
        line_start integer not null,
        line_end integer not null,
        timestamp integer not null,
        text text not null
    )
    """,
    "create index idx_pad_chunks_pad on pad_chunks(pad_id, seq)",
    "create index idx_pad_chunks_workflow on pad_chunks(workflow_id)",
    # Who owns a chunk, by numbers (positions of the creating events): points are counted place by place, and the row
    # of a chunk is long. Three words that are in a third of the scratchpads: 26 ms, and 40 through an index of chunks.
    """
    create table pad_owners (
        id integer primary key,
        workflow integer not null,
        pad integer not null,
        is_first integer not null,
        title_terms integer not null
    )
    """,
    "create index idx_pad_owners_workflow on pad_owners(workflow)",
    """
    create view scratchpads as
    select
        id,
        workflow_id,
        title,
        (select group_concat(text, char(10)) from (select text from pad_chunks where pad_id = p.id order by seq))
            as content,
        created_at,
        updated_at
    from pads p
    """,
)


def create(db: sqlite3.Connection) -> None:
    for statement in _DDL:
        db.execute(statement)


def apply(db: sqlite3.Connection, batch: Batch) -> None:
    for event in batch.events:
        if event.event_type == "workflow_created":
            _create(db, event, batch)
        elif event.event_type == "workflow_updated":
            _update(db, event, batch)
        elif event.event_type == "scratchpad_written":
            _write(db, event, batch)
        else:
            _forget(db, event)


# --- workflows ---------------------------------------------------------------------------------------------


def _create(db: sqlite3.Connection, event: Event, batch: Batch) -> None:
    content = batch.blob(event.payload["blob"])
    written = read_written(event, content)
    if written is None or content is None:  # forgotten later in the log
        return
    flow, at, text = str(event.session_id), iso(event.ts), written.edit.piece
    db.execute(
        """
        insert into workflows(id, number, name, description, project_scope, created_at, updated_at, project,
                              project_path, position)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict do nothing
        """,
        (
            flow,
            event.position,
            written.title,
            text,
            json.loads(content)["project_scope"],
            at,
            at,
            *batch.placed(event, "").values(),
            event.position,
        ),
    )
    lines = max(count(text), 1)
    chunk = row_id(event.position, 0)
    db.execute("insert into pad_chunks values (?, ?, null, 0, 1, ?, ?, ?)", (chunk, flow, lines, event.ts, text))
    db.execute("insert into pad_owners values (?, ?, 0, 1, ?)", (chunk, event.position, terms(written.title)))
    _settle_workflow(db, event, batch, written)
    waiting = "select distinct owner_id, at from pad_edits where workflow_id = ?1 and owner_id <> ?1 order by 1, 2"
    latest = {str(pad): int(last) for pad, last in db.execute(waiting, (flow,)).fetchall()}
    for pad, last in latest.items():  # what another machine wrote in it arrived before it
        _touch(db, flow, event, last)
        _insert(db, pad)
        _remerge(db, event, batch, pad)


def _update(db: sqlite3.Connection, event: Event, batch: Batch) -> None:
    name = event.payload.get("blob")
    written = read_written(event, batch.blob(name) if name else None)
    if written is not None:
        _settle_workflow(db, event, batch, written)


def _settle_workflow(db: sqlite3.Connection, event: Event, batch: Batch, written: WrittenEdit) -> None:
    """Bring a workflow's row and text up to one more of its edits."""
    flow = str(event.session_id)
    _pad_edits.add(db, event, written)
    row = db.execute("select name, description from workflows where id = ?", (flow,)).fetchone()
    if row is None:
        return
    if _pad_edits.is_next(db, event, written):
        title = written.title or row[0]
        text = row[1] if written.edit.mode == "renamed" else written.edit.piece
    elif (now := _pad_edits.remerged(db, flow, batch.blob)) is not None:
        title, text = now.title, now.text
        _pad_edits.put_asides(db, flow, "", now)
    else:
        return
    if (title, text) != tuple(row):
        # The text is set even if only the name is new: the passage holds both, and is indexed anew.
        db.execute(
            """
            update pad_chunks set line_end = ?, timestamp = ?, text = ? where workflow_id = ? and pad_id is null
            """,
            (max(count(text), 1), event.ts, text, flow),
        )
        db.execute(
            """
            update pad_owners set title_terms = ?
            where pad = 0 and workflow = (select number from workflows where id = ?)
            """,
            (terms(title), flow),
        )
    db.execute(
        "update workflows set name = ?, description = ?, is_active = ? where id = ?",
        (title, text, _pad_edits.is_active(db, flow), flow),
    )
    _touch(db, flow, event, event.ts)


def _touch(db: sqlite3.Connection, flow: str, event: Event, at: int) -> None:
    """That something happened in a workflow then."""
    db.execute(
        """
        update workflows set updated_at = max(updated_at, ?), position = max(position, ?), pads_made = max(pads_made, ?)
        where id = ?
        """,
        (iso(at), event.position, event.payload.get("ordinal", 0), flow),
    )


# --- scratchpads -------------------------------------------------------------------------------------------


def _write(db: sqlite3.Connection, event: Event, batch: Batch) -> None:
    given = event.payload
    scratchpad = str(event.session_id)
    # Even if the text is gone: what a forgotten scratchpad did to its workflow's row stays.
    _touch(db, given["workflow"], event, event.ts)
    written = read_written(event, batch.blob(given["blob"]) if "blob" in given else None)
    if written is None:  # forgotten later in the log
        return
    _pad_edits.add(db, event, written)
    if written.edit.mode == "created":
        _insert(db, scratchpad)
    if not _pad_edits.is_next(db, event, written):
        _remerge(db, event, batch, scratchpad)
        return
    row = db.execute("select workflow_id, title, size_bytes, lines from pads where id = ?", (scratchpad,)).fetchone()
    if row is None:
        return
    flow, title, size, lines = row
    title = written.title or title
    if written.edit.mode == "renamed":
        _retitle(db, scratchpad, title)
    else:
        size, lines = rewrite(db, event, flow, scratchpad, title, written.edit, (size, lines))
    _set(db, scratchpad, title, size, lines)


def _insert(db: sqlite3.Connection, scratchpad: str) -> None:
    """The row of a scratchpad, if it was created, in a workflow that there is."""
    db.execute(
        """
        insert into pads(id, number, workflow_id, title, version, size_bytes, lines, ordinal, created_at, updated_at,
                         project, project_path, position)
        select e.owner_id, e.position, e.workflow_id, '', 0, 0, 0, e.ordinal, '', '',
               coalesce((select p.project from project_paths p where p.path = e.project_path), e.project_path),
               e.project_path, e.position
        from pad_edits e join workflows w on w.id = e.workflow_id
        where e.owner_id = ? and e.mode = 'created'
        on conflict do nothing
        """,
        (scratchpad,),
    )


def _retitle(db: sqlite3.Connection, scratchpad: str, title: str) -> None:
    """The passages leave the full-text index under the old title, and come back under the new one."""
    db.execute("update pad_chunks set text = text where pad_id = ?", (scratchpad,))
    db.execute(
        "update pad_owners set title_terms = ? where id in (select id from pad_chunks where pad_id = ?)",
        (terms(title), scratchpad),
    )


def _remerge(db: sqlite3.Connection, event: Event, batch: Batch, scratchpad: str) -> None:
    """A scratchpad of all its edits: one of them was not written on top of all others."""
    row = db.execute("select workflow_id, title, size_bytes, lines from pads where id = ?", (scratchpad,)).fetchone()
    now = None if row is None else _pad_edits.remerged(db, scratchpad, batch.blob)
    if row is None or now is None:
        return
    flow, title, size, lines = row
    if title != now.title:
        _retitle(db, scratchpad, now.title)
        db.execute("update pads set title = ? where id = ?", (now.title, scratchpad))
    size, lines = rewrite(db, event, flow, scratchpad, now.title, Edit("replaced", now.text), (size, lines))
    _set(db, scratchpad, now.title, size, lines)
    _pad_edits.put_asides(db, flow, scratchpad, now)


_SET = """
    update pads set
        title = :title, size_bytes = :size, lines = :lines,
        (version, created_at, updated_at, position) = (
            select count(*), :created, :updated, max(position) from pad_edits where owner_id = :id)
    where id = :id
"""


def _set(db: sqlite3.Connection, scratchpad: str, title: str, size: int, lines: int) -> None:
    first, last = db.execute(
        "select min(iif(mode = 'created', at, null)), max(at) from pad_edits where owner_id = ?", (scratchpad,)
    ).fetchone()
    values = {"id": scratchpad, "title": title, "size": size, "lines": lines}
    db.execute(_SET, {**values, "created": iso(first), "updated": iso(last)})


# --- forgetting --------------------------------------------------------------------------------------------


def _forget(db: sqlite3.Connection, event: Event) -> None:
    gone = set(event.payload["sessions"])
    for path in forgotten_projects(event):
        for table in ("workflows", "pads"):
            gone |= {row[0] for row in db.execute(f"select id from {table} where project_path = ?", (path,))}
    for flow in sorted(gone):
        gone |= {row[0] for row in db.execute("select id from pads where workflow_id = ?", (flow,))}
    _pad_edits.forget(db, gone, forgotten_projects(event))
    for name in sorted(gone):
        # Chunks before the row with their title, so that the full-text index can still read what it removes.
        own = "pad_id = ?1 or (workflow_id = ?1 and pad_id is null)"
        db.execute(f"delete from pad_owners where id in (select id from pad_chunks where {own})", (name,))
        db.execute(f"delete from pad_chunks where {own}", (name,))
        db.execute("delete from pads where id = ?", (name,))
        db.execute("delete from workflows where id = ?", (name,))
