"""Which sessions are to be learned, and in which order.

The rules read every session that is new or has grown, oldest first, so that a task is created before it is done. A
model is asked about finished sessions that a person took part in, newest first: what is old can wait, and costs the
same later.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

__all__ = ["QUIET_MS", "TRIES", "QueuedSession", "drop_old_marks", "ended_marks", "is_finished", "to_ask", "to_learn"]

# A session that failed so often is learned again only when it grows, or when it is asked for.
TRIES = 3
# Without a word for so long, a session is finished, whether or not its client said so.
QUIET_MS = 20 * 60_000
# Lines that a client writes while it ends may be stamped a little later than its hook.
_SLACK_MS = 30_000

_HEADS = """
    select session_id, max(position) || '.' || count(*) as head
    from segments
    where live
    group by session_id
"""
_TO_LEARN = f"""
    select s.id, coalesce(s.last_ts, s.ended_at, s.file_mtime)
    from sessions s
    join ({_HEADS}) h on h.session_id = s.id
    left join learned l on l.session_id = s.id and l.extractor = :extractor
    where (:again or l.head is null or l.head <> h.head or (l.status = 'failed' and l.failures < :tries)
           or (l.status = 'success' and :version <> '' and l.version <> :version))
      and (:project is null or s.project = :project)
      and (:since is null or coalesce(s.ended_at, s.last_ts, s.file_mtime) >= :since)
    order by coalesce(s.started_at, s.first_ts, s.file_mtime), s.parent_session is not null, s.id
"""
_TO_ASK = f"""
    select s.id, coalesce(s.last_ts, s.ended_at, s.file_mtime) as active
    from sessions s
    join ({_HEADS}) h on h.session_id = s.id
    left join learned l on l.session_id = s.id and l.extractor = :extractor
    where (:again or l.head is null or l.head <> h.head or (l.status = 'failed' and l.failures < :tries))
      and s.parent_session is null
      and s.prompt_count > 0
      and (:project is null or s.project = :project)
      and (:since is null or coalesce(s.last_ts, s.ended_at, s.file_mtime) >= :since)
    order by active desc, s.id
"""


class QueuedSession(NamedTuple):
    """A session to be learned, and when something was last said in it."""

    session: str
    active: int


def to_learn(
    db: sqlite3.Connection,
    extractor: str,
    *,
    project: str | None = None,
    since: int | None = None,
    again: bool = False,
) -> list[QueuedSession]:
    """What an extractor that costs nothing reads: oldest first, parents before subagents; what an older version of it
    has read too."""
    from axiommind.extraction import version

    values: dict[str, object] = {"extractor": extractor, "project": project, "since": since, "again": again}
    values |= {"tries": TRIES, "version": version(extractor)}
    return [QueuedSession(*row) for row in db.execute(_TO_LEARN, values)]


def to_ask(
    db: sqlite3.Connection,
    extractor: str,
    *,
    project: str | None = None,
    since: int | None = None,
    again: bool = False,
) -> list[QueuedSession]:
    """What a model is asked about: newest first; no subagents, and nothing in which no person said anything."""
    values = {"extractor": extractor, "project": project, "since": since, "again": again, "tries": TRIES}
    return [QueuedSession(*row) for row in db.execute(_TO_ASK, values)]


def ended_marks(home: Path) -> dict[str, int]:
    """When clients said that their sessions ended (the hook SessionEnd), in epoch milliseconds."""
    marks: dict[str, int] = {}
    try:
        for path in (home / "hooks" / "ended").iterdir():
            marks[path.name] = path.stat().st_mtime_ns // 1_000_000
    except OSError:
        pass
    return marks


def drop_old_marks(home: Path, now: int) -> None:
    """Marks of sessions that are quiet anyway say nothing more."""
    for name, ended in ended_marks(home).items():
        if ended + 2 * QUIET_MS < now:
            (home / "hooks" / "ended" / name).unlink(missing_ok=True)


def is_finished(one: QueuedSession, marks: Mapping[str, int], now: int) -> bool:
    """Whether nothing more is expected of a session: its client ended it after its last word, or it is quiet."""
    ended = marks.get(one.session)
    return one.active + QUIET_MS <= now or (ended is not None and one.active <= ended + _SLACK_MS)
