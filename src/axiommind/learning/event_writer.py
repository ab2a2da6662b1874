"""Writing: an event of memory's into the log. Its text goes into a sealed blob, so that it is redacted and can go."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from axiommind.home import Home, now
from axiommind.ids import dedupe_key
from axiommind.learning.new_event import NewEvent
from axiommind.log import EventLog, seal_lines
from axiommind.text.redaction import Redactor

if TYPE_CHECKING:
    from axiommind.log.sqlite import SqliteLog
    from axiommind.projections.runner import Index

__all__ = ["Writer", "note_use", "writing"]


class Writer:
    def __init__(self, log: EventLog, key: bytes) -> None:
        self._log = log
        self._key = key
        self._redactor = Redactor(key)

    def append(
        self,
        emit: NewEvent,
        *,
        session: str | None,
        project: str | None,
        build: str | None = None,
        actor: str = "memory",
    ) -> bool:
        """False when the log has it already."""
        payload, blobs, sensitivity = emit.payload, [], "normal"
        if emit.text is not None:
            text = emit.text.encode("utf-8", "replace")
            sealed, content = seal_lines(self._redactor, self._key, [text])
            payload, blobs = {**payload, "blob": sealed.hash}, [sealed]
            if content != text + b"\n":
                sensitivity = "redacted"
        event = self._log.append_dedup(
            emit.event_type,
            actor=actor,
            payload=payload,
            dedupe_key=dedupe_key(emit.event_type, *emit.key),
            session_id=session,
            project=project,
            happened_at=emit.happened_at,
            build_id=build,
            sensitivity=sensitivity,
            blobs=blobs,
        )
        return event is not None


@contextlib.contextmanager
def writing(home: Home) -> Iterator[tuple[SqliteLog, Writer, Index]]:
    """The log, what writes memory's events into it, and the index brought up to it; and again at the end."""
    from axiommind.projections.runner import Segments

    with home.writing([]) as (log, key, index):
        yield log, Writer(log, key), index
        index.catch_up(log, Segments(log))


def note_use(home: Home, log: SqliteLog, writer: Writer, entries: Sequence[str], how: str) -> None:
    """Remember that entries were looked at or given to an agent: what is used does not sink."""
    session = home.environ.get("CLAUDE_CODE_SESSION_ID") or None
    if session is not None and log.is_forgotten(session, None):
        session = None
    emit = NewEvent("entry_used", {"entries": list(entries), "how": how}, (how, now(), *entries))
    writer.append(emit, session=session, project=None, actor="agent" if session else "user")
