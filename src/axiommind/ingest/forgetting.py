"""Forgetting: a tombstone in the log, the text purged there, in the index and in the vectors; and lifting one."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from axiommind.errors import AxmError, NotFound
from axiommind.home import Home
from axiommind.ids import one_of

if TYPE_CHECKING:
    from axiommind.log import Head
    from axiommind.log.sqlite import SqliteLog

__all__ = ["Forgetting", "Forgotten"]

# Ids of workflows and pads: their tombstones are in the log beside those of sessions, and are never lifted.
_WORKING = ("wf_", "pad_")


class Forgotten(NamedTuple):
    """What was forgotten; `copies` are other sessions (forks) that hold some of the same records, and `complete` is
    False while a reader keeps old pages of our files in use."""

    sessions: tuple[str, ...]
    project: str | None
    copies: tuple[str, ...] = ()
    complete: bool = True
    gone: int = 0  # of all these, those that are no longer on disk: they cannot be read again
    documents: tuple[str, ...] = ()
    vectors_left: tuple[AxmError, ...] = ()  # why there may be vectors of it still
    # These were never anywhere else, so they cannot be read again.
    workflows: tuple[str, ...] = ()
    scratchpads: tuple[str, ...] = ()


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
    ) -> Forgotten:
        """Write a tombstone and purge the text of sessions, documents, workflows and pads, here and in the index."""
        from axiommind.ingest.served import drop_served
        from axiommind.projections.runner import Segments, remove_leftovers
        from axiommind.vectors.sweep import purge

        with self.home.open_log() as (log, _key), contextlib.ExitStack() as stack:
            index = self.home.open_index(log, [], stack)
            index.catch_up(log, Segments(log))
            heads = log.heads().values()
            if decision is not None:
                made = {row[0] for row in index.db.execute("select decision_id from decisions")}
                wanted, name = [one_of(decision, made, "decision", "axm decision list shows them")], None
            elif document is not None:
                wanted, name = [_document_of(document, _documents(heads), "document")], None
            elif workflow is not None or scratchpad is not None:
                wanted, name = [], None
            else:
                wanted, name = self._sessions_to_forget(index.db, log, session, project)
            flows, scratchpads = _working_memory(index.db, workflow, scratchpad, name)
            there = {h.state["session_id"] for h in heads if os.path.lexists(h.state.get("path", h.stream))}
            documents = tuple(sorted(_documents(heads) & set(wanted)))
            sessions = tuple(i for i in wanted if i not in documents)
            copies = self._copies(index.db, sessions)
            gone = len(set(wanted) - there)
            if dry_run:
                return Forgotten(
                    sessions, name, copies, gone=gone, documents=documents, workflows=flows, scratchpads=scratchpads
                )
            if flows or scratchpads:
                # With tombstones of their own: a project that is lifted does not bring back what is nowhere else.
                log.forget([*flows, *scratchpads], None, actor="user", reason=reason)
            if wanted or name is not None:
                log.forget(wanted, name, actor="user", reason=reason)
            drop_served(self.home.config.home / "hooks", wanted, name)
            index.catch_up(log, Segments(log))
            self._void(log, index.db)
            index.catch_up(log, Segments(log))
            left = tuple(purge(index.db, self.home.config.home))
            complete = index.scrub() and log.settle()
            for copy in self.home.config.home.glob("index.db.corrupt-*"):
                copy.unlink(missing_ok=True)  # a damaged copy of the index may still hold the text
            remove_leftovers(self.home.config.index_path)  # so may a rebuild that was killed
        return Forgotten(sessions, name, copies, complete, gone, documents, left, flows, scratchpads)

    def _void(self, log: SqliteLog, db: sqlite3.Connection) -> None:
        """Sessions that spoke of a task which went with another one are to be learned again, for their part of it."""
        from axiommind.ids import dedupe_key

        lost: dict[tuple[str, str], list[str]] = {}
        rows = db.execute(
            """
            select distinct session_id, project, entity_id from task_events
            where session_id is not null and entity_id not in (select entity_id from entities)
            order by 1, 2, 3
            """
        )
        for session, project, entity in rows:
            lost.setdefault((session, project), []).append(entity)
        for (session, project), entities in lost.items():
            log.append_dedup(
                "learning_voided",
                actor="memory",
                payload={"session": session, "entities": entities},
                dedupe_key=dedupe_key("learning_voided", session, log.last_position()),
                session_id=session,
                project=project,
            )

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
            known = {row[0] for row in db.execute("select project from workflows where project <> ''")}
            name = self._project_name(project, known | {h["project"] for h in heads})
            wanted = {h["session_id"] for h in heads if h["project"] == name}
            wanted |= {row[0] for row in db.execute("select id from sessions where project = ?", (name,))}
            return sorted(wanted), name
        chosen = one_of(session or "", {h["session_id"] for h in heads if h["kind"] != "document"}, "session")
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

    def lift(self, *, session: str | None = None, project: str | None = None, document: str | None = None) -> None:
        """Lift a tombstone: what is still on disk is read again by the next index."""
        with self.home.open_log() as (log, _key):
            marks = log.tombstones()
            if project is not None:
                forgotten = {key for kind, key in marks if kind == "project"}
                try:
                    name = self._project_name(project, forgotten)
                except NotFound:
                    raise NotFound(f"project {project!r} is not forgotten", hint="axm doctor lists what is") from None
                log.lift(None, name, actor="user")
            elif document is not None:
                known = {key for kind, key in marks if kind == "session"}
                log.lift(_document_of(document, known, "forgotten document"), None, actor="user")
            else:
                known = {key for kind, key in marks if kind == "session" and not key.startswith(_WORKING)}
                log.lift(one_of(session or "", known, "forgotten session"), None, actor="user")


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


def _documents(heads: Iterable[Head]) -> set[str]:
    return {h.stream for h in heads if h.state["kind"] == "document"}


def _document_of(name: str, known: set[str], what: str) -> str:
    """The id of the document that was meant: by its path, or by its id or the beginning of it."""
    from axiommind.ids import document_id

    by_path = document_id(os.path.realpath(Path(name).expanduser()))
    if by_path in known:
        return by_path
    if name.startswith("doc-") and not os.path.lexists(name):
        return one_of(name, {i for i in known if i.startswith("doc-")}, what)
    raise NotFound(f"there is no {what} {name!r}", hint="axm kb list --documents lists the documents")
