"""The door for events of other homes. Nothing that they say of themselves counts here.

Their time may lie in any year, and their keys can be guessed. So an event of another home is appended as one of ours,
of a type of its own that no projection folds: with our time, with a key made of where it comes from, and with what it
was as its payload. What it says was somebody's word there; here it is nobody's.
"""

from __future__ import annotations

from collections.abc import Sequence

from axiommind.errors import BadQuery
from axiommind.ids import checksum, dedupe_key
from axiommind.log.blobs import Sealed
from axiommind.log.contract import EventLog
from axiommind.model import Event

__all__ = ["FOREIGN", "append_foreign"]

FOREIGN = "foreign_event"
_LONGEST_ORIGIN = 200


def append_foreign(log: EventLog, origin: str, event: Event, blobs: Sequence[Sealed] = ()) -> Event | None:
    """Append what happened in another home (`origin`, the name of its log); None when it is here already, or when its
    session or project was forgotten here. Its texts are sealed for this home: redacted again."""
    if not 0 < len(origin) <= _LONGEST_ORIGIN or event.position < 1:
        raise BadQuery("an event of another home needs the name of its log and a position in it")
    if log.is_forgotten(event.session_id, event.project):
        return None
    try:
        is_whole = checksum(event.payload) == event.checksum
    except (ValueError, RecursionError):  # no JSON of ours: NaN, or nested too deeply
        is_whole = False
    if not is_whole:
        raise BadQuery(f"event {event.position} of {origin} does not match its checksum", hint="export it again")
    return log.append_dedup(
        FOREIGN,
        actor="elsewhere",
        session_id=event.session_id,
        project=event.project,
        payload={"origin": origin, **event._asdict()},
        dedupe_key=dedupe_key(FOREIGN, origin, event.position),
        blobs=blobs,
    )
