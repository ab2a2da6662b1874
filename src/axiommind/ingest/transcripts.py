"""Transcripts into the log.

Reads what is new, in worker processes where there is much of it, and appends it as sealed segments. A worker also
decodes what it sealed, so that the projections need not do it again; they would get the same from the log.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass, field, replace
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from axiommind.ids import dedupe_key
from axiommind.ingest.documents import DocumentReport
from axiommind.log import EventLog, Head, Sealed, seal_lines, seal_text
from axiommind.model import Event, Problem
from axiommind.projects import project_of, slug
from axiommind.sources import Discovery, SourceFile, jsonl
from axiommind.sources import load as load_source
from axiommind.sources.records import Decoded
from axiommind.text.redaction import Redactor

__all__ = ["Ingest", "Report"]

ACTOR = "axm-index"
# What one job reads before it hands over, so that a huge file does not sit in memory as a whole.
_JOB_BYTES = 16 << 20
# What is appended and projected together.
_BATCH_BYTES = 24 << 20
_SIDECAR_MAX = 1 << 20


@dataclass(slots=True)
class Report:
    """What a run did: sessions by outcome, problems met, and the work it took."""

    new: int = 0
    updated: int = 0
    unchanged: int = 0
    missing: int = 0
    pruned: int = 0
    files_opened: int = 0
    bytes_read: int = 0
    bytes_checked: int = 0
    events: int = 0
    rows: int = 0
    seconds: float = 0.0
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    documents: DocumentReport | None = None  # None: only the sessions of one project were asked for

    def as_json(self) -> dict[str, Any]:
        return {
            "schema": "axm.index.v1",
            "new": self.new,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "missing": self.missing,
            "pruned": self.pruned,
            "problems": len(self.problems),
            "files_opened": self.files_opened,
            "bytes_read": self.bytes_read,
            "bytes_checked": self.bytes_checked,
            "events": self.events,
            "rows": self.rows,
            "seconds": round(self.seconds, 3),
            "problem_list": [{"path": p.path, "line": p.line, "why": p.why} for p in self.problems[:100]],
            "notes": self.notes,
            "documents": None if self.documents is None else self.documents.as_json(),
        }


@dataclass(frozen=True, slots=True)
class _Job:
    """Read this file from where its head says; `deep` = check every byte that was read before."""

    source: str
    file: SourceFile
    key: bytes
    head: Head | None
    deep: tuple[tuple[int, int, str], ...] | None
    limit: int


@dataclass(slots=True)
class _Segment:
    chunk_start: int
    chunk_end: int
    first_line: int
    lines: int
    open_end: bool
    raw_hash: str
    sealed: Sealed
    decoded: Decoded | None


@dataclass(slots=True)
class _Outcome:
    generation: int = 0
    segments: list[_Segment] = field(default_factory=list)
    ends: jsonl.Ends | None = None
    problem: Problem | None = None
    more: bool = False
    opened: int = 0
    checked: int = 0


# --- reading, in a worker ----------------------------------------------------------------------------------

_redactor = cache(Redactor)  # one a process: it learns which short strings are clean


def _read(job: _Job) -> _Outcome:
    out = _Outcome(generation=job.head.generation if job.head else 0)
    try:
        with Path(job.file.path).open("rb") as file:
            out.opened = 1
            if job.file.kind == "transcript":
                _read_transcript(job, file, out)
            else:
                _read_sidecar(job, file, out)
    except OSError as error:
        out.segments.clear()
        out.problem = Problem(job.file.path, 0, f"cannot be read: {error.strerror or error}")
    except Exception as error:  # noqa: BLE001 - whatever one file holds, it must not stop the others
        out.segments.clear()
        out.problem = Problem(job.file.path, 0, f"cannot be understood: {type(error).__name__}: {error}")
    return out


def _read_transcript(job: _Job, file: Any, out: _Outcome) -> None:
    head = job.head
    size = os.fstat(file.fileno()).st_size
    start, first_line, open_end = 0, 1, False
    if head is not None:
        if head.state.get("reread") or size < head.end or not _same_so_far(job, file, head, out):
            out.generation = head.generation + 1
        else:
            start, first_line = head.end, head.state["lines"] + 1
            open_end = bool(head.state.get("open_end"))
    source = load_source(job.source)
    redactor = _redactor(job.key)
    end = start
    for chunk in _chunks(job, file, start, open_end, out):
        sealed, content = seal_lines(redactor, job.key, [source.prune(line) for line in chunk.lines])
        out.segments.append(
            _Segment(
                chunk.start,
                chunk.end,
                first_line,
                len(chunk.lines),
                chunk.open_end,
                chunk.raw_hash,
                sealed,
                source.decode(content, first_line),
            )
        )
        first_line += len(chunk.lines)
        end = chunk.end
        if end - start >= job.limit:
            out.more = not chunk.open_end and end < size
            break
    if os.fstat(file.fileno()).st_size < end:
        out.segments.clear()
        out.problem = Problem(job.file.path, 0, "shrank while it was read: it will be read again")
        return
    if out.segments:
        out.ends = jsonl.ends_of(file, end, job.key)


def _chunks(job: _Job, file: Any, start: int, open_end: bool, out: _Outcome) -> Iterator[jsonl.LineChunk]:
    """The new lines; of a file that was emptied one chunk without lines, which supersedes what was there."""
    some = False
    for chunk in jsonl.chunks(file, start, job.key, open_end=open_end):
        some = True
        yield chunk
    if not some and job.head is not None and out.generation > job.head.generation:
        yield jsonl.LineChunk.empty(job.key)


def _same_so_far(job: _Job, file: Any, head: Head, out: _Outcome) -> bool:
    """Whether the part already read is still what it was: by its ends, or with `deep` by every byte."""
    ends = jsonl.ends_of(file, head.end, job.key)
    out.checked += 2 * min(4096, head.end)
    if (ends.head, ends.tail) != (head.state["head"], head.state["tail"]):
        return False
    for start, end, digest in job.deep or ():
        out.checked += end - start
        if jsonl.hash_range(job.key, file, start, end) != digest:
            return False
    return True


def _read_sidecar(job: _Job, file: Any, out: _Outcome) -> None:
    content = file.read(_SIDECAR_MAX + 1)
    if len(content) > _SIDECAR_MAX:
        out.problem = Problem(job.file.path, 0, f"larger than {_SIDECAR_MAX} bytes: not read")
        return
    digest = hashlib.blake2b(content, digest_size=16, key=job.key[:64]).hexdigest()
    if job.head is not None:
        if job.head.state.get("head") == digest and not job.head.state.get("reread"):
            return
        out.generation = job.head.generation + 1
    sealed = seal_text(_redactor(job.key), job.key, content.decode("utf-8", "replace"))
    out.segments.append(_Segment(0, len(content), 1, 1, False, digest, sealed, None))
    out.ends = jsonl.Ends(len(content), digest, digest)


# --- appending ---------------------------------------------------------------------------------------------


class Ingest:
    """One run over what the sources found. `pool` gives worker processes for so many bytes, or None; `flush` gets the
    new events after each append, so that they can be projected while they are still decoded."""

    def __init__(
        self,
        log: EventLog,
        key: bytes,
        *,
        pool: Callable[[int], Executor | None] | None = None,
        flush: Callable[[list[tuple[Event, Decoded | None]]], None] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.log = log
        self.key = key
        self._make_pool = pool or (lambda _bytes: None)
        self._pool: Executor | None = None
        self.report = Report()
        self._flush = flush or (lambda _events: None)
        self._progress = progress or (lambda _done, _total: None)
        self._heads = {stream: head for stream, head in log.heads().items() if head.state["kind"] != "document"}
        self._tombstones = log.tombstones()
        self._projects: dict[str, str] = {}  # of sessions
        self._notes: list[Head] = []
        for head in sorted(self._heads.values(), key=lambda h: -int(h.state["project_known"])):
            if head.state["project_known"]:
                self._projects.setdefault(head.state["session_id"], head.state["project"])

    def run(self, found: Sequence[tuple[str, Discovery]], *, project: str | None = None, full: bool = False) -> Report:
        report = self.report
        deep = self._deep_hashes() if full else None
        jobs: list[_Job] = []
        for source, discovery in found:
            report.problems.extend(discovery.problems)
            self._mark_returned(discovery.files)
            for file in discovery.files:
                if self._is_forgotten(file, None):
                    continue
                job = self._plan(source, file, deep)
                if job is not None:
                    jobs.append(job)
                elif file.kind == "transcript":
                    report.unchanged += 1
        self._work(jobs)
        self._mark_missing([d for _, d in found], project)
        return report

    # --- what to read ----------------------------------------------------------------------------------

    def _plan(
        self, source: str, file: SourceFile, deep: Mapping[str, tuple[tuple[int, int, str], ...]] | None
    ) -> _Job | None:
        head = self._heads.get(file.path)
        if head is not None:
            same = (head.size, head.mtime_ns, head.inode) == (file.size, file.mtime_ns, file.inode)
            if same and deep is None and not head.state.get("reread"):
                return None
        checks = None if deep is None else deep.get(file.path, ())
        return _Job(source, file, self.key, head, checks, _JOB_BYTES)

    def _is_forgotten(self, file: SourceFile, project: str | None) -> bool:
        if not self._tombstones:
            return False
        head = self._heads.get(file.path)
        known = project or (head.state["project"] if head else None)
        parent = file.parent_session or (head.state["parent_session"] if head else None)
        if known == file.folder and file.folder in {slug(key) for kind, key in self._tombstones if kind == "project"}:
            return True
        return self._is_covered(file.session_id, parent, known)

    def _is_covered(self, session: str, parent: str | None, project: str | None) -> bool:
        return bool(self._tombstones & {("session", session), ("session", parent), ("project", project)})

    def _deep_hashes(self) -> dict[str, tuple[tuple[int, int, str], ...]]:
        found: dict[str, list[tuple[int, int, str]]] = {}
        for event in self.log.replay(["transcript_segment"]):
            payload = event.payload
            head = self._heads.get(payload["stream"])
            if head is not None and head.generation == payload["generation"]:
                found.setdefault(payload["stream"], []).append((payload["start"], payload["end"], payload["raw_hash"]))
        return {stream: tuple(parts) for stream, parts in found.items()}

    # --- reading and appending -------------------------------------------------------------------------

    def _work(self, jobs: Sequence[_Job]) -> None:
        total = sum(_pending_bytes(j) for j in jobs)
        self._pool = self._make_pool(total)
        done = 0
        batch: list[tuple[_Job, _Outcome]] = []
        size = 0
        for job, outcome in self._outcomes(jobs):
            self.report.files_opened += outcome.opened
            self.report.bytes_checked += outcome.checked
            if outcome.problem is not None:
                self.report.problems.append(outcome.problem)
            read = sum(s.chunk_end - s.chunk_start for s in outcome.segments)
            self.report.bytes_read += read
            done += read
            self._progress(min(done, total), total)
            if outcome.segments:
                batch.append((job, outcome))
                size += read
            elif outcome.problem is None and not _continued(job):
                self.report.unchanged += job.file.kind == "transcript"
                self._notes.append(self._restated(job, job.file.folder, known=0))
            if size >= _BATCH_BYTES or len(batch) >= 500:
                self._append(batch)
                batch, size = [], 0
        if batch:
            self._append(batch)
        self.log.note(self._notes)
        self._progress(total, total)

    def _outcomes(self, jobs: Sequence[_Job]) -> Iterator[tuple[_Job, _Outcome]]:
        """Outcomes in the order of the jobs; a file that is not finished comes again with its next part."""
        waiting = iter(jobs)
        ahead: list[tuple[_Job, Future[_Outcome]]] = []
        in_flight = 0
        while True:
            # Enough ahead to keep the workers busy, not so much that finished work piles up.
            while in_flight < 2 * _JOB_BYTES and len(ahead) < 64 and (job := next(waiting, None)) is not None:
                ahead.append((job, self._submit(job)))
                in_flight += _pending_bytes(job)
            if not ahead:
                return
            job, future = ahead.pop(0)
            outcome = self._result(job, future)
            in_flight -= _pending_bytes(job)
            yield from self._parts(job, outcome)

    def _submit(self, job: _Job) -> Future[_Outcome]:
        if self._pool is not None:
            try:
                return self._pool.submit(_read, job)
            except (BrokenExecutor, RuntimeError):
                self._pool = None
        here: Future[_Outcome] = Future()
        here.set_result(_read(job))
        return here

    def _result(self, job: _Job, future: Future[_Outcome]) -> _Outcome:
        try:
            return future.result()
        except BrokenExecutor:  # a worker was killed (memory?): go on without them
            if self._pool is not None:
                self.report.notes.append("a worker process died; went on in this one")
            self._pool = None
            return _read(job)

    def _parts(self, job: _Job, outcome: _Outcome) -> Iterator[tuple[_Job, _Outcome]]:
        while True:
            yield job, outcome
            if not outcome.more or outcome.ends is None:
                return
            # The next part goes on where this one ends, whether or not it has been appended yet.
            head = self._head(job, outcome, project="", known=0)
            job = replace(job, head=replace(head, state={**head.state, "continued": True}), deep=None)
            outcome = self._result(job, self._submit(job))
            outcome.opened = 0

    def _append(self, batch: Sequence[tuple[_Job, _Outcome]]) -> None:
        events: list[tuple[Event, Decoded | None]] = []
        with self.log.atomic():
            # Read in here: what was forgotten since this run began must not come back.
            self._tombstones = self.log.tombstones()
            for job, outcome in batch:
                self._append_file(job, outcome, events)
        self.report.events += len(events)
        self._flush(events)

    def _append_file(self, job: _Job, outcome: _Outcome, events: list[tuple[Event, Decoded | None]]) -> None:
        file = _with_parent(job.file, outcome)
        job = replace(job, file=file)
        project, known = self._project(job, outcome)
        if self._is_forgotten(file, project):
            # Only now is it known whose it is: remember that, so that it is not opened again.
            self._notes.append(self._restated(job, project, known))
            return
        head = self._head(job, outcome, project=project, known=known)
        now = self.log.head(file.path)  # another process may have seen it leave and come back
        if now is not None:
            head = replace(head, state={**head.state, "flips": now.state.get("flips", 0)})
        appended = 0
        expect = outcome.segments[0].chunk_start
        for segment in outcome.segments:
            state = {**head.state, "lines": segment.first_line + segment.lines - 1, "open_end": segment.open_end}
            event = self.log.append_dedup(
                "transcript_segment" if file.kind == "transcript" else "transcript_sidecar",
                actor=ACTOR,
                session_id=file.session_id,
                project=project,
                happened_at=segment.decoded.first_ts if segment.decoded else None,
                payload=self._payload(job, outcome, segment, known),
                dedupe_key=dedupe_key("segment", file.path, outcome.generation, segment.chunk_start, segment.chunk_end),
                blobs=[segment.sealed],
                head=replace(head, end=segment.chunk_end, state=state),
                expect_end=expect,
            )
            if event is None:  # another process was faster: it has these lines, or will have them
                break
            appended += 1
            expect = segment.chunk_end
            events.append((event, segment.decoded))
            if segment.decoded is not None:
                problems = segment.decoded.problems
                self.report.problems.extend(Problem(file.path, line, why) for line, why in problems)
        if appended == len(outcome.segments):
            self._heads[file.path] = head
        if file.kind == "transcript" and not _continued(job):
            if not appended:
                self.report.unchanged += 1
            elif job.head is None or (job.head.end, job.head.generation) == (0, 0):
                self.report.new += 1
            else:
                self.report.updated += 1

    def _head(self, job: _Job, outcome: _Outcome, *, project: str, known: int) -> Head:
        file = job.file
        last = outcome.segments[-1]
        assert outcome.ends is not None
        # Only the last part of a file knows its final state; until then the file must look changed.
        finished = not outcome.more
        return Head(
            stream=file.path,
            generation=outcome.generation,
            end=last.chunk_end,
            size=file.size if finished else -1,
            mtime_ns=file.mtime_ns,
            inode=file.inode,
            state={
                **self._state(file, project, known, flips=job.head.state["flips"] if job.head else 0),
                "lines": last.first_line + last.lines - 1,
                "open_end": last.open_end,
                "head": outcome.ends.head,
                "tail": outcome.ends.tail,
            },
        )

    def _state(self, file: SourceFile, project: str, known: int, flips: int) -> dict[str, Any]:
        return {
            "session_id": file.session_id,
            "parent_session": file.parent_session,
            "kind": file.kind,
            "folder": file.folder,
            "project": project,
            "project_known": known,
            "flips": flips,
        }

    def _payload(self, job: _Job, outcome: _Outcome, segment: _Segment, known: int) -> dict[str, Any]:
        file = job.file
        return {
            "source": job.source,
            "stream": file.path,
            "kind": file.kind,
            "folder": file.folder,
            "parent_session": file.parent_session,
            "generation": outcome.generation,
            "start": segment.chunk_start,
            "end": segment.chunk_end,
            "first_line": segment.first_line,
            "lines": segment.lines,
            "size": file.size,
            "mtime_ms": file.mtime_ns // 1_000_000,
            "raw_hash": segment.raw_hash,
            "blob": segment.sealed.hash,
            "bytes": segment.sealed.size,
            "project_known": known,
            # Which of them counts is decided where it is known which lines are copies.
            "moves": {cwd: project_of(cwd) for cwd in (segment.decoded.moves if segment.decoded else ())},
        }

    def _project(self, job: _Job, outcome: _Outcome) -> tuple[str, int]:
        """The project of a file, and how sure that is: 2 = where it was moved to, 1 = the first folder that its lines
        name (or its parent's project), 0 = the name of the folder it lies in, which is never decoded."""
        file = job.file
        named = [s.decoded for s in outcome.segments if s.decoded is not None and s.decoded.cwd]
        for decoded in reversed(named):
            if decoded.relocated and decoded.cwd:
                self._projects[file.session_id] = project_of(decoded.cwd)
                return self._projects[file.session_id], 2
        for session in (file.parent_session, file.session_id):
            if session is not None and session in self._projects:
                return self._projects[session], 1
        for decoded in named:
            if decoded.cwd:
                self._projects[file.session_id] = project_of(decoded.cwd)
                return self._projects[file.session_id], 1
        return file.folder, 0

    # --- files that left, and came back ----------------------------------------------------------------

    def _mark_missing(self, found: Sequence[Discovery], project: str | None) -> None:
        present = {f.path for d in found for f in d.files}
        unreadable = tuple(p.path for d in found for p in d.problems)
        left: list[tuple[Head, str, dict[str, Any]]] = []
        for head in self._heads.values():
            state = head.state
            if head.stream in present or state["kind"] != "transcript" or (head.generation, head.end) == (0, 0):
                continue
            if project is not None and state["project"] != project:
                continue
            if self._is_covered(state["session_id"], state["parent_session"], state["project"]):
                continue
            gone = not head.stream.startswith(unreadable) and not os.path.lexists(head.stream)
            if gone and not state.get("missing"):
                left.append((head, "transcript_missing", {}))
        self._flip(left)

    def _mark_returned(self, files: Sequence[SourceFile]) -> None:
        back: list[tuple[Head, str, dict[str, Any]]] = []
        for file in files:
            head = self._heads.get(file.path)
            if head is not None and head.state.get("missing"):
                extra: dict[str, Any] = {"size": file.size, "mtime_ms": file.mtime_ns // 1_000_000}
                extra["parent"] = file.parent_session or head.state["parent_session"]
                back.append((head, "transcript_returned", extra))
        self._flip(back)

    def _flip(self, turned: Sequence[tuple[Head, str, dict[str, Any]]]) -> None:
        if not turned:
            return
        events: list[tuple[Event, Decoded | None]] = []
        with self.log.atomic():
            for seen, event_type, extra in turned:
                head = self.log.head(seen.stream) or seen
                missing = event_type == "transcript_missing"
                if bool(head.state.get("missing")) == missing:  # another process was faster
                    self._heads[head.stream] = head
                    continue
                flips = head.state["flips"] + 1
                state = {**head.state, "missing": missing, "flips": flips}
                self._heads[head.stream] = replace(head, state=state)
                event = self.log.append_dedup(
                    event_type,
                    actor=ACTOR,
                    session_id=state["session_id"],
                    project=state["project"],
                    payload={"path": head.stream, **extra},
                    dedupe_key=dedupe_key(event_type, head.stream, flips),
                    head=self._heads[head.stream],
                    expect_end=head.end,
                )
                if event is not None:
                    events.append((event, None))
        self.report.events += len(events)
        self._flush(events)

    def prune(self, sessions: Sequence[str]) -> None:
        """Take sessions out of the index, by events; the log keeps them."""
        events: list[tuple[Event, Decoded | None]] = []
        with self.log.atomic():
            for session in sessions:
                event = self.log.append_dedup(
                    "session_pruned",
                    actor=ACTOR,
                    session_id=session,
                    payload={"session": session},
                    dedupe_key=dedupe_key("session_pruned", session, self.log.last_position()),
                )
                if event is not None:
                    events.append((event, None))
        self.report.pruned += len(events)
        self.report.events += len(events)
        self._flush(events)

    def _restated(self, job: _Job, project: str, known: int) -> Head:
        """The head of a file that had nothing new: what was read stays, the file's state is the one just seen."""
        file = job.file
        if job.head is not None:
            return replace(job.head, size=file.size, mtime_ns=file.mtime_ns, inode=file.inode)
        nothing = jsonl.ends_of(BytesIO(), 0, self.key)
        state = self._state(file, project, known, flips=0)
        state |= {"lines": 0, "open_end": False, "head": nothing.head, "tail": nothing.tail}
        return Head(file.path, 0, 0, file.size, file.mtime_ns, file.inode, state)


def _with_parent(file: SourceFile, outcome: _Outcome) -> SourceFile:
    """The file of a subagent with its parent, where only its lines say whose it is."""
    if not file.parent_inside:
        return file
    parents = [s.decoded.parent_session for s in outcome.segments if s.decoded is not None]
    return file._replace(parent_session=next((p for p in parents if p), None))


def _continued(job: _Job) -> bool:
    """Whether this is a later part of a file that one job could not take whole."""
    return job.head is not None and bool(job.head.state.get("continued"))


def _pending_bytes(job: _Job) -> int:
    start = job.head.end if job.head is not None else 0
    return max(job.file.size - start, 0) or min(job.file.size, 1)
