"""Indexing: read what is new into the log, and bring the index up to it; once, or whenever something changes."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from axiommind.approval.proposing import require_person
from axiommind.approval.requests import PersonRequest
from axiommind.callers import Caller
from axiommind.errors import NotFound
from axiommind.home import Home, now

if TYPE_CHECKING:
    from axiommind.ingest.library import Documents
    from axiommind.ingest.report import IndexReport
    from axiommind.log.sqlite import SqliteLog
    from axiommind.projections.documents import FolderRow
    from axiommind.projections.runner import Index, Progress

__all__ = ["Indexing"]


_GONE = """
    select id
    from sessions
    where missing_since is not null and (:project is null or project_path = :project)
    order by id
"""


class Indexing:
    """Keeps a home up to date with what agents and people leave on disk."""

    def __init__(self, home: Home, documents: Documents) -> None:
        self.home = home
        self.documents = documents

    def index(
        self,
        *,
        project: str | None = None,
        agents: Sequence[str] | None = None,
        full: bool = False,
        prune: bool = False,
        progress: Callable[[int, int], None] | None = None,
        caller: Caller | None = None,
    ) -> IndexReport:
        """Read what is new of all agents or of those named, append it to the log, bring the index up to it. Pruning is
        a person's: an agent's request makes a proposal (`NeedsPerson`), after everything else was done."""
        from axiommind.projects import project_of

        who = caller or self.home.caller
        started = time.monotonic()
        project, *others = [None] if project is None else [self._with_sessions(one) for one in self._folders(project)]
        wanted = None if project is None else project_of(os.path.realpath(project))
        notes = self._missing_key()
        with self.home.open_log() as (log, key), contextlib.ExitStack() as stack:
            run = _IndexRun(self.home, log, key, self.home.open_index(log, notes, stack), stack)
            if full:
                self.home.rebuild(log, stack)
                notes.append("the index was rebuilt from the log, and every file was read again")
            run.catch_up([])
            notes += run.purges()
            report = run.transcripts(
                project, wanted, agents=agents, full=full, prune=prune and who.is_person, progress=progress
            )
            report.events += run.served(again=full)
            report.events += run.judged()
            report.events += run.identities(again=full or report.events > 0)
            if project is None and agents is None:
                report.documents = self.documents.index_into(log, key, run.index, full=full, progress=progress)
            run.index.tidy(run.rows)
            run.index.stamp()
            report.rows = run.rows
            if prune and report.missing:
                require_person(log, key, run.index, who, PersonRequest("prune", {"project": project}, wanted or ""))
        report.notes[:0] = notes
        for other in others:
            more = self.index(project=other, agents=agents, full=full, prune=prune, progress=progress, caller=who)
            report.add(more)
        report.seconds = time.monotonic() - started
        return report

    def _folders(self, project: str) -> list[str]:
        """The folder that is named; of a project that is called by a name its folders on this machine."""
        if os.path.lexists(project):
            return [project]
        from axiommind.projections.scope import folders_in, resolve_project

        found = resolve_project(self.home.config.index_path, project)
        here = [] if found is None else folders_in(self.home.config.index_path, found)
        return [one for one in here if Path(one).is_dir()] or [project]

    def _with_sessions(self, folder: str) -> str:
        """The folder itself where sessions were started in it, else the nearest one above it that has some: people ask
        from somewhere inside a project."""
        from axiommind.sources import load

        telling = [name for name in self.home.agents() if load(name).FINDS_PROJECTS]
        here = Path(os.path.realpath(folder))
        for one in (here, *here.parents):
            if one == self.home.user or one == one.parent:
                break
            found = self.home.discover(str(one), telling)
            if any(discovery.files for _, discovery in found):
                return str(one)
        return folder

    def _missing_key(self) -> list[str]:
        if not self.home.config.log_path.exists() or (self.home.config.home / "redaction.key").exists():
            return []
        return [
            "redaction.key was missing: a new one is made; new marks will differ from old ones, "
            "and changed files are read whole again"
        ]

    def rebuild(self, tick: Callable[[int, int], None] | None = None) -> Progress:
        """Build a new index from the log alone, without blocking readers."""
        with self.home.open_log() as (log, _key), contextlib.ExitStack() as stack:
            return self.home.rebuild(log, stack, tick)

    def start_anew(self, tick: Callable[[int, int], None] | None = None) -> tuple[Progress, Path | None]:
        """Go on with the log and the key that are here, whatever the index was made from; returns where that index was
        kept, if it was made from another log."""
        from axiommind.backups.kept import keep_copy, new_folder
        from axiommind.log.restored import take_place
        from axiommind.projections.following import folded_from, follows

        index = self.home.config.index_path
        kept = None
        with self.home.open_log(anew=True) as (log, _key), contextlib.ExitStack() as stack:
            folded = folded_from(index)
            if folded is not None and not follows(folded, log):
                kept = keep_copy(index, new_folder(self.home.config.home))
            # From here on the old index may be replaced, also by whoever comes after a kill.
            take_place(log, () if folded is None else (folded.log, folded.event_id))
            return self.home.rebuild(log, stack, tick), kept

    def watch(self, *, project: str | None = None, stop: Any = None) -> Iterator[IndexReport]:
        """Index, then again whenever a transcript grows or a document changes. Sleeps in between: no busy loop."""
        from watchfiles import watch

        from axiommind.sources import watched_folders

        yield self.index(project=project)
        present = watched_folders(self.home.discover())
        added = self.documents.list().folders if project is None else ()
        present += [Path(folder.root) for folder in added if os.path.lexists(folder.root)]
        if not present:
            raise NotFound("there is no folder to watch yet", hint="start an agent once, then try again")
        quiet = watch(*present, watch_filter=_watched(added), debounce=1_000, step=200, stop_event=stop)
        for _changes in quiet:
            yield self.index(project=project)


class _IndexRun:
    """One run of indexing: an open log, the index that follows it, and how many rows were written."""

    def __init__(self, home: Home, log: SqliteLog, key: bytes, index: Index, stack: contextlib.ExitStack) -> None:
        from axiommind.projections.runner import Segments

        self.home = home
        self.log = log
        self.key = key
        self.index = index
        self.stack = stack
        self.rows = 0
        self._segments = Segments(log)

    def catch_up(self, events: list[Any]) -> None:
        """Fold what was appended; what was decoded already is not decoded again."""
        for event, decoded in events:
            if decoded is not None:
                self._segments.offer(event.position, decoded)
        self.rows += self.index.catch_up(self.log, self._segments).rows

    def purges(self) -> list[str]:
        """Finish what an earlier purge left to do; returns what is still in its way."""
        from axiommind.ingest.purging import finish

        held = finish(self.home, self.log, self.index).held
        return [f"forgetting is pending: {one.place}: {one.why} ({one.then})" for one in held]

    def transcripts(
        self,
        project: str | None,
        wanted: str | None,
        *,
        agents: Sequence[str] | None,
        full: bool,
        prune: bool,
        progress: Callable[[int, int], None] | None,
    ) -> IndexReport:
        from axiommind.ingest.agents_notes import add_notes
        from axiommind.ingest.identities import ProjectIdentities
        from axiommind.ingest.transcripts import TranscriptIngest

        ingest = TranscriptIngest(
            self.log,
            self.key,
            pool=lambda size: self.home.pool(size, self.stack),
            flush=self.catch_up,
            progress=progress,
            projects=ProjectIdentities(self.log, self.index.db, str(self.home.user)),
        )
        found = self.home.discover(project, agents)
        report = ingest.run(found, project=wanted, full=full)
        if not any(discovery.files for _, discovery in found):
            if project is not None:
                report.notes.append(f"no sessions of {os.path.realpath(project)} were found")
            elif not report.unchanged:
                report.notes.append("no sessions of any agent were found; axm doctor shows where it looked")
        if add_notes(self.log, self.index.db, found):
            self.catch_up([])
        gone = [row[0] for row in self.index.db.execute(_GONE, {"project": wanted})]
        report.missing = len(gone)
        if prune:
            ingest.prune(gone)
        return report

    def served(self, *, again: bool) -> int:
        """What hooks gave agents, as events. Whatever the project: these files are few and small, and are marked as
        read together."""
        from axiommind.ingest.served import append_served

        appended = append_served(self.log, self.index.db, self.home.config.home / "hooks", again=again)
        if appended:
            self.catch_up([])
        return appended

    def judged(self) -> int:
        """How much of what hooks gave was used, as events, of sessions that are over."""
        from axiommind.grounding.judgements import append_judged

        appended = append_judged(self.log, self.index.db, now())
        if appended:
            self.catch_up([])
        return appended

    def identities(self, *, again: bool) -> int:
        """Which projects these are, as events, for those whose folders are on this machine."""
        from axiommind.ingest.identities import append_identities

        appended = append_identities(self.log, self.index.db, stop=str(self.home.user), again=again)
        if appended:
            self.catch_up([])
        return appended


def _watched(folders: Sequence[FolderRow]) -> Callable[[object, str], bool]:
    """Which changes are worth a look: of transcripts, and of documents in the added folders."""
    from axiommind.sources import watched_endings
    from axiommind.sources.markdown import SUFFIXES

    ends = list(watched_endings())
    if folders:
        ends += SUFFIXES
        ends += [Path(name).suffix for folder in folders for name in (folder.root, *folder.include)]
    wanted = tuple(end for end in ends if end)
    return lambda _change, path: path.endswith(wanted)
