"""Scratchpads: workflows, their scratchpads, and the texts of these in chunks.

A written event holds an edit, not a text, so appending to a long scratchpad costs what is appended. The chunks of a
scratchpad, joined by line breaks, are its text; they are always `cut` of the whole text, and chunks that an edit does
not reach keep their rows.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from axiommind.model import Event
from axiommind.projections import Batch, Table
from axiommind.projections.session_rows import iso, row_id
from axiommind.text.edits import Edit, count, cut
from axiommind.text.edits import apply as edited
from axiommind.text.tokens import fts_text

NAME = "pads"
VERSION = 2
AFTER: tuple[str, ...] = ()
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
)

_DDL = (
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
        position integer not null,
        pads_made integer not null default 0
    )
    """,
    "create index idx_workflows_scope on workflows(project_scope, position)",
    "create index idx_workflows_latest on workflows(position)",
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
        position integer not null
    )
    """,
    "create index idx_pads_workflow on pads(workflow_id, ordinal)",
    "create index idx_pads_latest on pads(position)",
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
    given = _words(event, batch)
    if given is None:  # forgotten later in the log
        return
    flow, at = str(event.session_id), iso(event.ts)
    db.execute(
        """
        insert into workflows(id, number, name, description, project_scope, created_at, updated_at, project, position)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            flow,
            event.position,
            given["name"],
            given["description"],
            given["project_scope"],
            at,
            at,
            event.project or "",
            event.position,
        ),
    )
    text = given["description"]
    lines = max(count(text), 1)
    chunk = row_id(event.position, 0)
    db.execute("insert into pad_chunks values (?, ?, null, 0, 1, ?, ?, ?)", (chunk, flow, lines, event.ts, text))
    db.execute("insert into pad_owners values (?, ?, 0, 1, ?)", (chunk, event.position, _terms(given["name"])))


def _update(db: sqlite3.Connection, event: Event, batch: Batch) -> None:
    flow = str(event.session_id)
    row = db.execute("select name, description from workflows where id = ?", (flow,)).fetchone()
    if row is None:
        return
    given = _words(event, batch) or {}
    name, text = given.get("name", row[0]), given.get("description", row[1])
    if given:
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
            (_terms(name), flow),
        )
    db.execute(
        """
        update workflows set name = ?, description = ?, is_active = coalesce(?, is_active), updated_at = ?, position = ?
        where id = ?
        """,
        (name, text, event.payload["active"], iso(event.ts), event.position, flow),
    )


def _words(event: Event, batch: Batch) -> dict[str, Any] | None:
    name = event.payload.get("blob")
    content = batch.blob(name) if name else None
    return None if content is None else dict(json.loads(content))


def _terms(title: str) -> int:
    """How many of a passage's terms belong to its title."""
    return len(fts_text(title, each=True).split())


# --- scratchpads -------------------------------------------------------------------------------------------


def _write(db: sqlite3.Connection, event: Event, batch: Batch) -> None:
    given = event.payload
    scratchpad, at = str(event.session_id), iso(event.ts)
    # Even if the text is gone: what a forgotten scratchpad did to its workflow's row stays.
    db.execute(
        "update workflows set updated_at = ?, position = ?, pads_made = max(pads_made, ?) where id = ?",
        (at, event.position, given.get("ordinal", 0), given["workflow"]),
    )
    edit, title = read_edit(event, batch.blob)
    if edit is None:  # forgotten later in the log
        return
    if edit.mode == "created":
        if not db.execute("select 1 from workflows where id = ?", (given["workflow"],)).fetchone():
            return
        values = (given["workflow"], title, given["ordinal"], at, at, event.project or "", event.position)
        db.execute(
            """
            insert into pads(id, number, workflow_id, title, version, size_bytes, lines, ordinal, created_at,
                             updated_at, project, position)
            values (?, ?, ?, ?, 1, 0, 0, ?, ?, ?, ?, ?)
            """,
            (scratchpad, event.position, *values),
        )
    row = db.execute("select workflow_id, title, size_bytes, lines from pads where id = ?", (scratchpad,)).fetchone()
    if row is None:
        return
    flow, old_title, size, lines = row
    if edit.mode == "renamed":
        # The passages leave the full-text index under the old title, and come back under the new one.
        db.execute("update pad_chunks set text = text where pad_id = ?", (scratchpad,))
        db.execute(
            "update pad_owners set title_terms = ? where id in (select id from pad_chunks where pad_id = ?)",
            (_terms(title), scratchpad),
        )
    else:
        title = title or old_title
        size, lines = _rewrite(db, event, flow, scratchpad, title, edit, (size, lines))
    db.execute(
        "update pads set title = ?, version = ?, size_bytes = ?, lines = ?, updated_at = ?, position = ? where id = ?",
        (title, given["version"], size, lines, at, event.position, scratchpad),
    )


def read_edit(event: Event, blob: Any) -> tuple[Edit | None, str]:
    """The edit that an event holds, and the title that it sets, if any; no edit if its text was purged."""
    given = event.payload
    piece, title = "", ""
    if "blob" in given:
        content = blob(given["blob"])
        if content is None:
            return None, ""
        piece = content.decode("utf-8", "replace")
    if given["mode"] in ("created", "renamed"):
        title, _, piece = piece.partition("\n")
    return Edit(given["mode"], piece, given["start"], given["end"]), title


def _rewrite(
    db: sqlite3.Connection, event: Event, flow: str, scratchpad: str, title: str, edit: Edit, was: tuple[int, int]
) -> tuple[int, int]:
    """Bring the chunks of a scratchpad to its next text; returns the bytes and lines of that."""
    rows = db.execute("select id, text from pad_chunks where pad_id = ? order by seq desc", (scratchpad,))
    if edit.mode == "appended" and (last := rows.fetchone()) is not None:
        rows.close()
        (first, seq) = db.execute("select line_start, seq from pad_chunks where id = ?", (last[0],)).fetchone()
        old, text = [last], last[1] + edit.piece
        size = was[0] + len(edit.piece.encode())
        lines = first - 1 + count(text)
    else:
        old, first, seq = rows.fetchall()[::-1], 1, 0
        text = edited("\n".join(chunk for _, chunk in old), edit)
        size, lines = len(text.encode()), count(text)
    new = cut(text.split("\n"))
    _replace(db, event, flow, scratchpad, _terms(title), old, new, first, seq, lines)
    return size, lines


def _replace(
    db: sqlite3.Connection,
    event: Event,
    flow: str,
    scratchpad: str,
    title_terms: int,
    old: Sequence[tuple[int, str]],
    new: Sequence[list[str]],
    first: int,
    seq: int,
    lines: int,
) -> None:
    """Replace old chunks by new ones, from this line and number on. Equal ones at either end stay as they are, except
    for their place."""
    texts = ["\n".join(chunk) for chunk in new]
    shortest = min(len(old), len(texts))
    head = next((i for i in range(shortest) if old[i][1] != texts[i]), shortest)
    most = shortest - head
    tail = next((i for i in range(most) if old[-1 - i][1] != texts[-1 - i]), most)
    gone = old[head : len(old) - tail]
    for table in ("pad_chunks", "pad_owners"):
        db.executemany(f"delete from {table} where id = ?", [(chunk,) for chunk, _ in gone])
    ((of_flow, of_scratchpad),) = db.execute(
        "select w.number, p.number from pads p join workflows w on w.id = p.workflow_id where p.id = ?", (scratchpad,)
    )
    kept = {len(texts) - tail + i: old[len(old) - tail + i][0] for i in range(tail)}
    place = 0
    for i, (chunk, text) in enumerate(zip(new, texts, strict=True)):
        last = max(min(first + len(chunk) - 1, lines), first)  # nothing after the last line break is not a line
        if i in kept:
            db.execute(
                "update pad_chunks set seq = ?, line_start = ?, line_end = ? where id = ?",
                (seq + i, first, last, kept[i]),
            )
            db.execute("update pad_owners set is_first = ? where id = ?", (int(seq + i == 0), kept[i]))
        elif i >= head:
            made = row_id(event.position, place)
            db.execute(
                "insert into pad_chunks values (?, ?, ?, ?, ?, ?, ?, ?)",
                (made, flow, scratchpad, seq + i, first, last, event.ts, text),
            )
            db.execute(
                "insert into pad_owners values (?, ?, ?, ?, ?)",
                (made, of_flow, of_scratchpad, int(seq + i == 0), title_terms),
            )
            place += 1
        first += len(chunk)


# --- forgetting --------------------------------------------------------------------------------------------


def _forget(db: sqlite3.Connection, event: Event) -> None:
    given = event.payload
    wanted = "project = ?" if given["project"] is not None else "false"
    values = () if given["project"] is None else (given["project"],)
    gone = {*given["sessions"], *(row[0] for row in db.execute(f"select id from workflows where {wanted}", values))}
    gone |= {row[0] for row in db.execute(f"select id from pads where {wanted}", values)}
    for flow in sorted(gone):
        gone |= {row[0] for row in db.execute("select id from pads where workflow_id = ?", (flow,))}
    for name in sorted(gone):
        # Chunks before the row with their title, so that the full-text index can still read what it removes.
        own = "pad_id = ?1 or (workflow_id = ?1 and pad_id is null)"
        db.execute(f"delete from pad_owners where id in (select id from pad_chunks where {own})", (name,))
        db.execute(f"delete from pad_chunks where {own}", (name,))
        db.execute("delete from pads where id = ?", (name,))
        db.execute("delete from workflows where id = ?", (name,))
