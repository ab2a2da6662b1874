"""Coverage: how many texts have vectors, wait for them or failed, by kind; and whether a version can be searched."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from typing import NamedTuple

from axiommind.projections import outbox as jobs
from axiommind.projections.outbox import KINDS
from axiommind.vectors.items import FIRST

__all__ = ["RETRIES", "Counts", "coverage", "is_complete", "waiting"]

RETRIES = 3  # of a text that failed


class Counts(NamedTuple):
    """How many texts of a kind are done, pending and failed."""

    done: int = 0
    pending: int = 0
    failed: int = 0

    @property
    def total(self) -> int:
        return sum(self)


def waiting(db: sqlite3.Connection) -> int:
    """The number of pending jobs."""
    (count,) = db.execute("select count(*) from vector_outbox where status = 'pending'").fetchone()
    return int(count)


def coverage(db: sqlite3.Connection, version: str | None = None) -> dict[str, Counts]:
    """The counts of each kind in a version, by default in the one that jobs are written for."""
    rows = db.execute(
        """
        select item_kind, count(*) filter (where status = 'done'), count(*) filter (where status = 'pending'),
               count(*) filter (where status = 'failed')
        from vector_outbox where embedding_version = ? group by item_kind
        """,
        (version or jobs.wanted(db),),
    )
    found = {kind: Counts(*counts) for kind, *counts in rows}
    return {kind: found[kind] for kind in KINDS if kind in found}


def is_complete(db: sqlite3.Connection, version: str, kinds: Collection[str]) -> bool:
    """Whether a version can be searched: all of the first kinds are done or failed for good, and not most of them."""
    if jobs.wanted(db) != version:
        return False
    first = json.dumps([kind for kind in FIRST if kind in kinds])
    left, done, failed = db.execute(
        """
        select count(*) filter (where status = 'pending' or status = 'failed' and attempts < ?),
               count(*) filter (where status = 'done'), count(*) filter (where status = 'failed')
        from vector_outbox where embedding_version = ? and item_kind in (select value from json_each(?))
        """,
        (RETRIES, version, first),
    ).fetchone()
    return not left and done >= failed
