"""The reader: workflows and scratchpads as they are now, from the index if that has it, from the log if it is behind;
every version of them, and the texts that two machines made of one version."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator

from axiommind.errors import NotFound
from axiommind.log import EventLog
from axiommind.model import Event
from axiommind.projections.scratchpad_rows import (
    ScratchpadRow,
    ScratchpadText,
    WorkflowRow,
    one_scratchpad,
    one_workflow,
    text_of,
)
from axiommind.projections.scratchpads import NAME_CHARS, read_written
from axiommind.projections.session_rows import iso
from axiommind.scratchpads.values import ScratchpadConflict, ScratchpadVersion
from axiommind.text.edits import count
from axiommind.text.merged_edits import MergedText, WrittenEdit, merged, merges

__all__ = ["ScratchpadReader"]

_KINDS = ("scratchpad_written", "workflow_created", "workflow_updated")


class ScratchpadReader:
    """Reads from an open log. The index may be behind it, or None: then everything is read from the log."""

    def __init__(self, log: EventLog, db: sqlite3.Connection | None) -> None:
        self._log, self._db = log, db

    def workflow(self, name: str) -> WorkflowRow:
        """A workflow as it is now. If the index does not have it yet, its scratchpads are counted as 0."""
        made = self._log.last_of(name, "workflow_created")
        if made is None or self._log.is_forgotten(name, made.project):
            raise NotFound(f"there is no workflow {name!r}", hint="axm workflow list (list-workflows) shows them")
        last = self._log.last_of(name, "workflow_updated") or made
        if self._db is not None and max(last.position, made.position) <= self._folded():
            row = one_workflow(self._db, name)
            if row is not None:
                return row
        words = self._words(made)
        if not words:  # its text went with a project that has been forgotten
            raise NotFound(f"there is no workflow {name!r}", hint="axm workflow list (list-workflows) shows them")
        events, now = self._merged(name)
        said = [event for event in sorted(events, key=lambda one: one.order) if event.payload.get("active") is not None]
        return WorkflowRow(
            name,
            now.title,
            now.text,
            words["project_scope"],
            bool(said[-1].payload["active"]) if said else True,
            iso(made.ts),
            iso(max(event.ts for event in events)),
            0,
            made.project or "",
            len(now.asides),
        )

    def _words(self, event: Event) -> dict[str, str | None]:
        content = self._log.blob(event.payload["blob"]) if "blob" in event.payload else None
        return {} if content is None else dict(json.loads(content))

    def scratchpad(self, name: str) -> ScratchpadText:
        """A scratchpad and its text as they are now."""
        last = self._log.last_of(name, "scratchpad_written")
        if last is None or self._log.is_forgotten(name, last.project):
            raise NotFound(f"there is no scratchpad {name!r}", hint="axm pad list (list-scratchpads) shows them")
        if self._db is not None and last.position <= self._folded():
            row = one_scratchpad(self._db, name)
            if row is not None:
                return ScratchpadText(row, text_of(self._db, name))
        for _, found in self.versions(name):
            now = found
        return now

    def versions(self, name: str) -> Iterator[tuple[ScratchpadVersion, ScratchpadText]]:
        """Every version of a scratchpad with its text, oldest first. One at a time: a thousand versions of a long text
        are a gigabyte."""
        events = {event.event_id[:NAME_CHARS]: event for event in self._log.events_of(name, "scratchpad_written")}
        first = ""
        for written, now in merges(self._edits(events.values())):
            event = events[written.name]
            given, at = event.payload, iso(event.ts)
            first = first or at
            # An old version of a text beside it is what its edit made; the newest is what is shown.
            text = now.text if now.made is None or now.version == len(events) else now.made
            size, lines, beside = len(text.encode()), count(text), len(now.asides)
            machine = self._machine(event)
            version = ScratchpadVersion(
                now.version, at, event.actor, written.edit.mode, lines, size, given["session"], machine, beside
            )
            row = ScratchpadRow(
                name, given["workflow"], now.title, now.version, size, lines, first, at, event.project or "", beside
            )
            yield version, ScratchpadText(row, text)
        if not first:
            raise NotFound(f"there is no scratchpad {name!r}", hint="axm pad list (list-scratchpads) shows them")

    # --- machines ----------------------------------------------------------------------------------------

    def conflicts(self, name: str) -> list[ScratchpadConflict]:
        """The texts beside the text of a scratchpad or workflow: what two machines made of one version of it."""
        events, now = self._merged(name)
        by_name = {event.event_id[:NAME_CHARS]: event for event in events}
        return [
            ScratchpadConflict(number, iso(event.ts), event.actor, self._machine(event), count(aside.text), aside.text)
            for number, aside in enumerate(now.asides, 1)
            for event in (by_name[aside.name],)
        ]

    def _merged(self, name: str) -> tuple[list[Event], MergedText]:
        events = [event for kind in _KINDS for event in self._log.events_of(name, kind)]
        return events, merged(self._edits(events)) or MergedText("", "", 0, ())

    def _edits(self, events: Iterable[Event]) -> list[WrittenEdit]:
        found = []
        for event in events:
            blob = event.payload.get("blob")
            written = read_written(event, self._log.blob(blob) if blob else None)
            if written is not None:
                found.append(written)
        return found

    def _machine(self, event: Event) -> str:
        return self._log.origins.numbered(event.origin).label if event.origin else ""

    def _folded(self) -> int:
        assert self._db is not None
        (position,) = self._db.execute("select coalesce(min(position), 0) from projection_offsets").fetchone()
        return int(position)
