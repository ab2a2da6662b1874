"""The user's own documents: folders of Markdown beside the sessions."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from axiommind.approval.proposing import require_person
from axiommind.approval.requests import PersonRequest
from axiommind.callers import Caller
from axiommind.errors import BadQuery, NotFound, PersonOnly
from axiommind.home import Home, Scope

if TYPE_CHECKING:
    from axiommind.ingest.folders import Folder
    from axiommind.ingest.report import DocumentReport
    from axiommind.log.sqlite import SqliteLog
    from axiommind.projections.documents import DocumentRow, FolderRow
    from axiommind.projections.runner import Index

__all__ = ["Documents", "Library"]


class Library(NamedTuple):
    """The folders that the user added, and the documents in them."""

    folders: tuple[FolderRow, ...]
    documents: tuple[DocumentRow, ...]


class Documents:
    """The folders of Markdown that a user has added."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def index_into(
        self,
        log: SqliteLog,
        key: bytes,
        index: Index,
        *,
        full: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> DocumentReport:
        from axiommind.ingest.documents import DocumentIngest
        from axiommind.projections.documents import made_since
        from axiommind.projections.runner import Segments

        started = time.monotonic()
        before, segments, rows = log.last_position(), Segments(log), 0

        def flush(_events: object) -> None:
            nonlocal rows
            rows += index.catch_up(log, segments).rows

        user = os.path.realpath(self.home.user)
        report = DocumentIngest(log, key, user=user, flush=flush, progress=progress).run(full=full)
        if report.new or report.updated:
            report.chunks, report.flaws = made_since(index.db, before)
        report.rows, report.seconds = rows, time.monotonic() - started
        return report

    def add(
        self,
        folders: Sequence[str | Path],
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        progress: Callable[[int, int], None] | None = None,
        *,
        replace: bool = False,
        caller: Caller | None = None,
    ) -> DocumentReport:
        """Add folders (or single files) of documents, and index them. To a folder that is known, globs are added; with
        `replace` it has these globs and no others. What an agent adds is searched, and told in its own project only,
        until a person adds it."""
        from axiommind.ingest.folders import Folder, add_folder, folders_of, remove_folder, widened

        roots = [_existing(folder) for folder in folders]
        who = caller or self.home.caller
        notes: list[str] = []
        with self.home.writing(notes) as (log, key, index):
            known = folders_of(log)
            if who.is_person and (agents := [root for root in roots if root in known and known[root].agent]):
                for root in agents:  # said anew, as the person's
                    remove_folder(log, root)
                    del known[root]
                self.index_into(log, key, index)
            for root in dict.fromkeys(roots):
                folder = Folder(root, tuple(include), tuple(exclude))
                if root in known and not replace:
                    folder = widened(known[root], include, exclude)
                if not who.is_person:
                    folder = _added_by(who, folder, known)
                    notes += _said_of(folder, known)
                if add_folder(log, folder) is None:
                    notes.append(f"{root} is added already, and just so: nothing changed")
                elif root in known:
                    notes.append(_changed(known[root], folder, is_replaced=replace))
            report = self.index_into(log, key, index, progress=progress)
            index.stamp()
        report.notes[:0] = notes
        return report

    def index(self, *, full: bool = False, progress: Callable[[int, int], None] | None = None) -> DocumentReport:
        """Bring the documents of the added folders up to date; with `full` every file is opened."""
        notes: list[str] = []
        with self.home.writing(notes) as (log, key, index):
            report = self.index_into(log, key, index, full=full, progress=progress)
            index.stamp()
        report.notes[:0] = notes
        return report

    def remove(self, path: str | Path, *, caller: Caller | None = None) -> DocumentReport:
        """Take an added folder out of the index, or a file or a folder inside one. The log keeps what was read. An
        agent's request makes a proposal (`NeedsPerson`)."""
        from axiommind.ingest.folders import folders_of, leave_out, remove_folder
        from axiommind.projections.documents import below, root_of

        wanted = os.path.realpath(Path(path).expanduser())
        notes: list[str] = []
        with self.home.writing(notes) as (log, key, index):
            if wanted not in folders_of(log) and not below(index.db, wanted):
                raise NotFound(f"{wanted} was not added", hint="axm kb list shows what was")
            request = PersonRequest("remove-documents", {"path": wanted}, wanted)
            require_person(log, key, index, caller or self.home.caller, request)
            if wanted in folders_of(log):
                remove_folder(log, wanted)
            elif not leave_out(log, wanted, root_of(index.db, wanted)):
                raise NotFound(f"{wanted} was not added", hint="axm kb list shows what was")
            report = self.index_into(log, key, index)
            index.stamp()
            if left := below(index.db, wanted):
                notes.append(f"documents that stay, because they are in another folder that was added: {left}")
        report.notes[:0] = notes
        return report

    def list(self) -> Library:
        """What was added, and what the index has of it."""
        from axiommind.projections import documents

        if not self.home.config.log_path.exists() and not self.home.config.index_path.exists():
            return Library((), ())
        with self.home.reading(Scope(None), None) as connection:
            return Library(tuple(documents.folders(connection)), tuple(documents.documents(connection)))

    def rebuild_fts(self) -> int:
        """Make the full-text part of the index anew from the passages; returns how many there are."""
        with self.home.writing([]) as (_log, _key, index):
            return index.refill()


def _added_by(agent: Caller, folder: Folder, known: Mapping[str, Folder]) -> Folder:
    """A folder as an agent may add it: its own, and none that changes what a person has added."""
    from axiommind.ingest.folders import is_below

    before = known.get(folder.root)
    if before is not None and before.agent is not None:
        return folder._replace(agent=before.agent, project=before.project)
    if before is not None and before != folder:
        raise PersonOnly(f"only a person can change which files of {folder.root} are indexed", agent.why)
    around = [root for root, one in known.items() if one.agent is None and root != folder.root]
    if before is None and is_below(folder.root, around):
        raise PersonOnly(
            f"{folder.root} is in a folder that a person added, and only a person can set it apart", agent.why
        )
    return folder if before is not None else folder._replace(agent=agent.name or "an agent")


def _said_of(folder: Folder, known: Mapping[str, Folder]) -> list[str]:
    if folder.agent is None or folder.root in known:
        return []
    return [
        f"{folder.root} is told in its own project only: an agent added it; axm kb add, by a person, makes it theirs"
    ]


def _changed(before: Folder, now: Folder, *, is_replaced: bool) -> str:
    """What became of the globs of a folder that was known, and how to have the former ones back."""
    how = "its globs are these now" if is_replaced else "the globs were added to those it has"
    return (
        f"{now.root} was added already: {how} ({_globs(now)}); "
        f"as before: axm kb add {shlex.join([now.root, '--replace', *_flags(before)])}"
    )


def _flags(folder: Folder) -> list[str]:
    return [
        *(part for glob in folder.include for part in ("--include", glob)),
        *(part for glob in folder.exclude for part in ("--exclude", glob)),
    ]


def _globs(folder: Folder) -> str:
    without = f" without {' '.join(folder.exclude)}" if folder.exclude else ""
    return (" ".join(folder.include) or "every Markdown file") + without


def _existing(folder: str | Path) -> str:
    path = os.path.realpath(Path(folder).expanduser())
    try:
        path.encode()
    except UnicodeEncodeError:
        raise BadQuery(f"{folder!r} is not UTF-8", hint="give the folder another name") from None
    if not os.path.lexists(path):
        raise NotFound(f"there is no folder or file {path}", hint="look at how it is spelled; ~ and . are understood")
    return path
