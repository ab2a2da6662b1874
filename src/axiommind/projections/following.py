"""Whether an index was made from the log beside it. An index is never built over one whose log vanished, shrank or is
another's: it may hold the last copy of what is nowhere else.

Two logs that hold the same event at the same position agree on everything before it, because events are only appended.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import NamedTuple

from axiommind import db as sqlite
from axiommind.errors import LogLost
from axiommind.log import EventLog

__all__ = [
    "LOG_KEY",
    "Folded",
    "folded_from",
    "folded_in",
    "follows",
    "has_log",
    "require_following",
    "require_log",
]

# The row of `meta` that names the log.
LOG_KEY = "log"
_WAY_OUT = (
    "axm restore FILE brings the log back (axm backup list shows the backups). To go on with what is here instead: "
    "axm rebuild --anew, which keeps the old index aside"
)


class Folded(NamedTuple):
    """What an index was made from: a log, and the last event of it; position -1 when the index cannot be read."""

    position: int
    event_id: str = ""
    log: str = ""


def has_log(path: Path) -> bool:
    """Whether there is a log; an empty file is none."""
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def folded_from(path: Path) -> Folded | None:
    """What the index at this path was made from; None when there is none, or nothing is in it."""
    try:
        if not path.stat().st_size:
            return None
        db = sqlite.open_read(path)
    except OSError:  # not there, or not to be reached: whoever writes says so
        return None
    except sqlite3.DatabaseError as error:
        return _unreadable(error)
    try:
        return folded_in(db)
    except sqlite3.DatabaseError as error:
        return _unreadable(error)
    finally:
        db.close()


def _unreadable(error: sqlite3.DatabaseError) -> Folded | None:
    """Damaged, or only in the way of somebody else: then whoever opens it next says so."""
    return Folded(-1) if sqlite.is_damage(error) else None


def folded_in(db: sqlite3.Connection) -> Folded | None:
    """The same of an open index."""
    if not sqlite.has_table(db, "projection_offsets"):
        return None
    row = db.execute(
        """
        select position, last_event_id, coalesce((select value from meta where key = ?), '')
        from projection_offsets
        order by position
        limit 1
        """,
        (LOG_KEY,),
    ).fetchone()
    return None if row is None or not row[0] else Folded(*row)


def follows(folded: Folded | None, log: EventLog) -> bool:
    """Whether what an index was made from is the beginning of this log."""
    if folded is None:
        return True
    event = log.event_at(folded.position)
    return event is not None and event.event_id == folded.event_id


def _may_replace(folded: Folded | None, log: EventLog) -> bool:
    """Whether this log was restored in the place of the one that an index was made from; that one was kept aside."""
    replaced = log.identity().replaces
    return folded is None or (folded.position > 0 and bool(replaced & {folded.log, folded.event_id}))


def require_log(folded: Folded | None, log: EventLog | None, index: Path, log_path: Path) -> None:
    """Refuse to go on where the index was not made from this log. A damaged index is no proof, unless the log is new:
    whoever opens it keeps it aside."""
    if folded is None or (log is not None and (follows(folded, log) or _may_replace(folded, log))):
        return
    last = 0 if log is None else log.last_position()
    if folded.position < 0:
        if last:
            return
        raise LogLost(
            f"{index} is damaged, and {_gone(log, log_path)}; both were left as they are",
            hint=_WAY_OUT,
        )
    made = f"{index} was made from {folded.position:,} events"
    if log is None or not last:
        what = f"{made}, and {_gone(log, log_path)}"
    elif folded.log and folded.log == log.identity().name:
        what = f"{made}, and {log_path} ends at event {last:,}: some of it is missing"
        if last >= folded.position:
            what = f"{made} of which {log_path} holds others: it is an older copy that went its own way"
    else:
        what = f"{made} of another log than {log_path}"
    raise LogLost(f"{what}. Nothing was changed", hint=_WAY_OUT)


def require_following(folded: Folded | None, log: EventLog, index: Path) -> None:
    """Refuse to fold events that do not go on from what was folded: the log was exchanged after it was opened."""
    if not follows(folded, log):
        raise LogLost(f"{index} does not belong to the log that is here now", hint="run: axm index")


def _gone(log: EventLog | None, path: Path) -> str:
    return f"{path} is gone" if log is None else f"{path} is empty"
