"""Memory: a home, and everything that can be done with it.

Opens what it needs, when it needs it, and turns low-level failures into errors for people.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind import db as sqlite
from axiommind.errors import AxmError, NotFound
from axiommind.home import SAMPLE, SAMPLE_MARK, Scope
from axiommind.ids import one_of
from axiommind.ingest.library import Documents, Library
from axiommind.learning.remember import Remembering
from axiommind.learning.task_commands import Tasks
from axiommind.recall.recall import Recalling
from axiommind.reports.analysis.analyst import Analysing
from axiommind.reports.insight.report import Insight
from axiommind.scratchpads.scratchpads import Pads
from axiommind.search.session_view import Telling
from axiommind.vectors.embedding import Meaning
from axiommind.vectors.installed import Models

if TYPE_CHECKING:
    from axiommind.health import Check, Overview
    from axiommind.ingest import Report
    from axiommind.log import Head
    from axiommind.log.sqlite import SqliteLog
    from axiommind.model import Citation
    from axiommind.projections.documents import FolderRow
    from axiommind.projections.runner import Progress
    from axiommind.reports.grounding.read import Grounding
    from axiommind.reports.perspectives import Perspective
    from axiommind.search.citations import Opened
    from axiommind.search.show import Shown

__all__ = ["SAMPLE", "SAMPLE_MARK", "Forgotten", "Library", "Memory", "Scope"]

# Passages or lines around what was asked for.
_MOST_CONTEXT = 10_000
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
    pads: tuple[str, ...] = ()


class Memory(Documents, Pads, Remembering, Telling, Tasks, Meaning, Models, Insight, Recalling, Analysing):
    """A home (`log.db` and `index.db`) and what can be done with it."""

    # --- writing ---------------------------------------------------------------------------------------

    def index(
        self,
        *,
        project: str | None = None,
        full: bool = False,
        prune: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> Report:
        """Read what is new, append it to the log, bring the index up to it."""
        from axiommind.ingest import Ingest
        from axiommind.ingest.served import append_served
        from axiommind.projections.runner import Segments
        from axiommind.projects import project_of
        from axiommind.sources import discover_all

        started = time.monotonic()
        wanted = None if project is None else project_of(os.path.realpath(project))
        notes: list[str] = []
        if self.config.log_path.exists() and not (self.config.home / "redaction.key").exists():
            notes.append(
                "redaction.key was missing: a new one is made; new marks will differ from old ones, "
                "and changed files are read whole again"
            )
        with self._log() as (log, key), contextlib.ExitStack() as stack:
            segments = Segments(log)
            index = self._open_index(log, notes, stack)
            rows = 0

            def flush(events: list[Any]) -> None:
                nonlocal rows
                for event, decoded in events:
                    if decoded is not None:
                        segments.offer(event.position, decoded)
                rows += index.catch_up(log, segments).rows

            if full:
                self._rebuild(log, stack)
                notes.append("the index was rebuilt from the log, and every file was read again")
            flush([])
            run = Ingest(
                log,
                key,
                pool=lambda size: self._pool(size, stack),
                flush=flush,
                progress=progress,
            )
            found = discover_all(self.environ, self._user, self.config.claude_roots, project)
            report = run.run(found, project=wanted, full=full)
            if not any(discovery.files for _, discovery in found):
                if project is not None:
                    report.notes.append(f"no sessions of {os.path.realpath(project)} were found")
                elif not report.unchanged:
                    report.notes.append("no sessions of any agent were found; axm doctor shows where it looked")
            rows_gone = index.db.execute(
                "select id from sessions where missing_since is not null and (?1 is null or project = ?1) order by id",
                (wanted,),
            )
            gone = [row[0] for row in rows_gone]
            report.missing = len(gone)
            if prune:
                run.prune(gone)
            # Whatever the project: the files of hooks are few and small, and are marked as read together.
            served = append_served(log, index.db, self.config.home / "hooks", again=full)
            if served:
                report.events += served
                flush([])
            if project is None:
                report.documents = self._index_documents(log, key, index, full=full, progress=progress)
            index.tidy(rows)
            index.stamp()
            report.rows = rows
        report.notes[:0] = notes
        report.seconds = time.monotonic() - started
        return report

    def rebuild(self, tick: Callable[[int, int], None] | None = None) -> Progress:
        """A new index from the log alone; readers go on meanwhile."""
        with self._log() as (log, _key), contextlib.ExitStack() as stack:
            return self._rebuild(log, stack, tick)

    def watch(self, *, project: str | None = None, stop: Any = None) -> Iterator[Report]:
        """Index, then again whenever a transcript grows or a document changes. Sleeps in between: no busy loop."""
        from watchfiles import watch

        from axiommind.sources import discover_all

        yield self.index(project=project)
        found = discover_all(self.environ, self._user, self.config.claude_roots, None)
        roots = [Path(root) for _, discovery in found for root in discovery.roots]
        present = [root / "projects" if (root / "projects").is_dir() else root for root in roots if root.is_dir()]
        added = self.kb_list().folders if project is None else ()
        present += [Path(folder.root) for folder in added if os.path.lexists(folder.root)]
        if not present:
            raise NotFound("there is no folder to watch yet", hint="start an agent once, then try again")
        quiet = watch(*present, watch_filter=_watched(added), debounce=1_000, step=200, stop_event=stop)
        for _changes in quiet:
            yield self.index(project=project)

    def forget(
        self,
        *,
        session: str | None = None,
        project: str | None = None,
        document: str | None = None,
        decision: str | None = None,
        workflow: str | None = None,
        pad: str | None = None,
        reason: str = "",
        dry_run: bool = False,
    ) -> Forgotten:
        """Write a tombstone and purge the text of sessions, documents, workflows and pads, here and in the index."""
        from axiommind.ingest.served import drop_served
        from axiommind.projections.runner import Segments, remove_leftovers
        from axiommind.vectors.sweep import purge

        with self._log() as (log, _key), contextlib.ExitStack() as stack:
            index = self._open_index(log, [], stack)
            index.catch_up(log, Segments(log))
            heads = log.heads().values()
            if decision is not None:
                made = {row[0] for row in index.db.execute("select decision_id from decisions")}
                wanted, name = [one_of(decision, made, "decision", "axm decisions lists them")], None
            elif document is not None:
                wanted, name = [_document_of(document, _documents(heads), "document")], None
            elif workflow is not None or pad is not None:
                wanted, name = [], None
            else:
                wanted, name = self._sessions_to_forget(index.db, log, session, project)
            flows, pads = _working_memory(index.db, workflow, pad, name)
            there = {h.state["session_id"] for h in heads if os.path.lexists(h.state.get("path", h.stream))}
            documents = tuple(sorted(_documents(heads) & set(wanted)))
            sessions = tuple(i for i in wanted if i not in documents)
            copies = self._copies(index.db, sessions)
            gone = len(set(wanted) - there)
            if dry_run:
                return Forgotten(sessions, name, copies, gone=gone, documents=documents, workflows=flows, pads=pads)
            if flows or pads:
                # With tombstones of their own: a project that is lifted does not bring back what is nowhere else.
                log.forget([*flows, *pads], None, actor="user", reason=reason)
            if wanted or name is not None:
                log.forget(wanted, name, actor="user", reason=reason)
            drop_served(self.config.home / "hooks", wanted, name)
            index.catch_up(log, Segments(log))
            self._void(log, index.db)
            index.catch_up(log, Segments(log))
            left = tuple(purge(index.db, self.config.home))
            complete = index.scrub() and log.settle()
            for copy in self.config.home.glob("index.db.corrupt-*"):
                copy.unlink(missing_ok=True)  # a damaged copy of the index may still hold the text
            remove_leftovers(self.config.index_path)  # so may a rebuild that was killed
        return Forgotten(sessions, name, copies, complete, gone, documents, left, flows, pads)

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

    def remember_again(
        self, *, session: str | None = None, project: str | None = None, document: str | None = None
    ) -> Report:
        """Lift a tombstone, and read again what is still on disk."""
        with self._log() as (log, _key):
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
        return self.index()

    # --- reading ---------------------------------------------------------------------------------------

    def query(
        self, perspective: Perspective, params: Mapping[str, Any], scope: Scope, db: Path | None = None
    ) -> list[dict[str, Any]]:
        """The rows of a perspective."""
        with self._reading(scope, db) as connection:
            connection.execute("pragma query_only=on")
            return perspective.run(connection, params)

    def sql(self, text: str, scope: Scope, db: Path | None = None) -> sqlite.Rows:
        """The rows of one select statement of the user's, guarded and limited."""
        with self._reading(scope, db) as connection:
            sqlite.guard(connection)
            return sqlite.run_guarded(connection, text, seconds=self.config.query_seconds, rows=self.config.query_rows)

    def grounding(self, scope: Scope, *, since: int | None = None, session: str | None = None) -> Grounding:
        """Of what hooks gave agents, how much was used afterwards. `session` may be the beginning of an id."""
        from axiommind.reports.grounding.read import ground, served_sessions

        with self._reading(Scope(None), None) as connection:  # what was given may be of another project
            connection.execute("begin")
            wanted = None if session is None else one_of(session, served_sessions(connection), "session with answers")
            return ground(connection, scope.project, since=since, session=wanted)

    def show(self, name: str, *, context: int = 1, db: Path | None = None) -> Shown:
        """One passage by the id that a search gave it, with what was said around it."""
        from axiommind.ids import number_of
        from axiommind.search.find import connect
        from axiommind.search.show import show

        number = number_of(name.strip().lower())
        with self._reading(Scope(None), db) as connection:
            connect(connection)
            connection.execute("begin")
            found = None if number is None else show(connection, number, _within(context))
        if found is None:
            raise NotFound(f"there is no passage {name!r}", hint="axm search prints the ids of its hits")
        return found

    def open_citation(self, citation: Citation, *, context: int = 0, db: Path | None = None) -> Opened:
        """The exact lines that a citation names, from the log: also when the file has changed or gone."""
        from axiommind.search.citations import open_lines, open_removed

        with self._reading(Scope(None), db) as connection, self._log_to_read() as (log, _key):
            try:
                return open_lines(connection, log.blob, citation, _within(context))
            except NotFound:
                left = open_removed(
                    lambda doc: log.last_of(doc, "document_saved"), log.blob, citation, _within(context)
                )
                if left is None:
                    raise
                return left

    def overview(self, scope: Scope) -> Overview:
        from axiommind.health import overview

        with self._reading(scope, None) as connection:
            return overview(connection)

    def doctor(self) -> list[Check]:
        from axiommind.health import Check, doctor
        from axiommind.learning.checks import idris_status

        checks = doctor(self.config, self.environ, self._user)
        return [*checks, Check("checker", "ok", f"built in; {idris_status(self.environ)}")]

    def verify(self, *, deep: bool = False) -> list[tuple[str, str]]:
        """Everything that is wrong, as (where, what). Nothing is repaired here."""
        from axiommind.health import verify
        from axiommind.learning.quote_check import misplaced

        with self._log_to_read() as (log, key):
            found = verify(self.config, log, key, deep=deep)
            if not found and self.config.index_path.exists():
                with self._reading(Scope(None), None) as db:
                    found = list(misplaced(db, log.blob))
            return found


def _within(context: int) -> int:
    return max(0, min(context, _MOST_CONTEXT))


def _working_memory(
    db: sqlite3.Connection, workflow: str | None, pad: str | None, project: str | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The workflows and pads that are meant: a workflow goes with its pads, and a project with its workflows."""
    known = dict(db.execute("select id, project from workflows"))
    made = {row[0]: row[1:] for row in db.execute("select id, workflow_id, project from pads")}
    if pad is not None:
        return (), (one_of(pad, set(made), "scratchpad", "axm pad list --all-projects lists them"),)
    if workflow is not None:
        flows = {one_of(workflow, set(known), "workflow", "axm workflow list --all-projects lists them")}
    else:
        flows = {name for name, of in known.items() if project is not None and of == project}
    pads = {name for name, (flow, of) in made.items() if flow in flows or (project is not None and of == project)}
    return tuple(sorted(flows)), tuple(sorted(pads))


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


def _watched(folders: Sequence[FolderRow]) -> Callable[[object, str], bool]:
    """Which changes are worth a look: of transcripts, and of documents in the added folders."""
    from axiommind.sources.markdown import SUFFIXES

    ends = [".jsonl", ".meta.json", "custom-title.json"]
    if folders:
        ends += SUFFIXES
        ends += [Path(name).suffix for folder in folders for name in (folder.root, *folder.include)]
    wanted = tuple(end for end in ends if end)
    return lambda _change, path: path.endswith(wanted)
