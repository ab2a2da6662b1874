"""Folding a batch of events into every table.

What another home wrote and no projection understands is left out, in a rebuild as well: one such event must not keep
everything after it from being shown. An event of this home that cannot be folded is a mistake of ours, and is raised.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from axiommind import db as sqlite
from axiommind.model import Event
from axiommind.projections import Batch, Decode, Projection

__all__ = ["fold"]

# What a projection raises of an event that is not what its type has to be.
_NOT_UNDERSTOOD = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    OverflowError,
    sqlite3.IntegrityError,
    sqlite3.ProgrammingError,  # a list where a text belongs
    sqlite3.InterfaceError,
)


def fold(
    db: sqlite3.Connection,
    projections: Sequence[Projection],
    events: list[Event],
    decode: Decode,
    blob: Callable[[str], bytes | None],
    event_at: Callable[[int], Event | None],
) -> None:
    """Inside a transaction: fold these events, in order."""
    if not any(event.origin for event in events):
        _apply(db, projections, Batch(events, decode, blob, event_at))
        return
    try:
        with sqlite.savepoint(db):
            _apply(db, projections, Batch(events, decode, blob, event_at))
    except _NOT_UNDERSTOOD:
        for event in events:
            try:
                with sqlite.savepoint(db):
                    _apply(db, projections, Batch([event], decode, blob, event_at))
            except _NOT_UNDERSTOOD:
                if not event.origin:
                    raise


def _apply(db: sqlite3.Connection, projections: Sequence[Projection], batch: Batch) -> None:
    for projection in projections:
        projection.apply(db, batch.only(projection.EVENT_TYPES))
