"""Summaries that name a message, of whichever session has it: in `temp.summarised` while a batch is folded."""

from __future__ import annotations

import sqlite3

__all__ = ["summarise"]


def summarise(db: sqlite3.Connection, sessions: set[str]) -> None:
    """Of each touched session the summary that names its latest message, found in one pass over the summaries. They
    have no time of their own, and which file was read first must not matter."""
    db.execute("create temp table if not exists summarised(session_id text primary key, summary text) without rowid")
    db.execute("create temp table if not exists touched(session_id text primary key) without rowid")
    db.execute("delete from temp.summarised")
    db.execute("delete from temp.touched")
    db.executemany("insert into temp.touched values (?)", [(s,) for s in sorted(sessions)])
    db.execute(
        """
        insert or replace into temp.summarised
        select r.session_id, s.summary from summaries s join records r on r.uuid = s.leaf_uuid
        where r.session_id in (select session_id from temp.touched)
        order by r.timestamp, r.line, r.uuid, s.session_id
        """
    )
