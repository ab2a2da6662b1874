"""A past: a home in a temporary folder that is given sessions from another home's log, one after the other.

The transcripts come from the log, so it does not matter what became of their files. What was learned of them is learned
again, by the rules, as of the time of their end. Nothing is written to the home that they come from.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from axiommind.ids import dedupe_key
from axiommind.log import Sealed, home_key, seal_lines
from axiommind.memory import Memory
from axiommind.text.redaction import Redactor

if TYPE_CHECKING:
    from axiommind.log.sqlite import SqliteLog
    from axiommind.model import Event

__all__ = ["Past"]

_KINDS = ("transcript_segment", "transcript_sidecar")


class Past:
    """What was known at a time in the past."""

    def __init__(self, memory: Memory, log: SqliteLog, folder: Path) -> None:
        self._source = log
        environ = {"AXM_HOME": str(folder), "HOME": str(folder), "PATH": memory.home.environ.get("PATH", "")}
        config = memory.config._replace(home=folder, claude_roots=())
        self.memory = Memory(config, environ=environ, user=folder)

    @classmethod
    @contextlib.contextmanager
    def of(cls, memory: Memory) -> Iterator[Past]:
        """A past that knows nothing yet, of a memory's sessions; it is gone afterwards."""
        with memory.home.read_log() as (log, _key), tempfile.TemporaryDirectory(prefix="axm-replay-") as folder:
            yield cls(memory, log, Path(folder))

    def learn(self, sessions: Sequence[str], at: int) -> None:
        """These sessions have ended: they are indexed and learned."""
        from axiommind.projections.runner import Segments

        home = self.memory.home
        key = home_key(home.config.home)
        redactor = Redactor(key)
        with home.open_log() as (log, _), contextlib.ExitStack() as stack:
            index = home.open_index(log, [], stack)
            with log.atomic():
                for session in sessions:
                    for event in self._events(session):
                        self._copy(log, redactor, key, event)
            index.catch_up(log, Segments(log))
        self.memory.learning.run(extractor="rules", at=at)

    def _events(self, session: str) -> list[Event]:
        found = [event for kind in _KINDS for event in self._source.events_of(session, kind)]
        return sorted(found, key=lambda event: event.position)

    def _copy(self, log: SqliteLog, redactor: Redactor, key: bytes, event: Event) -> None:
        content = self._source.blob(event.payload["blob"])
        if content is None:
            return
        sealed = self._seal(redactor, key, content)
        log.append_dedup(
            event.event_type,
            actor=event.actor,
            session_id=event.session_id,
            project=event.project,
            happened_at=event.happened_at,
            payload={**event.payload, "blob": sealed.hash},
            dedupe_key=dedupe_key("replayed", event.position),
            sensitivity=event.sensitivity,
            blobs=[sealed],
        )

    def _seal(self, redactor: Redactor, key: bytes, content: bytes) -> Sealed:
        lines = content.split(b"\n")
        if lines and not lines[-1]:
            lines.pop()
        return seal_lines(redactor, key, lines)[0]
