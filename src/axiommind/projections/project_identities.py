"""Project identities: which folder is which project, wherever it lies. Folds `project_identified`.

A project may have several: its remote was renamed, or it got one later. The same identity under two paths is one
project in two places.
"""

from __future__ import annotations

import sqlite3

from axiommind.projections import OF_PROJECT, Batch, Table
from axiommind.projections.session_rows import iso

NAME = "project_identities"
VERSION = 1
AFTER: tuple[str, ...] = ()
EVENT_TYPES = ("project_identified", "forgotten")
TABLES = (
    Table(
        "project_identities",
        "What identifies a project, wherever its folder lies: its git `remote` (`github.com/owner/name`), the `root` "
        "commit of a repository without one, or its `path`. `folder` is where in the repository the project is.",
        scope=OF_PROJECT,
    ),
)


def create(db: sqlite3.Connection) -> None:
    db.execute(
        """
        create table project_identities (
            project text not null,
            kind text not null,
            identity text not null,
            folder text not null,
            identified_at text not null,
            primary key (project, kind, identity, folder)
        ) without rowid
        """
    )
    db.execute("create index idx_project_identities on project_identities(identity)")


def apply(db: sqlite3.Connection, batch: Batch) -> None:
    for event in batch.events:
        if event.event_type == "forgotten":
            db.execute("delete from project_identities where project = ?", (event.payload["project"],))
        else:
            given = event.payload
            db.execute(
                """
                insert into project_identities(project, kind, identity, folder, identified_at) values (?, ?, ?, ?, ?)
                on conflict do nothing
                """,
                (event.project, given["kind"], given["identity"], given["folder"], iso(event.ts)),
            )
