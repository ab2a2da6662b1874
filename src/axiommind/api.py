"""The composition root: everything a surface can ask for is a method of `Memory`.

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
from axiommind.config import Config
from axiommind.errors import BadQuery, IndexCorrupt, NotFound

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from axiommind.health import Check, Overview
    from axiommind.ingest import DocumentReport, Report
    from axiommind.log import Head
    from axiommind.log.sqlite import SqliteLog
    from axiommind.model import Citation, Event
    from axiommind.perspectives import Perspective
    from axiommind.projections.documents import DocumentRow, FolderRow
    from axiommind.projections.runner import Index, Progress
    from axiommind.search.citations import Opened
    from axiommind.search.find import Page
    from axiommind.search.show import Shown

__all__ = ["Forgotten", "Library", "Memory", "Scope"]

# The sample that comes with the program, and the file that marks a home as its.
SAMPLE = Path(__file__).parent / "sample"
SAMPLE_MARK = "this-is-the-sample"
# Below this many new bytes, starting worker processes costs more than it saves.
_POOL_BYTES = 8 << 20
# Passages or lines around what was asked for.
_MOST_CONTEXT = 10_000


class Scope(NamedTuple):
    """What a question is about: one project, or all of them (None)."""

    project: str | None


class Forgotten(NamedTuple):
    """What was forgotten; `copies` are other sessions (forks) that hold some of the same records, and `complete` is
    False while a reader keeps old pages of our files in use."""

    sessions: tuple[str, ...]
    project: str | None
    copies: tuple[str, ...] = ()
    complete: bool = True
    gone: int = 0  # of all these, those that are no longer on disk: they cannot be read again
    documents: tuple[str, ...] = ()


class Library(NamedTuple):
    """The folders that the user added, and the documents in them."""

    folders: tuple[FolderRow, ...]
    documents: tuple[DocumentRow, ...]


class Memory:
    """A home (`log.db` and `index.db`) and what can be done with it."""

    def __init__(
        self, config: Config | None = None, *, environ: Mapping[str, str] | None = None, user: Path | None = None
    ) -> None:
        self.environ = os.environ if environ is None else environ
        self.config = config or Config.load(self.environ)
        self._user = user or Path.home()
        if self.is_sample:  # whoever uses the sample's home, real sessions never get into it
            self.environ = {**self.environ, "CLAUDE_CONFIG_DIR": str(SAMPLE)}
            self.config = self.config._replace(claude_roots=())

    @property
    def is_sample(self) -> bool:
        """Whether this is the home of the sample that comes with the program."""
        return (self.config.home / SAMPLE_MARK).exists()

    # --- writing ---------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _log(self) -> Iterator[tuple[SqliteLog, bytes]]:
        from axiommind.log import home_key
        from axiommind.log.sqlite import SqliteLog

        key = home_key(self.config.home)
        log = SqliteLog(self.config.log_path, key)
        try:
            yield log, key
        finally:
            log.close()

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
        from axiommind.projections.runner import Segments
        from axiommind.sources import discover_all
        from axiommind.sources.projects import project_of

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
            if project is None:
                report.documents = self._index_documents(log, key, index, full=full, progress=progress)
            index.tidy(rows)
            index.stamp()
            report.rows = rows
        report.notes[:0] = notes
        report.seconds = time.monotonic() - started
        return report

    @contextlib.contextmanager
    def _writing(self, notes: list[str]) -> Iterator[tuple[SqliteLog, bytes, Index]]:
        """The log, its key, and the index brought up to it."""
        from axiommind.projections.runner import Segments

        with self._log() as (log, key), contextlib.ExitStack() as stack:
            index = self._open_index(log, notes, stack)
            index.catch_up(log, Segments(log))
            yield log, key, index

    def _index_documents(
        self,
        log: SqliteLog,
        key: bytes,
        index: Index,
        *,
        full: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> DocumentReport:
        from axiommind.ingest import DocumentIngest
        from axiommind.projections.documents import made_since
        from axiommind.projections.runner import Segments

        started = time.monotonic()
        before, segments, rows = log.last_position(), Segments(log), 0

        def flush(_events: object) -> None:
            nonlocal rows
            rows += index.catch_up(log, segments).rows

        user = os.path.realpath(self._user)
        report = DocumentIngest(log, key, user=user, flush=flush, progress=progress).run(full=full)
        if report.new or report.updated:
            report.chunks, report.flaws = made_since(index.db, before)
        report.rows, report.seconds = rows, time.monotonic() - started
        return report

    def kb_add(
        self,
        folders: Sequence[str | Path],
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        progress: Callable[[int, int], None] | None = None,
    ) -> DocumentReport:
        """Add folders (or single files) of documents, and index them. Of a folder that is known, globs replace the
        old ones, and none change nothing."""
        from axiommind.ingest.documents import Folder, add_folder, folders_of

        if self.is_sample:
            raise BadQuery("this is the home of the sample", hint="set AXM_HOME to a home of your own")
        roots = [_existing(folder) for folder in folders]
        notes: list[str] = []
        with self._writing(notes) as (log, key, index):
            known = folders_of(log)
            for root in dict.fromkeys(roots):
                folder = Folder(root, tuple(include), tuple(exclude))
                if root in known and not (include or exclude):
                    folder = known[root]
                if add_folder(log, folder) is None:
                    notes.append(f"{root} is added already, and just so: nothing changed")
                elif root in known:
                    notes.append(f"{root} was added already: its globs are the new ones now")
            report = self._index_documents(log, key, index, progress=progress)
            index.stamp()
        report.notes[:0] = notes
        return report

    def kb_index(self, *, full: bool = False, progress: Callable[[int, int], None] | None = None) -> DocumentReport:
        """Bring the documents of the added folders up to date; with `full` every file is opened."""
        notes: list[str] = []
        with self._writing(notes) as (log, key, index):
            report = self._index_documents(log, key, index, full=full, progress=progress)
            index.stamp()
        report.notes[:0] = notes
        return report

    def kb_remove(self, path: str | Path) -> DocumentReport:
        """Take an added folder out of the index, or a file or a folder inside one. The log keeps what was read."""
        from axiommind.ingest.documents import folders_of, leave_out, remove_folder
        from axiommind.projections.documents import below

        wanted = os.path.realpath(Path(path).expanduser())
        notes: list[str] = []
        with self._writing(notes) as (log, key, index):
            if wanted in folders_of(log):
                remove_folder(log, wanted)
            elif not below(index.db, wanted) or not leave_out(log, wanted):
                raise NotFound(f"{wanted} was not added", hint="axm kb list shows what was")
            report = self._index_documents(log, key, index)
            index.stamp()
            if left := below(index.db, wanted):
                notes.append(f"documents that stay, because they are in another folder that was added: {left}")
        report.notes[:0] = notes
        return report

    def kb_list(self) -> Library:
        """What was added, and what the index has of it."""
        from axiommind.projections import documents

        if not self.config.log_path.exists() and not self.config.index_path.exists():
            return Library((), ())
        with self._reading(Scope(None), None) as connection:
            return Library(tuple(documents.folders(connection)), tuple(documents.documents(connection)))

    def kb_rebuild_fts(self) -> int:
        """Make the full-text part of the index anew from the passages; returns how many there are."""
        with self._writing([]) as (_log, _key, index):
            return index.refill()

    def _open_index(self, log: SqliteLog, notes: list[str], stack: contextlib.ExitStack) -> Any:
        """The index, ready to be written. A damaged one is moved aside, and an old one replayed, and both are said."""
        from axiommind.projections.runner import Index, quarantine

        path = self.config.index_path
        index = None
        try:
            index = Index(path)
            index.db.execute("select count(*) from sessions").fetchone()
        except (IndexCorrupt, sqlite3.DatabaseError) as error:
            if isinstance(error, sqlite3.DatabaseError) and not sqlite.is_damage(error):
                raise
            if index is not None:
                index.close()
            aside = quarantine(path)
            notes.append(f"index.db was damaged: rebuilt from the log (the old one is {aside})")
            self._replay(log, stack)
            index = Index(path)
        foreign = not index.stale and not index.follows(log)
        if index.stale or foreign:
            index.close()
            notes.append(
                "index.db was made from another log (was log.db restored?): rebuilt from this one"
                if foreign
                else "the index had another shape: rebuilt from the log"
            )
            self._replay(log, stack)
            index = Index(path)
        stack.callback(index.close)
        return index

    def _pool(self, size: int, stack: contextlib.ExitStack) -> Executor | None:
        workers = self.config.index_workers
        if workers < 0:
            workers = min(os.cpu_count() or 1, 4)
        if workers == 0 or size < _POOL_BYTES:
            return None
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), initializer=_worker)
        stack.callback(pool.shutdown, wait=True, cancel_futures=True)
        return pool

    def rebuild(self, tick: Callable[[int, int], None] | None = None) -> Progress:
        """A new index from the log alone; readers go on meanwhile."""
        with self._log() as (log, _key), contextlib.ExitStack() as stack:
            return self._rebuild(log, stack, tick)

    def _rebuild(
        self, log: SqliteLog, stack: contextlib.ExitStack, tick: Callable[[int, int], None] | None = None
    ) -> Progress:
        from axiommind.projections.runner import Index, Segments

        last = log.last_position()
        done = self._replay(log, stack, None if tick is None else (lambda event: tick(event.position, last)))
        index = Index(self.config.index_path)
        try:
            index.catch_up(log, Segments(log))
            index.stamp()
        finally:
            index.close()
        return done

    def _replay(
        self, log: SqliteLog, stack: contextlib.ExitStack, tick: Callable[[Event], None] | None = None
    ) -> Progress:
        from axiommind.projections.runner import rebuild

        return rebuild(log, self.config.index_path, self._pool(log.sizes()["blob_bytes"], stack), tick)

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
        reason: str = "",
        dry_run: bool = False,
    ) -> Forgotten:
        """Write a tombstone and purge the text of sessions and documents, here and in the index."""
        from axiommind.projections.runner import Segments, remove_leftovers

        with self._log() as (log, _key), contextlib.ExitStack() as stack:
            index = self._open_index(log, [], stack)
            index.catch_up(log, Segments(log))
            heads = log.heads().values()
            if document is not None:
                wanted, name = [_document_of(document, _documents(heads), "document")], None
            else:
                wanted, name = self._sessions_to_forget(index.db, log, session, project)
            there = {h.state["session_id"] for h in heads if os.path.lexists(h.state.get("path", h.stream))}
            documents = tuple(sorted(_documents(heads) & set(wanted)))
            sessions = tuple(i for i in wanted if i not in documents)
            copies = self._copies(index.db, sessions)
            gone = len(set(wanted) - there)
            if dry_run:
                return Forgotten(sessions, name, copies, gone=gone, documents=documents)
            log.forget(wanted, name, actor="user", reason=reason)
            index.catch_up(log, Segments(log))
            complete = index.scrub() and log.settle()
            for copy in self.config.home.glob("index.db.corrupt-*"):
                copy.unlink(missing_ok=True)  # a damaged copy of the index may still hold the text
            remove_leftovers(self.config.index_path)  # so may a rebuild that was killed
        return Forgotten(sessions, name, copies, complete, gone, documents)

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
            name = self._project_name(project, {h["project"] for h in heads})
            wanted = {h["session_id"] for h in heads if h["project"] == name}
            wanted |= {row[0] for row in db.execute("select id from sessions where project = ?", (name,))}
            return sorted(wanted), name
        chosen = _one_of(session or "", {h["session_id"] for h in heads if h["kind"] != "document"}, "session")
        family = {chosen}
        rows = db.execute("select id, parent_session from sessions where parent_session is not null").fetchall()
        for child, parent in [*rows, *((h["session_id"], h["parent_session"]) for h in heads)]:
            if parent == chosen:
                family.add(child)
        return sorted(family), None

    def _project_name(self, project: str, known: set[str]) -> str:
        from axiommind.sources.projects import project_of

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
                known = {key for kind, key in marks if kind == "session"}
                log.lift(_one_of(session or "", known, "forgotten session"), None, actor="user")
        return self.index()

    # --- reading ---------------------------------------------------------------------------------------

    def scope(
        self,
        *,
        project: str | None = None,
        all_projects: bool = False,
        db: Path | None = None,
        cwd: str | None = None,
    ) -> Scope:
        """The project asked for; else the one of the current folder, if it is indexed; else all."""
        from axiommind.projections.scope import resolve_project

        if all_projects:
            return Scope(None)
        path = db or self.config.index_path
        if project is not None:
            found = resolve_project(path, project)
            if found is None and path.exists():
                raise NotFound(
                    f"project {project!r} is not in the index",
                    hint="axm query --all-projects --perspective sessions shows what is",
                )
            return Scope(found)
        try:
            here = cwd or str(Path.cwd())
        except OSError:  # the current folder was deleted
            return Scope(None)
        return Scope(resolve_project(path, here, stop=str(self._user)))

    @contextlib.contextmanager
    def _reading(self, scope: Scope, db: Path | None) -> Iterator[sqlite3.Connection]:
        from axiommind.projections.scope import open_scoped

        path = db or self.config.index_path
        connection = open_scoped(path, scope.project)
        try:
            yield connection
        except sqlite3.DatabaseError as error:
            if sqlite.is_damage(error):
                raise IndexCorrupt(f"{path} is damaged ({error})", hint="run: axm rebuild") from error
            if str(error).startswith(("no such table", "no such column")):  # SQL of ours: the user's is guarded
                raise IndexCorrupt(f"{path} was made by an older version ({error})", hint="run: axm index") from error
            raise sqlite.store_error(error, path) or error from error
        finally:
            connection.close()

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

    def search(
        self,
        text: str,
        scope: Scope,
        *,
        k: int = 10,
        group: bool = False,
        recency: bool = True,
        cursor: str | None = None,
        now: int | None = None,
        db: Path | None = None,
        documents: bool = False,
        **flags: Any,
    ) -> Page:
        """Passages (or with `group` sessions and documents) that answer a text, best first."""
        from axiommind.search.find import Options, asked_at, connect, find
        from axiommind.search.query import Query

        if now is None:  # a further page is of the same moment as the first one
            now = asked_at(cursor) or int(time.time() * 1000)
        query = Query.parse(text, now=now, **flags)
        named = query.filters.project
        project = self.scope(project=named, db=db).project if named is not None else scope.project
        query = query._replace(filters=query.filters._replace(project=project))
        if documents:
            query = query._replace(filters=query.filters._replace(kinds=("doc",)))
        with self._reading(Scope(None), db) as connection:
            connect(connection)
            connection.execute("pragma query_only=on")
            connection.execute("begin")  # one state of the index, whoever writes meanwhile
            return find(connection, query, Options(k, group, recency, cursor), now)

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

    @contextlib.contextmanager
    def _log_to_read(self) -> Iterator[tuple[SqliteLog, bytes]]:
        from axiommind.log import home_key
        from axiommind.log.sqlite import SqliteLog

        if not self.config.log_path.exists():
            raise NotFound(f"there is no log at {self.config.log_path} yet", hint="run: axm index")
        key = home_key(self.config.home)
        log = SqliteLog(self.config.log_path, key, read_only=True)
        try:
            yield log, key
        finally:
            log.close()

    def overview(self, scope: Scope) -> Overview:
        from axiommind.health import overview

        with self._reading(scope, None) as connection:
            return overview(connection)

    def doctor(self) -> list[Check]:
        from axiommind.health import doctor

        return doctor(self.config, self.environ, self._user)

    def verify(self, *, deep: bool = False) -> list[tuple[str, str]]:
        """Everything that is wrong, as (where, what). Nothing is repaired here."""
        from axiommind.health import verify

        with self._log_to_read() as (log, key):
            return verify(self.config, log, key, deep=deep)


def _within(context: int) -> int:
    return max(0, min(context, _MOST_CONTEXT))


def _one_of(start: str, known: set[str], what: str) -> str:
    """The id that was meant: itself, or the only one that begins so."""
    matches = [start] if start in known else sorted(s for s in known if start and s.startswith(start))
    if not matches:
        raise NotFound(f"there is no {what} {start!r}", hint="axm query --perspective sessions lists the sessions")
    if len(matches) > 1:
        raise BadQuery(f"{start!r} fits {len(matches)} of them", hint="give more characters of the id")
    return matches[0]


def _documents(heads: Iterable[Head]) -> set[str]:
    return {h.stream for h in heads if h.state["kind"] == "document"}


def _document_of(name: str, known: set[str], what: str) -> str:
    """The id of the document that was meant: by its path, or by its id or the beginning of it."""
    from axiommind.ids import document_id

    by_path = document_id(os.path.realpath(Path(name).expanduser()))
    if by_path in known:
        return by_path
    if name.startswith("doc-") and not os.path.lexists(name):
        return _one_of(name, {i for i in known if i.startswith("doc-")}, what)
    raise NotFound(f"there is no {what} {name!r}", hint="axm kb list --documents lists the documents")


def _existing(folder: str | Path) -> str:
    path = os.path.realpath(Path(folder).expanduser())
    try:
        path.encode()
    except UnicodeEncodeError:
        raise BadQuery(f"{folder!r} is not UTF-8", hint="give the folder another name") from None
    if not os.path.lexists(path):
        raise NotFound(f"there is no folder or file {path}", hint="look at how it is spelled; ~ and . are understood")
    return path


def _watched(folders: Sequence[FolderRow]) -> Callable[[object, str], bool]:
    """Which changes are worth a look: of transcripts, and of documents in the added folders."""
    from axiommind.sources.markdown import SUFFIXES

    ends = [".jsonl", ".meta.json", "custom-title.json"]
    if folders:
        ends += SUFFIXES
        ends += [Path(name).suffix for folder in folders for name in (folder.root, *folder.include)]
    wanted = tuple(end for end in ends if end)
    return lambda _change, path: path.endswith(wanted)


def _worker() -> None:
    """A worker process leaves interrupts to its parent, and ends when the parent is gone, however it went."""
    import multiprocessing
    import signal
    import threading
    from multiprocessing.connection import wait

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
