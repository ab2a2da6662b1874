"""Writing: an event of memory's into the log. Its text goes into a sealed blob, so that it is redacted and can go."""

from __future__ import annotations

from axiommind.ids import dedupe_key
from axiommind.learning.drafts import Emit
from axiommind.log import EventLog, seal_lines
from axiommind.text.redaction import Redactor

__all__ = ["Writer"]


class Writer:
    def __init__(self, log: EventLog, key: bytes) -> None:
        self._log = log
        self._key = key
        self._redactor = Redactor(key)

    def append(
        self, emit: Emit, *, session: str | None, project: str | None, build: str | None = None, actor: str = "memory"
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
