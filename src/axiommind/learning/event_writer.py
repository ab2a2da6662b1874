"""Writing learning's events to the log. Their text goes into sealed blobs, so that it is redacted and can be purged."""

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
    from axiommind.approval.requests import PersonRequest
    from axiommind.callers import Caller
    from axiommind.log.sqlite import SqliteLog
    from axiommind.projections.runner import Index

__all__ = ["EventWriter", "note_use", "writing"]


class EventWriter:
    def __init__(self, log: EventLog, key: bytes) -> None:
        self._log = log
        self._key = key
        self._redactor = Redactor(key)

    def append(
        self,
        event: NewEvent,
        *,
        session: str | None,
        project: str | None,
        build: str | None = None,
        actor: str = "memory",
    ) -> bool:
        """False when the log has it already."""
        payload, blobs, sensitivity = event.payload, [], "normal"
        if event.text is not None:
            text = event.text.encode("utf-8", "replace")
            sealed, content = seal_lines(self._redactor, self._key, [text])
            payload, blobs = {**payload, "blob": sealed.hash}, [sealed]
            if content != text + b"\n":
                sensitivity = "redacted"
        appended = self._log.append_dedup(
            event.event_type,
            actor=actor,
            payload=payload,
            dedupe_key=dedupe_key(event.event_type, *event.key),
            session_id=session,
            project=project,
            happened_at=event.happened_at,
            build_id=build,
            sensitivity=sensitivity,
            blobs=blobs,
        )
        return appended is not None

    def require_person(self, index: Index, caller: Caller, request: PersonRequest) -> None:
        """Return for a person; for an agent, write a proposal instead and raise `NeedsPerson`."""
        from axiommind.approval.proposing import require_person

        require_person(self._log, self._key, index, caller, request)


@contextlib.contextmanager
def writing(home: Home) -> Iterator[tuple[SqliteLog, EventWriter, Index]]:
    """The log, a writer for it, and the index, which is brought up to date before and after."""
    from axiommind.projections.runner import Segments

    with home.writing([]) as (log, key, index):
        yield log, EventWriter(log, key), index
        index.catch_up(log, Segments(log))


def note_use(home: Home, log: SqliteLog, writer: EventWriter, entries: Sequence[str], how: str) -> None:
    """Record that entries were looked at or given to an agent: what is used is not demoted."""
    session = home.environ.get("CLAUDE_CODE_SESSION_ID") or None
    if session is not None and log.is_forgotten(session, None):
        session = None
    event = NewEvent("entry_used", {"entries": list(entries), "how": how}, (how, now(), *entries))
    writer.append(event, session=session, project=None, actor="agent" if session else "user")
