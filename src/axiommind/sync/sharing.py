"""What a person shares with a team: sessions and projects, and which events of this home are published there.

Private is what nobody shared. Sharing and taking back are events of this home (`shared`, `unshared`), which stay here.
In the space of a team they are told in words that every home has known for long: what is taken back is `forgotten`
there, and what is shared is lifted. So a mate's home needs no rule of its own, and what it may forget is this person's
sessions and nobody else's.

A session takes its subagents along; a project, everything of it. What a person did about entries (raised, rated, used)
is no part of a session and stays at home.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from axiommind import db as sqlite
from axiommind.ids import dedupe_key
from axiommind.log.lines import Outgoing
from axiommind.log.origins import TRAVELS
from axiommind.log.sqlite import SqliteLog
from axiommind.log.syncing import SyncTables
from axiommind.model import Event

__all__ = ["SHARED", "UNSHARED", "Share", "SharedEvents", "family", "give", "in_force", "settle", "take_back"]

SHARED, UNSHARED = "shared", "unshared"
_AS_TOLD = {SHARED: "forget_lifted", UNSHARED: "forgotten"}
# What is of a person and not of a session, or is decided one by one below.
_CONTENT = TRAVELS - {
    "project_aliased",
    "project_merged",
    "project_split",
    "project_ruling_undone",
    "promoted",
    "entry_used",
    "feedback_given",
    "decision_made",
    "forgotten",
    "forget_lifted",
    "forget_done",
}


class Share(NamedTuple):
    """One session or one project that a team may read, and the event that says so."""

    space: str
    session: str | None
    project: str | None
    position: int
    at: int

    @property
    def what(self) -> tuple[str | None, str | None]:
        return self.session, self.project


def in_force(log: SqliteLog, space: str) -> list[Share]:
    """What is shared with a team now."""
    found: dict[tuple[str | None, str | None], Share] = {}
    for event in log.replay([SHARED, UNSHARED]):
        said = event.payload
        if said["space"] != space:
            continue
        what = said["session"], said["project"]
        found.pop(what, None)
        if event.event_type == SHARED:
            found[what] = Share(space, *what, event.position, event.ts)
    return list(found.values())


def ever(log: SqliteLog, space: str) -> list[Share]:
    """What was ever shared with a team, taken back or not."""
    return [
        Share(space, event.payload["session"], event.payload["project"], event.position, event.ts)
        for event in log.replay([SHARED])
        if event.payload["space"] == space
    ]


def give(log: SqliteLog, space: str, session: str | None, project: str | None, actor: str) -> bool:
    """Share; False where it is shared already."""
    if any(one.what == (session, project) for one in in_force(log, space)):
        return False
    said = {"space": space, "session": session, "project": project}
    _append(log, SHARED, said, actor)
    return True


def take_back(log: SqliteLog, index: Path, share: Share, actor: str, reason: str = "") -> None:
    """Share no longer: what the others have of it is forgotten there."""
    sessions = sorted(family(index, [share.session]) if share.session else SyncTables(log).sessions_of(share.project))
    said = {
        "space": share.space,
        "session": share.session,
        "project": share.project,
        "sessions": sessions,
        "reason": reason,
    }
    _append(log, UNSHARED, said, actor)


def settle(log: SqliteLog, index: Path, space: str) -> None:
    """What was forgotten here together with what nobody shared is taken back by itself: the event that forgot it names
    the rest, too, and stays at home."""
    tables = SyncTables(log)
    shares = in_force(log, space)
    told = SharedEvents(log, space, shares)
    gone = {
        name for event in log.replay(["forgotten"]) if told.takes_forgotten(event) for name in event.payload["sessions"]
    }
    for share in shares:
        if share.session and share.session not in gone and log.is_forgotten(*_of(tables, share)):
            take_back(log, index, share, "axm-sync", "forgotten")


def _of(tables: SyncTables, share: Share) -> tuple[str | None, str | None]:
    return share.session, next(iter(tables.projects_of(share.session or "")), None)


def _append(log: SqliteLog, event_type: str, said: Mapping[str, Any], actor: str) -> None:
    key = dedupe_key(
        event_type, str(said["space"]), str(said["session"] or ""), str(said["project"] or ""), log.last_position()
    )
    log.append_dedup(event_type, actor=actor, payload=dict(said), dedupe_key=key)


def family(index: Path, sessions: Collection[str]) -> set[str]:
    """These sessions and their subagents."""
    found = set(sessions)
    try:
        with closing(sqlite.open_read(index)) as db:
            fresh = set(sessions)
            while fresh:
                marks = ",".join("?" * len(fresh))
                rows = db.execute(f"select id from sessions where parent_session in ({marks})", sorted(fresh))
                fresh = {row[0] for row in rows} - found
                found |= fresh
    except sqlite3.Error:  # no index yet: the next run finds them
        pass
    return found


class SharedEvents:
    """The events of this home that a team gets: whoever publishes asks for those after a position."""

    def __init__(self, log: SqliteLog, space: str, shares: Iterable[Share], sessions: Collection[str] = ()) -> None:
        self._log, self._space = log, space
        self._tables = SyncTables(log)
        given = list(shares)
        self._projects = {one.project for one in given if one.project}
        self._sessions = set(sessions) | {one.session for one in given if one.session}
        self._around = {name for one in self._sessions for name in self._tables.projects_of(one)} | self._projects
        past = ever(log, space)
        self._once_projects = {one.project for one in past if one.project}
        self._once_sessions = {one.session for one in past if one.session} | self._sessions

    def __call__(self, log: SqliteLog, after: int = 0, most: int = 1000) -> list[Outgoing]:
        return self._chosen(log, after, most, _CONTENT | {SHARED, UNSHARED, "forgotten", "forget_done"})

    def _chosen(self, log: SqliteLog, after: int, most: int, kinds: Collection[str]) -> list[Outgoing]:
        marks, types = log.tombstones(), sorted(kinds)
        made: list[Outgoing] = []
        while len(made) < most and (page := log.own_since(after, types, most)):
            after = page[-1].position
            made += [
                Outgoing(_as_told(event), log.texts_of(event.position))
                for event in page
                if self._takes(event) and not marks & {("session", event.session_id), ("project", event.project)}
            ]
        return made[:most]

    def until(self, last: int) -> Callable[[SqliteLog, int, int], list[Outgoing]]:
        """What was recorded up to a position, before it was shared."""

        def earlier(log: SqliteLog, after: int, most: int) -> list[Outgoing]:
            return [one for one in self._chosen(log, after, most, _CONTENT) if one.event.position <= last]

        return earlier

    def _takes(self, event: Event) -> bool:
        kind = event.event_type
        if kind in (SHARED, UNSHARED):
            return bool(event.payload["space"] == self._space)
        if kind == "forgotten":
            return self.takes_forgotten(event)
        if kind == "forget_done":
            return all(self._tables.is_of_teammate(one) for one in event.payload["forgotten"])
        if kind == "project_identified":
            return event.project in self._around
        return event.session_id in self._sessions or (event.project is not None and event.project in self._projects)

    def takes_forgotten(self, event: Event) -> bool:
        """Whether everything that an event forgot was shared with this team: it names nothing else."""
        said = event.payload
        if event.origin or (said["project"] is not None and said["project"] not in self._once_projects):
            return False
        return bool(said["sessions"]) and all(self._was_shared(one) for one in said["sessions"])

    def _was_shared(self, session: str) -> bool:
        return session in self._once_sessions or bool(self._tables.projects_of(session) & self._once_projects)


def _as_told(event: Event) -> Event:
    return event._replace(event_type=_AS_TOLD.get(event.event_type, event.event_type))
