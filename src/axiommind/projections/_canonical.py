"""Which of several copies counts. Forks and resumes copy records into another session with the same uuid, and
messages with the same (message id, request id); every copy is stored, one is canonical, whatever order they came in.

- A record: the earliest (timestamp, original before `/branch` copy, session).
- An answer: not a sidechain's replay where the original is there; then the most output tokens, earliest, session.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

__all__ = ["Shared"]

_RECORDS = """
    update records set canonical = session_id = (
        select r.session_id from records r
        where r.uuid = records.uuid
        order by r.timestamp is null, r.timestamp, r.forked, r.session_id
        limit 1)
    where uuid in (select uuid from temp.copied)
"""
_ROWS = """
    update {table} set canonical = (
        select r.canonical from records r where r.uuid = {table}.uuid and r.session_id = {table}.session_id)
    where session_id = ? and uuid in (select uuid from temp.copied)
"""
_EDITS = """
    update file_edits set canonical = (select u.canonical from tool_uses u where u.id = file_edits.tool_use_id)
    where session_id = ?
"""
_ANSWERS = """
    update responses set canonical =
        id = (select r.id from responses r
              where r.message_id = responses.message_id and r.request_id = responses.request_id
              order by r.is_sidechain, r.output_tokens desc, r.timestamp is null, r.timestamp, r.session_id, r.id
              limit 1)
        and not (is_sidechain and exists (
            select 1 from responses r where r.message_id = responses.message_id and not r.is_sidechain))
    where message_id in (select id from temp.answered)
"""


class Shared:
    """Collects, during a batch, what may have copies elsewhere; `settle` decides them all at once."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        for statement in (
            "create temp table if not exists seen(uuid text primary key) without rowid",
            "create temp table if not exists copied(uuid text primary key) without rowid",
            "create temp table if not exists answered(id text primary key) without rowid",
            "delete from temp.seen",
            "delete from temp.copied",
            "delete from temp.answered",
        ):
            db.execute(statement)

    def added(self, uuids: Sequence[str], messages: Sequence[str]) -> None:
        self.db.executemany("insert or ignore into temp.seen values (?)", [(u,) for u in uuids])
        self.db.executemany("insert or ignore into temp.answered values (?)", [(m,) for m in messages])

    def removing(self, session: str) -> None:
        """The rows of this session are about to go: what they share with others is decided anew."""
        self.db.execute(
            """
            insert or ignore into temp.seen
            select r.uuid from records r
            where r.session_id = ?
              and exists (select 1 from records o where o.uuid = r.uuid and o.session_id <> r.session_id)
            """,
            (session,),
        )
        self.db.execute(
            "insert or ignore into temp.answered select message_id from responses where session_id = ?", (session,)
        )

    def settle(self) -> set[str]:
        """Set `canonical` where it can have changed; returns the sessions whose rows did."""
        db = self.db
        # A uuid with one copy now needs a decision only if it had more before, and then its flag may be 0.
        db.execute(
            """
            insert into temp.copied
            select s.uuid from temp.seen s join records r using (uuid)
            group by s.uuid having count(*) > 1 or min(r.canonical) = 0
            """
        )
        touched: set[str] = set()
        if db.execute("select 1 from temp.copied limit 1").fetchone() is not None:
            db.execute(_RECORDS)
            rows = db.execute("select distinct session_id from records where uuid in (select uuid from temp.copied)")
            touched = {row[0] for row in rows}
            for session in sorted(touched):
                for table in ("prompts", "tool_uses", "commands", "compaction_summaries"):
                    db.execute(_ROWS.format(table=table), (session,))
                db.execute(_EDITS, (session,))
        db.execute(
            """
            delete from temp.answered where id in (
                select a.id from temp.answered a join responses r on r.message_id = a.id
                group by a.id having count(*) = 1 and min(r.canonical) = 1)
            """
        )
        if db.execute("select 1 from temp.answered limit 1").fetchone() is not None:
            db.execute(_ANSWERS)
        return touched
