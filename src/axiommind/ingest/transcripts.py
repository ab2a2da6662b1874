"""Transcripts into the log.

Reads what is new, in worker processes where there is much of it, and appends it as sealed segments. A worker also
decodes what it sealed, so that the projections need not do it again; they would get the same from the log.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any

from axiommind.ids import dedupe_key
from axiommind.ingest.containers import Containers
from axiommind.ingest.file_names import renamed_heads, without_secrets
from axiommind.ingest.heads import head_after, is_unchanged, payload_of, restated, with_parent
from axiommind.ingest.identities import ProjectIdentities
from axiommind.ingest.reading import ReadJob, ReadOutcome, read_file
from axiommind.ingest.report import IndexReport
from axiommind.ingest.workers import JOB_BYTES, ReadAhead
from axiommind.log import EventLog, Head
from axiommind.model import Event, Problem
from axiommind.projects import project_of, slug
from axiommind.sources import Discovery, SourceFile
from axiommind.sources import load as load_source
from axiommind.sources.records import Decoded
from axiommind.text.redaction import Redactor

__all__ = ["TranscriptIngest"]

ACTOR = "axm-index"
_FIRST = "claude-code"  # of heads that say no source: they were written when there was one
# What is appended and projected together.
_BATCH_BYTES = 24 << 20


class TranscriptIngest:
    """One run over what the sources found. `pool` gives worker processes for so many bytes, or None; `flush` gets the
    new events after each append, so that they can be projected while they are decoded; `projects` knows folders."""

    def __init__(
        self,
        log: EventLog,
        key: bytes,
        *,
        pool: Callable[[int], Executor | None] | None = None,
        flush: Callable[[list[tuple[Event, Decoded | None]]], None] | None = None,
        progress: Callable[[int, int], None] | None = None,
        projects: ProjectIdentities | None = None,
    ) -> None:
        self.log = log
        self.key = key
        self._identities = projects
        self._make_pool = pool or (lambda _bytes: None)
        self.report = IndexReport()
        self._flush = flush or (lambda _events: None)
        self._progress = progress or (lambda _done, _total: None)
        self._redactor = Redactor(key)
        self._heads = {stream: head for stream, head in log.heads().items() if head.state["kind"] != "document"}
        self._tombstones = log.tombstones()
        self._kept_out = log.purges.kept_out()
        self._unread: list[str] = []
        self._owners = {
            head.state["session_id"]: head.state.get("source", _FIRST) for head in self._heads.values()
        }  # of session ids
        self._projects: dict[str, str] = {}  # of sessions
        self._notes: list[Head] = []
        for head in sorted(self._heads.values(), key=lambda h: -int(h.state["project_known"])):
            if head.state["project_known"]:
                self._projects.setdefault(head.state["session_id"], head.state["project"])

    def run(
        self, found: Sequence[tuple[str, Discovery]], *, project: str | None = None, full: bool = False
    ) -> IndexReport:
        report = self.report
        self._rename_heads()
        found = without_secrets(found, self._redactor)
        deep = self._deep_hashes() if full else None
        containers = Containers(self._heads, self.key, self._redactor, full=full)
        jobs: list[ReadJob] = []
        present: set[str] = set()
        for source, discovery in found:
            files, problems = containers.sessions(source, discovery)
            report.problems += (*discovery.problems, *problems)
            present |= {file.path for file in files}
            self._mark_returned(files)
            changed: list[ReadJob] = []
            for file in files:
                named = self._named(source, file)
                if self._is_forgotten(named, None) or self._is_of_another(file, project):
                    continue
                job = self._plan(source, named, deep)
                if job is not None:
                    changed.append(job)
                elif file.kind == "transcript":
                    report.unchanged += 1
            jobs += self._located(source, changed)
        inside = [h for h in self._heads.values() if h.state.get("path")]
        left = containers.unchanged | containers.unreadable
        present |= {head.stream for head in inside if head.state["path"] in left}
        report.unchanged += sum(
            self._is_known(head, project) for head in inside if head.state["path"] in containers.unchanged
        )
        self._work(jobs)
        self.log.note(containers.done(self._unread))
        self._mark_missing({name for name, _ in found}, present, project)
        return report

    def _named(self, source: str, file: SourceFile) -> SourceFile:
        """The file with the id that its session has here: where another agent has a session of the same id, the agent's
        name comes before it."""
        head = self._heads.get(file.path)
        is_read = head is not None and (head.end or head.generation or is_unchanged(head, file))
        if head is not None and head.state["kind"] == file.kind and (is_read or file.session_id):
            return file._replace(session_id=head.state["session_id"])
        if not file.session_id:
            file = file._replace(session_id=self._redactor.name(load_source(source).session_of(file)))
        own = self._owners.setdefault(file.session_id, source) == source
        parent = file.parent_session
        if parent is not None and self._owners.get(parent, source) != source:
            parent = f"{source}:{parent}"
        return file._replace(
            session_id=file.session_id if own else f"{source}:{file.session_id}", parent_session=parent
        )

    def _is_of_another(self, file: SourceFile, project: str | None) -> bool:
        """Whether only one project is wanted, and this file is known to be of another: not every agent keeps its
        sessions by project."""
        head = self._heads.get(file.path)
        return bool(
            project is not None
            and head is not None
            and head.state["project_known"]
            and head.state["project"] != project
        )

    def _is_known(self, head: Head, project: str | None) -> bool:
        """Whether a session that was read is there, of this project, and not forgotten."""
        state = head.state
        return (
            state["kind"] == "transcript"
            and (head.generation, head.end) != (0, 0)
            and not state.get("missing")
            and project in (None, state["project"])
            and not self._is_covered(state["session_id"], state["parent_session"], state["project"])
        )

    def _rename_heads(self) -> None:
        """Files whose names hold a secret by today's rules are read anew, under names that hold none."""
        renamed = renamed_heads(self._heads, self._redactor)
        self.log.note(list(renamed.values()), gone=list(renamed))
        for old, head in renamed.items():
            del self._heads[old]
            self._heads[head.stream] = head

    # --- what to read ----------------------------------------------------------------------------------

    def _plan(
        self, source: str, file: SourceFile, deep: Mapping[str, tuple[tuple[int, int, str], ...]] | None
    ) -> ReadJob | None:
        head = self._heads.get(file.path)
        if head is not None and is_unchanged(head, file) and deep is None and not head.state.get("reread"):
            return None
        checks = None if deep is None else deep.get(file.path, ())
        return ReadJob(source, file, self.key, head, checks, JOB_BYTES, self.log.path if self._kept_out[0] else None)

    def _located(self, source: str, jobs: Sequence[ReadJob]) -> list[ReadJob]:
        """The jobs with the working folders that something beside their files says."""
        files = [job.file._replace(path=job.file.place) for job in jobs if job.file.kind == "transcript"]
        found = load_source(source).folders_of(files) if files else {}
        told = {path: self._redactor.text(folder) for path, folder in found.items()}
        return [
            replace(job, file=job.file._replace(cwd=told[job.file.place])) if job.file.place in told else job
            for job in jobs
        ]

    def _is_forgotten(self, file: SourceFile, project: str | None) -> bool:
        if not self._tombstones:
            return False
        head = self._heads.get(file.path)
        known = project or (head.state["project"] if head else None)
        parent = file.parent_session or (head.state["parent_session"] if head else None)
        if known == file.folder and file.folder in {slug(key) for kind, key in self._tombstones if kind == "project"}:
            return True
        key = self._identities.key(known) if self._identities is not None and known else ""  # of all its folders
        return self._is_covered(file.session_id, parent, known) or ("project", key) in self._tombstones

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

    def _work(self, jobs: Sequence[ReadJob]) -> None:
        total = sum(j.pending_bytes for j in jobs)
        ahead = ReadAhead(self._make_pool(total), self.report.notes)
        done = 0
        batch: list[tuple[ReadJob, ReadOutcome]] = []
        size = 0
        for job, outcome in ahead.outcomes(jobs):
            self.report.files_opened += outcome.opened
            self.report.bytes_checked += outcome.checked
            if outcome.problem is not None:
                self.report.problems.append(outcome.problem)
                self._unread.append(job.file.path)
            read = sum(s.chunk_end - s.chunk_start for s in outcome.segments)
            self.report.bytes_read += read
            done += read
            self._progress(min(done, total), total)
            if outcome.segments:
                batch.append((job, outcome))
                size += read
            elif outcome.problem is None and not job.is_continued:
                self.report.unchanged += job.file.kind == "transcript"
                self._notes.append(restated(job, job.file.folder, known=0))
            if size >= _BATCH_BYTES or len(batch) >= 500:
                self._append(batch)
                batch, size = [], 0
        if batch:
            self._append(batch)
        self.log.note(self._notes)
        self._progress(total, total)

    def _append(self, batch: Sequence[tuple[ReadJob, ReadOutcome]]) -> None:
        events: list[tuple[Event, Decoded | None]] = []
        if self._identities is not None:
            named = [self._project(replace(job, file=with_parent(job, outcome)), outcome) for job, outcome in batch]
            self._identities.look(path for path, known in named if known)
        with self.log.atomic():
            # Read in here: what was forgotten since this run began must not come back.
            self._tombstones = self.log.tombstones()
            kept_out = self.log.purges.kept_out()
            for job, outcome in batch:
                if kept_out != self._kept_out and job.file.kind == "transcript":  # read before a record was forgotten
                    job = replace(job, forgotten=self.log.path)
                    outcome = read_file(job)
                    if not outcome.segments:  # it changed meanwhile: the next run reads it
                        continue
                self._append_file(job, outcome, events)
        self.report.events += len(events)
        self._flush(events)

    def _append_file(self, job: ReadJob, outcome: ReadOutcome, events: list[tuple[Event, Decoded | None]]) -> None:
        file = with_parent(job, outcome)
        job = replace(job, file=file)
        project, known = self._project(job, outcome)
        if self._is_forgotten(file, project) or (outcome.is_forgotten and (job.head is None or not job.head.end)):
            # Only now is it known whose it is: remember that, so that it is not opened again.
            self._notes.append(restated(job, project, known))
            return
        if self._identities is not None and (identified := self._identities.append(project)) is not None:
            events.append((identified, None))
        head = head_after(job, outcome, project=project, known=known)
        now = self.log.head(file.path)  # another process may have seen it leave and come back
        if now is not None:
            head = replace(head, state={**head.state, "flips": now.state.get("flips", 0)})
        appended = 0
        expect = outcome.segments[0].chunk_start
        for segment in outcome.segments:
            state = {**head.state, "lines": segment.first_line + segment.lines - 1, "open_end": segment.open_end}
            if segment.decoded is not None and "context" in state:
                state["context"] = segment.decoded.context
            if segment.after_forgotten is not None:
                state["after_forgotten"] = segment.after_forgotten
            event = self.log.append_dedup(
                "transcript_segment" if file.kind == "transcript" else "transcript_sidecar",
                actor=ACTOR,
                session_id=file.session_id,
                project=project,
                happened_at=segment.decoded.first_ts if segment.decoded else None,
                payload=payload_of(job, outcome, segment, known),
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
        if file.kind == "transcript" and not job.is_continued:
            if not appended:
                self.report.unchanged += 1
            elif job.head is None or (job.head.end, job.head.generation) == (0, 0):
                self.report.new += 1
            else:
                self.report.updated += 1

    def _project(self, job: ReadJob, outcome: ReadOutcome) -> tuple[str, int]:
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

    def _mark_missing(self, sources: set[str], present: set[str], project: str | None) -> None:
        """What these sources do not have any more."""
        unreadable = tuple(problem.path for problem in self.report.problems if not problem.line)
        left: list[tuple[Head, str, dict[str, Any]]] = []
        for head in self._heads.values():
            state = head.state
            if head.stream in present or state["kind"] != "transcript" or (head.generation, head.end) == (0, 0):
                continue
            if state.get("source", _FIRST) not in sources:
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
                    self.report.returned += not missing
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
