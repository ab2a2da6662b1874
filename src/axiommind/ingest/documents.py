"""Documents into the log: the Markdown of the folders that a user has added.

Which folders are known, what a document said, and that it left, are events, so all of it survives `rm index.db`. A file
whose size, mtime and inode are those of its head is not opened; one whose content is what it was only has its head
restated; any other is a new generation of its document. What is not there any more leaves the index, unless the folder
itself cannot be read: a disk that is not mounted takes nothing away. A document of two folders, one inside the other,
belongs to the inner one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from axiommind.ids import dedupe_key, document_id
from axiommind.ingest.folders import FOLDER_EVENTS, Folder, folders_of, is_below
from axiommind.ingest.forgotten_records import document_hash
from axiommind.ingest.report import DocumentReport
from axiommind.log import EventLog, Head, Sealed, seal_page
from axiommind.model import Event, Problem
from axiommind.projects import project_around
from axiommind.sources import jsonl, markdown
from axiommind.sources.markdown import DocumentFile
from axiommind.text.redaction import Redactor

__all__ = ["DocumentIngest"]

ACTOR = "axm-index"
KIND = "document"
# What is appended and projected together: large enough for the full-text index, small enough to see progress.
_BATCH_BYTES = 4 << 20
_BATCH_FILES = 200


class FoundDocument(NamedTuple):
    """A file of a folder, and the head that its document had before."""

    id: str
    file: DocumentFile
    root: str
    head: Head | None


class ReadPage(NamedTuple):
    """What was read of a file."""

    found: FoundDocument
    size: int
    digest: str
    lines: int
    encoding: str | None  # None: it could not be told
    sealed: Sealed
    problems: Sequence[tuple[int, str]]


class DocumentIngest:
    """One run over the added folders. `user` is the user's home, `flush` gets the new events after each append."""

    def __init__(
        self,
        log: EventLog,
        key: bytes,
        *,
        user: str,
        flush: Callable[[list[tuple[Event, None]]], None] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.log = log
        self.key = key
        self.report = DocumentReport()
        self._user = user
        self._redactor = Redactor(key)
        self._flush = flush or (lambda _events: None)
        self._progress = progress or (lambda _done, _total: None)
        self._heads: dict[str, Head] = {}
        self._tombstones: set[tuple[str, str]] = set()
        self._projects: dict[str, str] = {}  # of roots
        self._devices: dict[str, int] = {}
        self._notes: list[Head] = []
        self._start = 0

    def run(self, *, full: bool = False) -> DocumentReport:
        """With `full` every file is opened, whatever its state says."""
        if not self.log.fetch_since(0, FOLDER_EVENTS, limit=1):
            return self.report
        self._start = self.log.last_position()
        self._heads = {s: h for s, h in self.log.heads().items() if h.state["kind"] == KIND}
        self._tombstones = self.log.tombstones()
        folders = folders_of(self.log)
        self._projects = {folder.root: folder.project for folder in folders.values() if folder.project is not None}
        found, unreadable = self._discover(folders.values())
        self.report.files = len(found)
        waiting = []
        for item in found.values():
            if self._is_forgotten(item.id, self._project(item.root), item.head):
                self.report.forgotten += 1
            elif full or not _is_same(item):
                waiting.append(item)
            else:
                self.report.unchanged += 1
        self._work(waiting)
        self._remove(found, unreadable)
        return self.report

    # --- what is there ---------------------------------------------------------------------------------

    def _discover(self, folders: Iterable[Folder]) -> tuple[dict[str, FoundDocument], list[str]]:
        """The documents by id, and the paths that could not be looked into."""
        found: dict[str, FoundDocument] = {}
        unreadable: list[str] = []
        for folder in sorted(folders, key=lambda f: (len(f.root), f.root)):  # the inner one comes last, and wins
            self.report.folders += 1
            files, problems, skipped = markdown.discover(folder.root, folder.include, folder.exclude)
            if not files and not problems and self._looks_unmounted(folder.root):
                problems = (Problem(folder.root, 0, "is empty and on another disk than before (not mounted?)"),)
            elif problems and self._was_a_file(folder.root):
                problems = tuple(p for p in problems if p.path != folder.root)
            unreadable += [p.path for p in problems]
            self.report.problems += [self._explained(p) for p in problems]
            self.report.notes += [f"{link.path}: {link.why}" for link in skipped]
            for file in files:
                doc = document_id(file.path)
                if doc in found and not is_below(file.path, [folder.root]):
                    continue  # a link leads to it, and it lies in another folder that was added
                found[doc] = FoundDocument(doc, file, folder.root, self._heads.get(doc))
        return dict(sorted(found.items(), key=lambda item: item[1].file.path)), unreadable

    def _live(self, root: str) -> list[Head]:
        """The heads of what is in the index and came from a folder."""
        return [h for h in self._heads.values() if h.state["folder"] == root and not h.state["missing"]]

    def _looks_unmounted(self, root: str) -> bool:
        """A mount point without its disk is an empty folder of another file system."""
        live = self._live(root)
        try:
            return bool(live) and not os.listdir(root) and all(h.state["device"] != self._device(root) for h in live)  # noqa: PTH208
        except OSError:  # a file
            return False

    def _was_a_file(self, root: str) -> bool:
        """Whether the root is one file that was deleted: the folder it lay in is still there, on the same disk."""
        parent = str(Path(root).parent)
        return (
            any(h.state["path"] == root and h.state["device"] == self._device(parent) for h in self._live(root))
            and os.access(parent, os.R_OK)
            and not os.path.lexists(root)
        )

    def _device(self, path: str) -> int:
        if path not in self._devices:
            try:
                self._devices[path] = Path(path).stat().st_dev
            except OSError:
                self._devices[path] = -1
        return self._devices[path]

    def _explained(self, problem: Problem) -> Problem:
        kept = sum(not h.state["missing"] and is_below(h.state["path"], [problem.path]) for h in self._heads.values())
        if not kept:
            return problem
        what = "1 document of it stays" if kept == 1 else f"{kept} documents of it stay"
        return problem._replace(why=f"{problem.why}; {what} as last read (axm kb remove takes a folder out)")

    def _project(self, root: str) -> str:
        if root not in self._projects:
            self._projects[root] = project_around(root, stop=self._user)
        return self._projects[root]

    def _is_forgotten(self, doc: str, project: str, head: Head | None) -> bool:
        before = head.state["project"] if head is not None else project
        return bool(self._tombstones & {("session", doc), ("project", project), ("project", before)})

    # --- reading and appending -------------------------------------------------------------------------

    def _work(self, waiting: Sequence[FoundDocument]) -> None:
        total = sum(item.file.size for item in waiting)
        done = size = 0
        batch: list[ReadPage] = []
        for item in waiting:
            page = self._read(item)
            done += item.file.size
            if page is not None:
                batch.append(page)
                size += page.size
            if size >= _BATCH_BYTES or len(batch) >= _BATCH_FILES:
                self._append(batch)
                batch, size = [], 0
                self._progress(done, total)
        if batch:
            self._append(batch)
        self.log.note(self._notes)
        self._progress(total, total)

    def _read(self, item: FoundDocument) -> ReadPage | None:
        path = item.file.path
        try:
            with Path(path).open("rb") as file:
                self.report.opened += 1
                content = file.read(markdown.MAX_BYTES + 1)
        except FileNotFoundError:  # gone since the folder was listed: the next run takes it out
            return None
        except OSError as error:
            self.report.problems.append(Problem(path, 0, f"cannot be read: {error.strerror or error}"))
            return None
        if len(content) > markdown.MAX_BYTES:
            self.report.problems.append(Problem(path, 0, "grew too large while it was read: not read"))
            return None
        self.report.bytes_read += len(content)
        digest = jsonl.hash_range(self.key, BytesIO(content), 0, len(content))
        head = item.head
        is_same = head is not None and _is_kept(item, head) and head.state["hash"] == digest
        if head is not None and is_same and "encoding" in head.state:
            self._restate(head, item.file)
            return None
        problems: list[tuple[int, str]] = []
        text, encoding = markdown.read_text(content, problems)
        if head is not None and is_same and encoding in ("utf-8", None):  # it was read so before encodings were told
            self._restate(replace(head, state={**head.state, "encoding": encoding}), item.file)
            return None
        if "\0" in text:  # binary: of what the redactor cannot read, nothing is kept but a stub that says so
            text, encoding, problems = "\0", None, []
        lines = markdown.lines_of(text)
        sealed = seal_page(self._redactor, self.key, lines)
        count = len(lines) - (lines[-1] == "")  # the last line end begins no line
        return ReadPage(item, len(content), digest, count, encoding, sealed, problems)

    def _restate(self, head: Head, now: DocumentFile) -> None:
        """Note that a file holds what it did."""
        self.report.unchanged += 1
        self._notes.append(replace(head, size=now.size, mtime_ns=now.mtime_ns, inode=now.inode))

    def _append(self, batch: Sequence[ReadPage]) -> None:
        events: list[tuple[Event, None]] = []
        with self.log.atomic():
            # Read in here: what was forgotten or taken out since this run began must not come back.
            self._tombstones = self.log.tombstones()
            out = {e.payload["root"] for e in self.log.fetch_since(self._start, FOLDER_EVENTS)}
            out -= folders_of(self.log).keys() if out else set()
            for page in batch:
                event = None if page.found.root in out else self._save(page)
                if event is not None:
                    events.append((event, None))
        self.report.events += len(events)
        self._flush(events)

    def _save(self, page: ReadPage) -> Event | None:
        doc, file, root, before = page.found
        project = self._project(root)
        copied = document_hash(self.key, page.digest, page.size)
        if self._is_forgotten(doc, project, before) or (copied and self.log.purges.are_kept_out([copied])):
            self.report.forgotten += 1
            return None
        generation = before.generation + 1 if before is not None else 0
        state = {
            "kind": KIND,
            "session_id": doc,
            "parent_session": None,
            "folder": root,
            "project": project,
            "project_known": 0,
            "path": self._redactor.name(file.path),
            "hash": page.digest,
            "encoding": page.encoding,
            "device": self._device(file.path),
            "missing": False,
        }
        event = self.log.append_dedup(
            "document_saved",
            actor=ACTOR,
            session_id=doc,
            project=project,
            happened_at=file.mtime_ns // 1_000_000,
            payload={
                "source": markdown.NAME,
                "stream": doc,
                "path": file.path,
                "root": root,
                "generation": generation,
                "start": 0,
                "end": page.size,
                "size": file.size,
                "mtime_ms": file.mtime_ns // 1_000_000,
                "lines": page.lines,
                "encoding": page.encoding,
                "raw_hash": page.digest,
                "blob": page.sealed.hash,
                "bytes": page.sealed.size,
                "problems": [list(problem) for problem in page.problems],
            },
            dedupe_key=dedupe_key("document_saved", doc, generation),
            blobs=[page.sealed],
            head=Head(doc, generation, page.size, file.size, file.mtime_ns, file.inode, state),
        )
        if event is None:  # another process was faster: it has this text, or a newer one
            self.report.unchanged += 1
        elif before is None or before.state["missing"] or before.state.get("reread"):
            self.report.new += 1
        else:
            self.report.updated += 1
        return event

    # --- what left -------------------------------------------------------------------------------------

    def _remove(self, found: dict[str, FoundDocument], unreadable: Sequence[str]) -> None:
        left = [
            head
            for doc, head in self._heads.items()
            if doc not in found
            and not head.state["missing"]
            and not is_below(head.state["path"], unreadable)
            and not self._is_forgotten(doc, head.state["project"], head)
        ]
        if not left:
            return
        events: list[tuple[Event, None]] = []
        with self.log.atomic():
            for head in left:
                event = self.log.append_dedup(
                    "document_removed",
                    actor=ACTOR,
                    session_id=head.stream,
                    project=head.state["project"],
                    payload={"path": head.state["path"]},
                    dedupe_key=dedupe_key("document_removed", head.stream, head.generation),
                    head=replace(head, state={**head.state, "missing": True}),
                    expect_end=head.end,
                )
                if event is not None:
                    events.append((event, None))
        self.report.removed += len(events)
        self.report.events += len(events)
        self._flush(events)


def _is_kept(item: FoundDocument, head: Head) -> bool:
    """Whether the index has the document, and under the folder that has it now."""
    return not head.state["missing"] and not head.state.get("reread") and head.state["folder"] == item.root


def _is_same(item: FoundDocument) -> bool:
    """Whether a file is as it was, by its state alone. One that was read before encodings were told is looked at once
    more: it may hold what could not be read then."""
    head, file = item.head, item.file
    if head is None or not _is_kept(item, head) or "encoding" not in head.state:
        return False
    return (head.size, head.mtime_ns, head.inode) == (file.size, file.mtime_ns, file.inode)
