"""A log in memory and an index over it: what the task tests append to, fold, and compare."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from axiommind.extraction.drafts import Draft, DraftBlocker, DraftStep, Quote
from axiommind.ids import checksum, content_hash, dedupe_key
from axiommind.learning.keys import entry_id
from axiommind.learning.new_event import NewEvent
from axiommind.learning.tasks.resolve import ResolvedTasks, TaskNote, resolve
from axiommind.learning.tasks.state import IndexState
from axiommind.model import Event
from axiommind.projections import Batch, tasks

START = 1_700_000_000_000
MINUTE = 60_000
PROJECT = "app"
LONG_QUOTE = "this is what was said about the task, word for word"


def draft(
    title: str,
    *steps: str,
    blocked_by: Sequence[str | DraftBlocker] = (),
    priority: str | None = None,
    renamed_from: str = "",
    quote: str = LONG_QUOTE,
    at: int | None = None,
) -> Draft:
    waits = tuple(b if isinstance(b, DraftBlocker) else DraftBlocker(b) for b in blocked_by)
    said = tuple(DraftStep(status, timestamp=at) for status in steps)
    quotes = (Quote(0, quote),)
    return Draft(
        "task_note",
        title,
        title,
        quotes,
        "todo",
        0.9,
        steps=said,
        priority=priority,
        blocked_by=waits,
        renamed_from=renamed_from,
        timestamp=at,
    )


def timed(title: str, *steps: tuple[str, int], **more: Any) -> Draft:
    """A draft whose steps were said so many minutes after the start."""
    said = tuple(DraftStep(status, timestamp=START + minute * MINUTE) for status, minute in steps)
    return draft(title, at=said[0].timestamp, **more)._replace(steps=said)


def span(line: int) -> dict[str, Any]:
    """Where a step was said, as far as tasks look at it."""
    return {"position": 1, "line": line}


class TaskLog:
    """Events and blobs, appended as the log does it: one event a key, text in blobs."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.blobs: dict[str, bytes] = {}
        self.keys: set[str] = set()
        self.dropped = 0  # events whose key was there
        self.db = new_index()
        self.folded = 0

    def append(self, emit: NewEvent, session: str | None = "s1", project: str | None = PROJECT) -> None:
        key = dedupe_key(emit.event_type, *emit.key)
        if key in self.keys:
            self.dropped += 1
            return
        self.keys.add(key)
        payload = json.loads(json.dumps(emit.payload))
        if emit.text is not None:
            data = emit.text.encode()
            payload["blob"] = content_hash(data)
            self.blobs[payload["blob"]] = data
        self.add(emit.event_type, payload, session, project, emit.happened_at)

    def add(
        self,
        event_type: str,
        payload: dict[str, Any],
        session: str | None = "s1",
        project: str | None = PROJECT,
        happened_at: int | None = None,
    ) -> None:
        position = len(self.events) + 1
        event = Event(
            position,
            f"evt_{position}",
            START + position,
            event_type,
            "memory",
            session,
            project,
            payload,
            checksum(payload),
            happened_at,
        )
        self.events.append(event)

    def forget(self, *sessions: str, project: str | None = None) -> None:
        """A tombstone; what only the forgotten events said is purged, as the log does it."""
        self.add("forgotten", {"sessions": list(sessions), "project": project, "reason": ""}, None, project)
        for event in self.events:
            if event.session_id in sessions or (project is not None and event.project == project):
                name = event.payload.get("blob")
                if name and not any(
                    other.payload.get("blob") == name
                    and other.session_id not in sessions
                    and (project is None or other.project != project)
                    for other in self.events
                ):
                    self.blobs.pop(name, None)

    def fold(self) -> None:
        """Bring the index up to date."""
        apply(self.db, self.events[self.folded :], self.blobs)
        self.folded = len(self.events)

    def learn(
        self, *drafts: Draft, session: str = "s1", epoch: str = "0", aligned: bool = True, now: int = START
    ) -> ResolvedTasks:
        noted = [
            TaskNote(
                d,
                entry_id(session, d.type, d.renamed_from or d.title),
                aligned,
                [[span(i)] for i in range(len(d.steps))],
            )
            for d in drafts
        ]
        self.fold()
        done = resolve(IndexState(self.db), noted, project=PROJECT, epoch=epoch, now=now)
        for emit in done.events:
            self.append(emit, session)
        self.fold()
        return done

    def void(self, session: str, *entities: str) -> None:
        self.add("learning_voided", {"session": session, "entities": list(entities)}, session)
        self.fold()

    def types(self) -> list[str]:
        return [event.event_type for event in self.events]

    def task_id(self, title: str) -> str:
        """The newest task of this title."""
        (found,) = self.db.execute(
            """
            select entity_id from entities join entity_keys using (entity_id)
            where entities.entity_type = 'task' and title = ?
            order by position desc limit 1
            """,
            (title,),
        ).fetchone()
        return str(found)


def new_index() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.execute("create table entries (entry_id text primary key, stage text not null, session_id text, project text)")
    db.execute("create table segments (position integer primary key, path text not null)")
    db.execute(
        """
        create table sessions (
            id text primary key, project text, parent_session text, prompt_count int, started_at int, first_ts int)
        """
    )
    tasks.create(db)
    return db


def apply(db: sqlite3.Connection, events: Sequence[Event], blobs: dict[str, bytes]) -> None:
    def decode(*args: object, **names: object) -> None:
        raise AssertionError("tasks are not made from segments")

    tasks.apply(db, Batch(list(events), decode, blobs.get).only(tasks.EVENT_TYPES))


def in_batches(events: Sequence[Event], blobs: dict[str, bytes], sizes: Iterable[int]) -> sqlite3.Connection:
    """An index folded from these events, so many at a time."""
    db, at = new_index(), 0
    for size in sizes:
        apply(db, events[at : at + size], blobs)
        at += size
    apply(db, events[at:], blobs)
    return db


def tables(db: sqlite3.Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, and of the view."""
    return {
        name: sorted(db.execute(f"select * from {name}").fetchall(), key=repr)
        for name in (table.name for table in tasks.TABLES)
    }
