"""Indexing: read what is new into the log, and bring the index up to it; once, or whenever something changes."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from axiommind.errors import NotFound
from axiommind.home import Home

if TYPE_CHECKING:
    from axiommind.ingest import Report
    from axiommind.ingest.library import Documents
    from axiommind.projections.documents import FolderRow
    from axiommind.projections.runner import Progress

__all__ = ["Indexing"]


class Indexing:
    """Keeps a home up to date with what agents and people leave on disk."""

    def __init__(self, home: Home, documents: Documents) -> None:
        self.home = home
        self.documents = documents

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
        if self.home.config.log_path.exists() and not (self.home.config.home / "redaction.key").exists():
            notes.append(
                "redaction.key was missing: a new one is made; new marks will differ from old ones, "
                "and changed files are read whole again"
            )
        with self.home.open_log() as (log, key), contextlib.ExitStack() as stack:
            segments = Segments(log)
            index = self.home.open_index(log, notes, stack)
            rows = 0

            def flush(events: list[Any]) -> None:
                nonlocal rows
                for event, decoded in events:
                    if decoded is not None:
                        segments.offer(event.position, decoded)
                rows += index.catch_up(log, segments).rows

            if full:
                self.home.rebuild(log, stack)
                notes.append("the index was rebuilt from the log, and every file was read again")
            flush([])
            run = Ingest(
                log,
                key,
                pool=lambda size: self.home.pool(size, stack),
                flush=flush,
                progress=progress,
            )
            found = discover_all(self.home.environ, self.home.user, self.home.config.claude_roots, project)
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
            served = append_served(log, index.db, self.home.config.home / "hooks", again=full)
            if served:
                report.events += served
                flush([])
            if project is None:
                report.documents = self.documents.index_into(log, key, index, full=full, progress=progress)
            index.tidy(rows)
            index.stamp()
            report.rows = rows
        report.notes[:0] = notes
        report.seconds = time.monotonic() - started
        return report

    def rebuild(self, tick: Callable[[int, int], None] | None = None) -> Progress:
        """A new index from the log alone; readers go on meanwhile."""
        with self.home.open_log() as (log, _key), contextlib.ExitStack() as stack:
            return self.home.rebuild(log, stack, tick)

    def watch(self, *, project: str | None = None, stop: Any = None) -> Iterator[Report]:
        """Index, then again whenever a transcript grows or a document changes. Sleeps in between: no busy loop."""
        from watchfiles import watch

        from axiommind.sources import discover_all

        yield self.index(project=project)
        found = discover_all(self.home.environ, self.home.user, self.home.config.claude_roots, None)
        roots = [Path(root) for _, discovery in found for root in discovery.roots]
        present = [root / "projects" if (root / "projects").is_dir() else root for root in roots if root.is_dir()]
        added = self.documents.list().folders if project is None else ()
        present += [Path(folder.root) for folder in added if os.path.lexists(folder.root)]
        if not present:
            raise NotFound("there is no folder to watch yet", hint="start an agent once, then try again")
        quiet = watch(*present, watch_filter=_watched(added), debounce=1_000, step=200, stop_event=stop)
        for _changes in quiet:
            yield self.index(project=project)


def _watched(folders: Sequence[FolderRow]) -> Callable[[object, str], bool]:
    """Which changes are worth a look: of transcripts, and of documents in the added folders."""
    from axiommind.sources.markdown import SUFFIXES

    ends = [".jsonl", ".meta.json", "custom-title.json"]
    if folders:
        ends += SUFFIXES
        ends += [Path(name).suffix for folder in folders for name in (folder.root, *folder.include)]
    wanted = tuple(end for end in ends if end)
    return lambda _change, path: path.endswith(wanted)
