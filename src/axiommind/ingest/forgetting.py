"""Forgetting: a tombstone in the log, the text purged there, in the index and in the vectors; and lifting one."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from axiommind.approval.proposing import require_person
from axiommind.approval.requests import PersonRequest
from axiommind.callers import Caller
from axiommind.errors import NotFound
from axiommind.home import Home
from axiommind.ids import one_of
from axiommind.ingest.forgotten_records import hashes_to_forget
from axiommind.ingest.purging import Certificate, Held, finish
from axiommind.projections.project_rows import is_key, projects_called, tombstones_of
from axiommind.projections.scope import project_in

if TYPE_CHECKING:
    from axiommind.log import Head
    from axiommind.log.sqlite import SqliteLog
    from axiommind.projections.runner import Index

__all__ = ["Forgetting", "Forgotten"]

# Ids of workflows and pads: their tombstones are in the log beside those of sessions, and are never lifted.
_WORKING = ("wf_", "pad_")


class Forgotten(NamedTuple):
    """What was forgotten; `copies` are other sessions (forks) that hold some of the same records. `pending` are places
    where some of it may be left, and `certificate` says what was proven where nothing is."""

    sessions: tuple[str, ...]
    project: str | None
    copies: tuple[str, ...] = ()
    gone: int = 0  # of all these, those that are no longer on disk: they cannot be read again
    documents: tuple[str, ...] = ()
    # These were never anywhere else, so they cannot be read again.
    workflows: tuple[str, ...] = ()
    scratchpads: tuple[str, ...] = ()
    places: tuple[str, ...] = ()  # the folders of the project, on this machine and others
    pending: tuple[Held, ...] = ()
    certificate: Certificate | None = None

    @property
    def complete(self) -> bool:
        return not self.pending


class Forgetting:
    """Forgets sessions, projects, documents, decisions, workflows and scratchpads."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def forget(
        self,
        *,
        session: str | None = None,
        project: str | None = None,
        document: str | None = None,
        decision: str | None = None,
        workflow: str | None = None,
        scratchpad: str | None = None,
        reason: str = "",
        dry_run: bool = False,
        caller: Caller | None = None,
    ) -> Forgotten:
        """Write a tombstone and purge the text of sessions, documents, workflows and pads, here and in the index. An
        agent's request makes a proposal (`NeedsPerson`)."""
        from axiommind.projections.runner import Segments

        with self.home.open_log() as (log, key), contextlib.ExitStack() as stack:
            index = self.home.open_index(log, [], stack)
            index.catch_up(log, Segments(log))
            heads = log.heads().values()
            asked = {"session": session, "project": project, "document": document, "decision": decision}
            wanted, name = ([], None) if workflow or scratchpad else self._meant(index.db, log, **asked)
            flows, scratchpads = _working_memory(index.db, workflow, scratchpad, name)
            there = {h.state["session_id"] for h in heads if os.path.lexists(h.state.get("path", h.stream))}
            documents = tuple(sorted(_documents(heads, index.db) & set(wanted)))
            sessions = tuple(i for i in wanted if i not in documents)
            copies = self._copies(index.db, sessions)
            gone = len(set(wanted) - there)
            marks = [] if name is None else tombstones_of(index.db, name)
            done = Forgotten(
                sessions,
                name,
                copies,
                gone=gone,
                documents=documents,
                workflows=flows,
                scratchpads=scratchpads,
                places=tuple(one for one in marks if not is_key(one)),
            )
            if dry_run:
                return done
            asked |= {"workflow": workflow, "scratchpad": scratchpad}
            who = caller or self.home.caller
            require_person(log, key, index, who, _request(asked, (*wanted, *flows, *scratchpads), name, reason))
            with log.atomic():
                if flows or scratchpads:
                    # With tombstones of their own: a project that is lifted does not bring back what is nowhere else.
                    log.forget([*flows, *scratchpads], None, actor=who.actor, reason=reason)
                if wanted or name is not None:
                    records = partial(hashes_to_forget, log, index.db, key, wanted)
                    log.forget(wanted, name, actor=who.actor, reason=reason, records=records)
                for place in marks:  # each with an event of its own: they are elsewhere on other machines
                    if place != name:
                        log.forget([], place, actor=who.actor, reason=reason)
            held, certificate = finish(self.home, log, index)
        return done._replace(pending=held, certificate=certificate)

    def _meant(
        self,
        db: sqlite3.Connection,
        log: SqliteLog,
        *,
        session: str | None,
        project: str | None,
        document: str | None,
        decision: str | None,
    ) -> tuple[list[str], str | None]:
        """The sessions, documents or decision that are meant, and the project if one is."""
        if decision is not None:
            made = {row[0] for row in db.execute("select decision_id from decisions")}
            return [one_of(decision, made, "decision", "axm decision list shows them")], None
        if document is not None:
            return [_document_of(document, _documents(log.heads().values(), db), "document")], None
        return self._sessions_to_forget(db, log, session, project)

    def _copies(self, db: sqlite3.Connection, sessions: Sequence[str]) -> tuple[str, ...]:
        found: set[str] = set()
        for session in sessions:
            rows = db.execute(
                """
                select distinct o.session_id from records r join records o on o.uuid = r.uuid
                where r.session_id = ? and o.session_id <> r.session_id
                """,
                (session,),
            )
            found |= {row[0] for row in rows}
        return tuple(sorted(found - set(sessions)))

    def _sessions_to_forget(
        self, db: sqlite3.Connection, log: SqliteLog, session: str | None, project: str | None
    ) -> tuple[list[str], str | None]:
        heads = [h.state for h in log.heads().values()]
        if project is not None:
            named = "select project from workflows where project <> '' union select project from sessions"
            known = {row[0] for row in db.execute(named)}
            name = project_in(db, project) or self._project_name(project, known | {h["project"] for h in heads})
            places = {*tombstones_of(db, name), name}
            wanted = {h["session_id"] for h in heads if h["project"] in places}
            wanted |= {row[0] for row in db.execute("select id from sessions where project = ?", (name,))}
            return sorted(wanted), name
        here = {row[0] for row in db.execute("select id from sessions")}  # of another home there is no file
        here |= {h["session_id"] for h in heads if h["kind"] != "document"}
        chosen = one_of(session or "", here, "session")
        family = {chosen}
        rows = db.execute("select id, parent_session from sessions where parent_session is not null").fetchall()
        for child, parent in [*rows, *((h["session_id"], h["parent_session"]) for h in heads)]:
            if parent == chosen:
                family.add(child)
        return sorted(family), None

    def _project_name(self, project: str, known: set[str]) -> str:
        from axiommind.projects import project_of

        for name in (project, project_of(os.path.realpath(project))):
            if name in known:
                return name
        raise NotFound(f"no project {project!r} is known", hint="axm doctor lists the projects")

    def lift(
        self,
        *,
        session: str | None = None,
        project: str | None = None,
        document: str | None = None,
        caller: Caller | None = None,
    ) -> None:
        """Lift a tombstone: what is still on disk is read again by the next index. An agent's request makes a proposal
        (`NeedsPerson`)."""
        with self.home.open_log() as (log, key), contextlib.ExitStack() as stack:
            index = self.home.open_index(log, [], stack)
            marks = log.tombstones()
            who = caller or self.home.caller
            if project is not None:
                forgotten = {key for kind, key in marks if kind == "project"}
                places = self._forgotten_places(index.db, project, forgotten)
                self._need_to_lift(log, key, index, who, "project", places[0])
                for place in places:
                    log.lift(None, place, actor=who.actor)
            elif document is not None:
                known = {key for kind, key in marks if kind == "session"}
                name = _document_of(document, known, "forgotten document")
                self._need_to_lift(log, key, index, who, "document", name)
                log.lift(name, None, actor=who.actor)
            else:
                known = {key for kind, key in marks if kind == "session" and not key.startswith(_WORKING)}
                name = one_of(session or "", known, "forgotten session")
                self._need_to_lift(log, key, index, who, "session", name)
                log.lift(name, None, actor=who.actor)

    def _forgotten_places(self, db: sqlite3.Connection, project: str, forgotten: set[str]) -> list[str]:
        """Everything by which a forgotten project is kept out, the folder that it goes by first."""
        names = [*projects_called(db, project), project]
        found = {place for name in names[:-1] for place in tombstones_of(db, name)} & forgotten
        if not found:
            try:
                found = {self._project_name(project, forgotten)}
            except NotFound:
                raise NotFound(f"project {project!r} is not forgotten", hint="axm doctor lists what is") from None
        return sorted(found, key=lambda place: (place not in names, is_key(place), place))

    def _need_to_lift(self, log: SqliteLog, key: bytes, index: Index, caller: Caller, kind: str, name: str) -> None:
        # It names what was forgotten by its id, and is tied to nothing that is.
        require_person(log, key, index, caller, PersonRequest("undo-forget", {kind: name}, name))


def _request(asked: dict[str, str | None], meant: Sequence[str], project: str | None, reason: str) -> PersonRequest:
    """What is asked for, by its full name: one that is short today may mean two things tomorrow. A session comes with
    its subagents, of which nobody spoke."""
    ((kind, given),) = [(kind, given) for kind, given in asked.items() if given is not None] or [("session", "")]
    about = project or next((one for one in meant if one.startswith(given)), meant[0] if meant else given)
    return PersonRequest("forget", {kind: about, "reason": reason}, about, None if project else about, project)


def _working_memory(
    db: sqlite3.Connection, workflow: str | None, scratchpad: str | None, project: str | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The workflows and pads that are meant: a workflow goes with its pads, and a project with its workflows."""
    known = dict(db.execute("select id, project from workflows"))
    made = {row[0]: row[1:] for row in db.execute("select id, workflow_id, project from pads")}
    if scratchpad is not None:
        return (), (one_of(scratchpad, set(made), "scratchpad", "axm pad list --all-projects lists them"),)
    if workflow is not None:
        flows = {one_of(workflow, set(known), "workflow", "axm workflow list --all-projects lists them")}
    else:
        flows = {name for name, of in known.items() if project is not None and of == project}
    scratchpads = {
        name for name, (flow, of) in made.items() if flow in flows or (project is not None and of == project)
    }
    return tuple(sorted(flows)), tuple(sorted(scratchpads))


def _documents(heads: Iterable[Head], db: sqlite3.Connection) -> set[str]:
    """Those that were read here, and those of other machines."""
    return {h.stream for h in heads if h.state["kind"] == "document"} | {
        row[0] for row in db.execute("select id from documents")
    }


def _document_of(name: str, known: set[str], what: str) -> str:
    """The id of the document that was meant: by its path, or by its id or the beginning of it."""
    from axiommind.ids import document_id

    by_path = document_id(os.path.realpath(Path(name).expanduser()))
    if by_path in known:
        return by_path
    if name.startswith("doc-") and not os.path.lexists(name):
        return one_of(name, {i for i in known if i.startswith("doc-")}, what)
    raise NotFound(f"there is no {what} {name!r}", hint="axm kb list --documents lists the documents")
