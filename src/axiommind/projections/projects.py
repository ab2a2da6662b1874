"""Projects: which folders are one project, wherever they lie. Folds what was identified and what persons said of it.

Whatever belongs to a project has two columns: `project_path`, the folder as its event named it, and `project`, the path
that the project goes by. Where the second changes, it changes in every table at once; what is summed by it is summed
anew by its own projection (`Batch.moved`). Forgetting takes nothing away here: the next machine or folder of the
same project has to be known as that.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from axiommind.model import Event
from axiommind.projections import OF_PROJECT, Batch, Table
from axiommind.projections.project_groups import Groups, ProjectStatement, group

NAME = "projects"
VERSION = 1
AFTER: tuple[str, ...] = ()
EVENT_TYPES = (
    "project_identified",
    "project_aliased",
    "project_merged",
    "project_split",
    "project_ruling_undone",
)
TABLES = (
    Table(
        "project_statements",
        "What was said of folders and projects: what identified a folder (`path`) when it was indexed, and what "
        "persons said since (`said` is the type of the event).",
        scope="path in (select path from main.project_paths where project = :project)",
    ),
    Table(
        "projects",
        "The projects of which something is known: `project` is the path that each goes by, in every table; `key` what "
        "its places have in common (`git:` and its remote, `root:` and its first commit, `name:`, or `path:`), `name` "
        "what a person called it.",
        scope=OF_PROJECT,
    ),
    Table(
        "project_paths",
        "The folders of projects, also those of other machines. `kind` and `identity` say how each was identified "
        "(`remote`, `root`, `path`; `given`: by a person; `inside`: the repository around one), `folder` where in its "
        "repository it is.",
        scope=OF_PROJECT,
    ),
    Table("project_aliases", "Everything else that means a project: names, keys, remotes.", scope=OF_PROJECT),
)
_DDL = (
    """
    create table project_statements (
        event_id text primary key,
        at integer not null,
        said text not null,
        path text not null,
        said_json text not null check (json_valid(said_json)),
        by text not null,
        is_teammates integer not null
    ) without rowid
    """,
    """
    create table projects (
        project text primary key,
        key text not null,
        name text
    ) without rowid
    """,
    """
    create table project_paths (
        path text primary key,
        project text not null,
        key text not null,
        kind text not null,
        identity text not null,
        folder text not null
    ) without rowid
    """,
    "create index idx_project_paths_project on project_paths(project)",
    """
    create table project_aliases (
        alias text not null,
        project text not null,
        primary key (alias, project)
    ) without rowid
    """,
)
_ADD = """
    insert into project_statements(event_id, at, said, path, said_json, by, is_teammates)
    values (:event_id, :at, :said, :path, :what, :by, :is_teammates)
    on conflict do nothing
"""
_PATHS = "select path, project, folder from project_paths"
# Tables whose rows belong to a project.
_GROUPED = """
    select m.name
    from sqlite_master m
    join pragma_table_info(m.name) c on c.name = 'project_path'
    join pragma_table_info(m.name) p on p.name = 'project'
    where m.type = 'table'
    order by m.name
"""
_TEXTS = {"project_identified": ("kind", "identity", "folder"), "project_ruling_undone": ("ruling",)}
_LISTS = {"project_merged": "keys", "project_split": "paths"}


def create(db: sqlite3.Connection) -> None:
    for statement in _DDL:
        db.execute(statement)


def apply(db: sqlite3.Connection, batch: Batch) -> None:
    known = {path: (project, folder) for path, project, folder in db.execute(_PATHS)}
    before = {path: project for path, (project, _) in known.items()}
    batch.groups.update(before)
    if not sum(_add(db, event) for event in batch.events):
        return
    found = group(statements(db))
    _write(db, found)
    batch.groups.clear()
    batch.groups.update({one.path: one.project for one in found.paths})
    paths = before.keys() | batch.groups.keys()
    moved = {path for path in paths if before.get(path, path) != batch.groups.get(path, path)}
    _touch(db, batch, known, found)
    if moved:
        batch.moved.update({path: before.get(path, path) for path in moved})
        _regroup(db, batch, moved)


def statements(db: sqlite3.Connection) -> list[ProjectStatement]:
    rows = db.execute("select event_id, at, said, path, said_json, is_teammates from project_statements")
    return [
        ProjectStatement(event_id, at, said, path, json.loads(what), bool(theirs))
        for event_id, at, said, path, what, theirs in rows
    ]


def _add(db: sqlite3.Connection, event: Event) -> int:
    if not _is_well_formed(event.event_type, event.project, event.payload):
        return 0  # of another home: what it says means nothing here
    values = {
        "event_id": event.event_id,
        "at": event.ts,
        "said": event.event_type,
        "path": event.project or "",
        "what": json.dumps(event.payload, sort_keys=True),
        "by": event.actor,
        "is_teammates": event.is_teammates,
    }
    return db.execute(_ADD, values).rowcount


def _is_well_formed(said: str, path: str | None, what: dict[str, Any]) -> bool:
    if said in _LISTS:
        given = what.get(_LISTS[said])
        is_list = isinstance(given, list) and all(isinstance(one, str) for one in given)
        return is_list and isinstance(what.get("id"), str)
    if said == "project_aliased":
        is_text = all(isinstance(one, str) for one in what.values())
        return is_text and {"id", "key"} <= what.keys() and ("path" in what or "name" in what)
    return all(isinstance(what.get(name), str) for name in _TEXTS[said]) and bool(path or said != "project_identified")


def _write(db: sqlite3.Connection, found: Groups) -> None:
    for table in ("projects", "project_paths", "project_aliases"):
        db.execute(f"delete from {table}")
    db.executemany("insert into project_paths values (?, ?, ?, ?, ?, ?)", found.paths)
    for one in found.projects:
        db.execute("insert into projects values (?, ?, ?)", (one.project, one.key, next(iter(one.names), None)))
        aliases = [(alias, one.project) for alias in sorted({*one.names, *one.aliases})]
        db.executemany("insert into project_aliases values (?, ?)", aliases)


def _touch(db: sqlite3.Connection, batch: Batch, known: dict[str, tuple[str, str]], found: Groups) -> None:
    """Sessions whose files have other names now, because their folder is another place of the repository, or the folder
    that their project goes by is."""
    now = {one.path: (one.project, one.folder) for one in found.paths}
    changed = {path for path in known.keys() | now.keys() if known.get(path) != now.get(path)}
    for path in sorted(changed):
        rows = db.execute("select id from sessions where ? in (project_path, project)", (path,))
        batch.sessions |= {session for (session,) in rows}


def _regroup(db: sqlite3.Connection, batch: Batch, moved: set[str]) -> None:
    """What belongs to these paths belongs to another project now."""
    changes = [(batch.groups.get(path, path), path) for path in sorted(moved)]
    for path in moved:
        rows = db.execute("select id, project from sessions where project_path = ?", (path,)).fetchall()
        batch.sessions |= {session for session, _ in rows}
        batch.projects |= {project for _, project in rows}
    batch.projects |= {project for project, _ in changes}
    for (table,) in db.execute(_GROUPED).fetchall():
        db.executemany(f"update {table} set project = ? where project_path = ?", changes)
