"""Tasks, conditions and artifacts as entities, their aliases, and the edges between them and to their entries.

`task_events` holds the events as rows with their text; everything else is recomputed from the rows of the entities that
were touched, so that a rebuild and an increment agree. Forgetting deletes rows and recomputes; so does voiding what one
session said of some entities, which lets it be learned again. What an entry said counts while the entry is not
withdrawn. An edge needs both its ends. A blocked task whose every
blocker was forgotten waits for the project's unknown blocker.
"""

from __future__ import annotations

import json
import sqlite3

from axiommind.model import Event
from axiommind.projections import OF_PROJECT, OF_SESSION, Batch, Table, forgotten_projects
from axiommind.projections._task_entities import events_about, events_of_entry, is_created, recompute
from axiommind.projections.task_fold import CREATING, TASK_EVENTS, entity_of
from axiommind.projections.teammates import in_their_name

__all__ = ["apply", "create", "events_about", "events_of_entry"]

NAME = "tasks"
VERSION = 5
AFTER: tuple[str, ...] = ("entries",)
EVENT_TYPES = (*TASK_EVENTS, "learning_voided", "entry_withdrawn", "entry_returned", "forgotten", "promoted")
TABLES = (
    Table(
        "entities",
        "The current state of tasks, conditions and artifacts, derived from their events (`current_json`).",
        scope=OF_PROJECT,
    ),
    Table(
        "entity_keys",
        "Every canonical key that an entity has had, with the event that set it.",
        scope="entity_id in (select entity_id from entities)",
    ),
    Table(
        "task_links",
        "Which entities a task's event names: what has to be recomputed when one of them is removed.",
        scope="src_id in (select entity_id from entities)",
    ),
    Table(
        "entity_aliases",
        "The canonical keys by which an entity is found; the newest entity owns a key.",
        scope="entity_id in (select entity_id from entities)",
    ),
    Table(
        "edges",
        "`evidence_of` (entry → task), `blocked_by`, `blocked_by_suggested`, `resolves_to`.",
        scope="src_id in (select entry_id from entries) or src_id in (select entity_id from entities)",
    ),
    Table(
        "task_events",
        "The events of tasks, conditions and artifacts as rows, with their text.",
        scope=OF_PROJECT,
        forgotten_by="session_id",
    ),
    Table(
        "task_withdrawals",
        "When an entry withdrew what it had said of tasks, or said it again: it counts for older events, too, that "
        "come later from another machine.",
        scope="entry_id in (select entry_id from entries)",
        forgotten_by="session_id",
    ),
    Table(
        "task_voids",
        "When what a session had said of an entity was given up, to be learned again.",
        scope=OF_SESSION,
        forgotten_by="session_id",
    ),
    Table(
        "v_task_blockers_effective",
        "A view: what a task waits for; a resolved condition is replaced by its resolution.",
        scope="task_id in (select entity_id from entities)",
        is_view=True,
    ),
)

_DDL = (
    """
    create table task_events (
        position integer primary key,
        ord text not null,
        event_id text not null,
        event_type text not null,
        entity_id text not null,
        session_id text,
        project text not null,
        project_path text not null,
        entry_id text,
        actor text not null,
        at integer not null,
        body text not null check (json_valid(body)),
        withdrawn integer not null default 0
    )
    """,
    "create index idx_task_events_entity on task_events(entity_id, event_type, ord)",
    "create index idx_task_events_entry on task_events(entry_id)",
    "create index idx_task_events_session on task_events(session_id)",
    # What counts for rows that may come later from another machine: an entry withdrew what it said, a session is
    # learned again.
    """
    create table task_withdrawals (
        entry_id text not null,
        ord text not null,
        is_gone integer not null,
        session_id text,
        project_path text,
        primary key (entry_id, ord)
    ) without rowid
    """,
    """
    create table task_voids (
        session_id text not null,
        entity_id text not null,
        ord text not null,
        primary key (session_id, entity_id)
    ) without rowid
    """,
    # Every link that was stated, even to what does not exist: its source is recomputed when that comes or goes.
    """
    create table task_links (
        src_id text not null,
        dst_id text not null,
        primary key (src_id, dst_id)
    ) without rowid
    """,
    "create index idx_task_links_dst on task_links(dst_id)",
    # Every key that an entity has or had; the newest holder of a key is its alias.
    """
    create table entity_keys (
        entity_id text not null,
        entity_type text not null,
        canonical_key text not null,
        is_primary integer not null,
        created_at text not null,
        position integer not null,
        ord text not null,
        primary key (entity_id, canonical_key)
    ) without rowid
    """,
    "create index idx_entity_keys_key on entity_keys(entity_type, canonical_key, ord)",
    """
    create table entities (
        entity_id text primary key,
        entity_type text not null,
        canonical_key text not null,
        title text not null,
        stage text not null,
        status text not null,
        current_json text not null check (json_valid(current_json)),
        title_norm text,
        search_text text,
        created_at text not null,
        updated_at text not null,
        project text not null
    )
    """,
    "create index idx_entities_key on entities(entity_type, canonical_key)",
    "create index idx_entities_status on entities(status)",
    "create index idx_entities_project on entities(project, entity_type)",
    """
    create table entity_aliases (
        entity_type text not null,
        canonical_key text not null,
        entity_id text not null,
        is_primary integer not null default 0,
        created_at text not null,
        primary key (entity_type, canonical_key)
    ) without rowid
    """,
    "create index idx_entity_aliases_entity on entity_aliases(entity_id)",
    """
    create table edges (
        edge_id text primary key,
        src_type text not null,
        src_id text not null,
        rel_type text not null,
        dst_type text not null,
        dst_id text not null,
        meta_json text not null check (json_valid(meta_json)),
        created_at text not null,
        project text not null,
        position integer not null,
        ord text not null
    )
    """,
    "create index idx_edges_src on edges(src_id, rel_type)",
    "create index idx_edges_dst on edges(dst_id, rel_type)",
    # `union` and no depth: a circle of resolved conditions adds nothing new and ends. What ends nowhere stays itself.
    """
    create view v_task_blockers_effective as
    with recursive
    target(condition_id, entity_id) as (
        select e.src_id, e.dst_id
        from edges e
        where e.rel_type = 'resolves_to'
          and not exists (
            select 1 from edges n
            where n.src_id = e.src_id and n.rel_type = 'resolves_to' and n.ord > e.ord
          )
    ),
    walk(task_id, blocker_id, at_id) as (
        select src_id, dst_id, dst_id from edges where rel_type = 'blocked_by'
        union
        select w.task_id, w.blocker_id, t.entity_id
        from walk w
        join target t on t.condition_id = w.at_id
        where t.entity_id <> w.task_id
    ),
    reached(task_id, blocker_id, entity_id) as (
        select w.task_id, w.blocker_id, w.at_id
        from walk w
        left join target t on t.condition_id = w.at_id and t.entity_id <> w.task_id
        where t.entity_id is null
    )
    select b.src_id as task_id,
           b.dst_id as blocker_id,
           coalesce(r.entity_id, b.dst_id) as effective_id,
           x.entity_type as effective_type,
           x.title as effective_title,
           json_extract(x.current_json, '$.status') as effective_status,
           json_extract(b.meta_json, '$.confidence') as confidence,
           coalesce(json_extract(b.meta_json, '$.auto_placeholder'), 0) as auto_placeholder,
           b.project as project
    from edges b
    left join reached r on r.task_id = b.src_id and r.blocker_id = b.dst_id
    join entities x on x.entity_id = coalesce(r.entity_id, b.dst_id)
    where b.rel_type = 'blocked_by'
    """,
)


def create(db: sqlite3.Connection) -> None:
    for statement in _DDL:
        db.execute(statement)


def apply(db: sqlite3.Connection, batch: Batch) -> None:
    touched: set[str] = set()
    flipped: set[str] = set()  # appeared, or may have gone: whatever links to them is touched too
    promoted: set[str] = set()
    for event in batch.events:
        if event.event_type == "forgotten":
            _forget(db, event, touched, flipped)
        elif event.event_type == "learning_voided":
            _void(db, event, touched, flipped)
        elif event.event_type in ("entry_withdrawn", "entry_returned"):
            _withdraw(db, event, touched, flipped)
        elif event.event_type == "promoted":
            promoted |= {change["entry_id"] for change in event.payload["changes"]}
        else:
            _record(db, event, batch, touched, flipped)
    for entry in promoted:
        rows = db.execute("select distinct entity_id from task_events where entry_id = ?", (entry,))
        touched |= {row[0] for row in rows}
    for entity in flipped:
        touched |= {row[0] for row in db.execute("select src_id from task_links where dst_id = ?", (entity,))}
    projects = {*batch.moved.values(), *(batch.groups.get(path, path) for path in batch.moved)}
    for path in batch.moved:
        touched |= {row[0] for row in db.execute("select entity_id from task_events where project_path = ?", (path,))}
    if touched or projects:
        recompute(db, touched, projects)


_ADD_EVENT = """
    insert into task_events(position, ord, event_id, event_type, entity_id, session_id, project, project_path, entry_id,
                            actor, at, body, withdrawn)
    select :position, :ord, :event_id, :event_type, :entity, :session, :project, :project_path, :entry, :actor, :at,
           :body,
           coalesce((select is_gone from task_withdrawals where entry_id = :entry and ord > :ord
                     order by ord desc limit 1), 0)
    where not exists (
        select 1 from task_voids where session_id = :session and entity_id = :entity and ord > :ord)
    on conflict do nothing
"""


def _record(db: sqlite3.Connection, event: Event, batch: Batch, touched: set[str], flipped: set[str]) -> None:
    body = dict(event.payload)
    if blob := body.pop("blob", None):
        content = batch.blob(blob)
        if content is None:  # forgotten later in the log
            return
        said = json.loads(content)
        body |= in_their_name(event, said) if event.is_teammates else said
    entity = entity_of(event.event_type, body)
    touched.add(entity)
    if event.event_type in CREATING and not is_created(db, entity):
        flipped.add(entity)
    at = event.ts if event.happened_at is None else event.happened_at
    db.execute(
        _ADD_EVENT,
        {
            "position": event.position,
            "ord": event.order,
            "event_id": event.event_id,
            "event_type": event.event_type,
            "entity": entity,
            "session": event.session_id,
            **batch.placed(event, ""),
            "entry": body.get("entry_id"),
            "actor": event.actor,
            "at": at,
            "body": json.dumps(body),
        },
    )


def _forget(db: sqlite3.Connection, event: Event, touched: set[str], flipped: set[str]) -> None:
    gone = [("session_id", session) for session in event.payload["sessions"]]
    gone += [("project_path", path) for path in forgotten_projects(event)]
    for column, value in gone:
        rows = db.execute(f"select distinct entity_id from task_events where {column} = ?", (value,)).fetchall()
        touched |= {row[0] for row in rows}
        flipped |= {row[0] for row in rows}
        for table in ("task_events", "task_withdrawals"):
            db.execute(f"delete from {table} where {column} = ?", (value,))
        if column == "session_id":
            db.execute("delete from task_voids where session_id = ?", (value,))


def _void(db: sqlite3.Connection, event: Event, touched: set[str], flipped: set[str]) -> None:
    """What a session said of these entities so far no longer counts: it is about to be learned again."""
    for entity in event.payload["entities"]:
        values = {"session": event.payload["session"], "entity": entity, "ord": event.order}
        db.execute(
            """
            insert into task_voids(session_id, entity_id, ord) values (:session, :entity, :ord)
            on conflict do update set ord = max(ord, excluded.ord)
            """,
            values,
        )
        where = "session_id = :session and entity_id = :entity and ord < :ord"
        if db.execute(f"delete from task_events where {where}", values).rowcount:
            touched.add(entity)
            flipped.add(entity)


def _withdraw(db: sqlite3.Connection, event: Event, touched: set[str], flipped: set[str]) -> None:
    """What an entry said counts no more, or again: what was said of that last, of what was said before it."""
    entry, is_gone = event.payload["entry_id"], int(event.event_type == "entry_withdrawn")
    db.execute(
        "insert into task_withdrawals values (?, ?, ?, ?, ?) on conflict do nothing",
        (entry, event.order, is_gone, event.session_id, event.project),
    )
    found = db.execute("select distinct entity_id from task_events where entry_id = ?", (entry,)).fetchall()
    db.execute(
        """
        update task_events set withdrawn = coalesce(
            (select w.is_gone from task_withdrawals w
             where w.entry_id = task_events.entry_id and w.ord > task_events.ord
             order by w.ord desc limit 1), 0)
        where entry_id = ?
        """,
        (entry,),
    )
    touched |= (entities := {row[0] for row in found})
    flipped |= entities
