"""Homes whose events are in this log, and how what they wrote is read here.

An event of another home is kept as it was written: its payload, its checksum and what that says of positions, paths and
ids are that home's. Whoever reads it gets it in words of this home: positions are the ones of this log, a path is
`MACHINE:/path` (`PERSON@MACHINE:/path` of a team mate), and a team mate's ids end in `@PERSON`, so that nothing that a
team mate writes can name what is somebody else's.
"""

from __future__ import annotations

import re
import sqlite3
from typing import Any

from axiommind.ids import dedupe_key
from axiommind.model import Event, OriginHome
from axiommind.projects import slug

__all__ = ["ABOUT_FORGETTING", "TRAVELS", "UNREAD", "VOCABULARY", "Origins"]

# The version of the vocabulary below. An event of a newer one is kept and not read.
VOCABULARY = 1
# The types that travel. What a home notes about its own work (builds, calls to models, what hooks supplied, what was
# purged, which folders are read, what its agents ask of its person) stays there, whoever sends it.
TRAVELS = frozenset(
    (
        "transcript_segment",
        "transcript_sidecar",
        "transcript_missing",
        "transcript_returned",
        "session_pruned",
        "session_ingested",
        "document_saved",
        "document_removed",
        "project_identified",
        "project_aliased",
        "project_merged",
        "project_split",
        "project_ruling_undone",
        "memory_extracted",
        "evidence_aligned",
        "idris_checked",
        "support_checked",
        "promoted",
        "conflict_detected",
        "conflict_resolved",
        "conflict_reopened",
        "entry_contested",
        "entry_superseded",
        "entry_deprecated",
        "entry_restored",
        "entry_withdrawn",
        "entry_returned",
        "entry_used",
        "entry_anchored",
        "decision_made",
        "feedback_given",
        "task_created",
        "task_status_changed",
        "task_priority_changed",
        "task_title_changed",
        "task_transition_rejected",
        "task_blockers_set",
        "task_mentioned",
        "condition_declared",
        "condition_resolved_to",
        "artifact_declared",
        "learning_voided",
        "workflow_created",
        "workflow_updated",
        "scratchpad_written",
        "forgotten",
        "forget_lifted",
        "forget_done",
    )
)
# Of these, those that say what was forgotten: they travel and arrive whatever is forgotten.
ABOUT_FORGETTING = frozenset(("forgotten", "forget_lifted"))
# Stands before the type of an event that is kept and not read: unknown, of a newer vocabulary, or none that travels.
UNREAD = "unread:"

_LATEST = 253_402_300_799_999  # the last millisecond of the year 9999: later times cannot be written
_PATHS = frozenset(("stream", "path", "root", "project"))
_WITH_PATHS = frozenset(
    (
        "transcript_segment",
        "transcript_sidecar",
        "transcript_missing",
        "transcript_returned",
        "document_saved",
        "document_removed",
        "forgotten",
        "forget_lifted",
        "project_aliased",
        "project_split",
    )
)
# Ids of sessions and of what belongs to them, by the names they go under, and ids that say what they are.
_NAMED = frozenset(
    (
        "session",
        "session_id",
        "sessions",
        "parent_session",
        "parent",
        "said_in",
        "owner",
        "build_id",
        "conflict_id",
        "value_key",
        "canonical_key",
    )
)
_KEY = re.compile(r"(?:git|root|name):[^/\\]")
_LABEL = re.compile(r"([^/\\:]{2,}):(?=[/\\]|[A-Za-z]:)")
_IDS = re.compile(r"(?:ent|tsk|cond|art|edg|dec|wf|pad|cfl|con|prp)_[0-9A-Za-z]{6,64}")


class Origins:
    """The table `origins` of an open log. `found` says whether there was any when it was opened."""

    def __init__(self, db: sqlite3.Connection, *, found: bool) -> None:
        self._db = db
        self.found = found
        self._known: dict[int, OriginHome] = {}

    def all(self) -> list[OriginHome]:
        """Every home that is known, this one (0) first if it has a name."""
        if not self.found:
            return []
        rows = self._db.execute("select id, origin, who, name, relation, state, verify_key from origins order by id")
        return [OriginHome(*row) for row in rows]

    def named(self, origin: str) -> OriginHome | None:
        """A home by what it is called in its chain."""
        return next((one for one in self.all() if one.origin == origin), None)

    def numbered(self, number: int) -> OriginHome:
        """A home by its number in this log."""
        if number not in self._known:
            self._known |= {one.id: one for one in self.all()}
        return self._known[number]

    def put(self, given: OriginHome) -> OriginHome:
        """Inside a transaction: remember a home, or what is new about one; its relation and its names stay as they
        were, because paths and ids are made of them. A machine's name is given once among a person's."""
        self.found = True
        self._known.clear()
        names = {(one.who, one.name) for one in self.all() if one.origin != given.origin and one.id}
        name, n = given.name, 2
        while (given.who, name) in names:
            name, n = f"{given.name}-{n}", n + 1
        self._db.execute(
            """
            insert into origins(id, origin, who, name, verify_key, relation, state)
            values (case :relation when 'self' then 0 else (select coalesce(max(id), 0) + 1 from origins) end,
                    :origin, :who, :name, :verify_key, :relation, :state)
            on conflict(origin) do update set
                state = excluded.state, verify_key = coalesce(excluded.verify_key, verify_key)
            """,
            {**given._asdict(), "name": name},
        )
        found = self.named(given.origin)
        assert found is not None
        return found

    def rename_self(self, made: OriginHome) -> int:
        """Inside a transaction: this home takes another name, and the one it had is another machine of its person's.
        The number of that one."""
        (old,) = [one for one in self.all() if one.id == 0]
        self._db.execute(
            "update origins set origin = ?, name = ?, verify_key = ? where id = 0",
            (made.origin, made.name, made.verify_key),
        )
        self._known.clear()
        self._db.execute(
            """
            insert into origins(id, origin, who, name, verify_key, relation, state)
            values ((select max(id) + 1 from origins), ?, ?, ?, ?, 'own', 'forked')
            """,
            (old.origin, old.who, old.name, old.verify_key),
        )
        self._known.clear()
        found = self.named(old.origin)
        assert found is not None
        return found.id

    def tips(self, session: str, until: int) -> list[str]:
        """The last event of each home about a session, document or scratchpad, up to a position, where other homes are
        known. Of this one too: after it was cloned, what it wrote before is another's to all others."""
        if not self.found:
            return []
        return [
            str(row[0])
            for row in self._db.execute(
                """
                select event_id, max(position) from events
                where session_id = ? and position <= ? group by origin order by origin
                """,
                (session, until),
            )
        ]

    # --- in words of this home ------------------------------------------------------------------------

    def local_id(self, origin: OriginHome, name: str | None) -> str | None:
        """The id of a session, document, entry, pad … of that home, here. A document's is made of its path, which is
        another file on each machine."""
        if not name:
            return name
        if name.startswith("doc-"):
            name = f"doc-{dedupe_key('document of', origin.origin, name)[:20]}"
        if origin.relation != "teammate" or name.endswith(f"@{origin.who}"):
            return name
        return f"{name}@{origin.who}"

    def local_path(self, origin: OriginHome, path: str | None) -> str | None:
        """A path of that home, or the name of a folder that stands for a project, here. What a machine of the same
        person says of another one's paths, it says with that one's name before them: of ours too."""
        if not path:
            return path
        if origin.relation == "own" and _KEY.match(path) is not None:
            return path  # what places of a project have in common: it is the same everywhere
        if origin.relation == "own" and (label := _LABEL.match(path)) is not None:
            # It spoke of another machine, by the name that each of a person's machines goes by.
            for one in self.all():
                if one.id == 0 and one.name == label[1]:
                    return path[label.end() :]
                if one.id and one.label == label[1]:
                    return path
        if "/" in path or "\\" in path:
            return f"{origin.label}:{path}"
        return slug(f"{origin.label}:") + path

    def local_key(self, origin: OriginHome, key: Any) -> Any:
        """What places of a project have in common, here: a path is that home's, anything else is everybody's."""
        if not isinstance(key, str) or not key.startswith("path:"):
            return key
        return f"path:{self.local_path(origin, key[5:])}"

    def _document(self, origin: OriginHome, name: str) -> str:
        """The document here that a machine of the same person forgets: its own, ours, or a third one's."""
        known = self._db.execute(
            "select distinct session_id, origin from events where session_id >= 'doc-' and session_id < 'doc.'"
        ).fetchall()
        for found, whose in known:
            if whose == 0 and any(
                self.local_id(one, found) == name for one in self.all() if one.id == 0 or one.state == "forked"
            ):
                return str(found)
        if any(found == name for found, whose in known if whose):
            return name
        return str(self.local_id(origin, name))

    def event(self, event: Event) -> Event:
        """An event of another home in words of this one, with the time that it has there."""
        origin = self.numbered(event.origin)
        kind, schema = event.event_type, event.schema or 0
        if kind.startswith(UNREAD) and kind[len(UNREAD) :] in TRAVELS and schema <= VOCABULARY:
            event = event._replace(event_type=kind[len(UNREAD) :])  # this version knows it
        if event.event_type.startswith(UNREAD):
            return event
        at = min(max(event.origin_ts or 0, 0), _LATEST)
        payload = self.said(origin, event.payload, event.event_type)
        if origin.relation == "teammate":  # whoever it was there, it is that person's home that says it
            return event._replace(ts=at, payload=payload, actor="teammate", is_teammates=True)
        return event._replace(ts=at, payload=payload)

    def said(self, origin: OriginHome, value: Any, event_type: str = "") -> Any:
        """What an event or its text says (a JSON value), in words of this home."""
        if isinstance(value, list):
            return [self.said(origin, one, event_type) for one in value]
        if isinstance(value, str):
            return self.local_id(origin, value) if _IDS.fullmatch(value) else value
        if not isinstance(value, dict):
            return value
        made = {name: self._said(origin, name, one, event_type) for name, one in value.items()}
        if "position" in made and "line" in made and "block" in made:
            made["position"], made["event_id"] = self._place(origin, value)
        return made

    def _said(self, origin: OriginHome, name: str, value: Any, event_type: str) -> Any:
        if name in ("session", "sessions") and event_type in ABOUT_FORGETTING and origin.relation == "own":
            names = value if isinstance(value, list) else [value]
            here = [self._document(origin, one) if str(one).startswith("doc-") else one for one in names]
            return here if isinstance(value, list) else here[0]
        if name in _NAMED:
            if isinstance(value, list):
                return [self.local_id(origin, one) for one in value]
            return self.local_id(origin, value) if isinstance(value, str) else value
        if event_type in _WITH_PATHS:
            if name == "stream" and isinstance(value, str) and value.startswith("doc-"):
                return self.local_id(origin, value)
            if name in _PATHS and (value is None or isinstance(value, str)):
                return self.local_path(origin, value)
            if name == "paths" and isinstance(value, list):
                return [self.local_path(origin, one) if isinstance(one, str) else one for one in value]
            if name == "folder" and isinstance(value, str):
                return slug(f"{origin.label}:") + value
            if name == "moves" and isinstance(value, dict):
                return {cwd: self.local_path(origin, project) for cwd, project in value.items()}
        if name == "segments" and event_type == "session_ingested":
            return [self._position(origin, one) for one in value]
        if event_type.startswith("project_") and name in ("key", "keys"):
            keys = value if isinstance(value, list) else [value]
            made = [self.local_key(origin, one) for one in keys]
            return made if isinstance(value, list) else made[0]
        if name == "identity" and event_type == "project_identified" and "/" in str(value)[:1]:
            return self.local_path(origin, value)
        return self.said(origin, value, event_type)

    def _place(self, origin: OriginHome, span: dict[str, Any]) -> tuple[int, str]:
        """The position of the event that a span is in, and its id: by the id, because what a home says of a session of
        a third one is at a position that only it knows."""
        name = span.get("event_id") or ""
        here = str(self.local_id(origin, name) or "")
        row = self._db.execute("select position from events where event_id in (?, ?)", (here, name)).fetchone()
        if name:
            return (row[0] if row else 0), here
        return self._position(origin, span["position"]), ""

    def _position(self, origin: OriginHome, seq: Any) -> int:
        row = self._db.execute("select position from events where origin = ? and seq = ?", (origin.id, seq)).fetchone()
        if row is None and origin.state == "forked":  # what this home was a copy of: what both have is this home's own
            row = self._db.execute("select position from events where origin = 0 and position = ?", (seq,)).fetchone()
        return int(row[0]) if row else 0
