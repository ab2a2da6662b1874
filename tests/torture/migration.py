"""A migration of the log as a later version may bring one: it changes many rows, so that a kill can hit it midway."""

from __future__ import annotations

import sqlite3

from axiommind.log import migrations, sqlite

__all__ = ["one_more"]


def m999_counts(db: sqlite3.Connection) -> None:
    db.execute("create table torture_counts (position integer primary key, size integer not null, padding text)")
    db.execute(
        "insert into torture_counts select position, length(payload_json), hex(zeroblob(1000)) from events order by 1"
    )
    db.execute("alter table torture_counts drop column padding")


def one_more() -> None:
    """From now on this process knows one migration more."""
    migrations.MIGRATIONS = sqlite.MIGRATIONS = (*migrations.MIGRATIONS, m999_counts)
