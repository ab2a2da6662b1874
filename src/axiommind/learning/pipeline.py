"""The pipeline: from a recorded session to entries and tasks, as events. It never writes a table.

Reading, extracting, aligning and checking need no lock and may take long (a model answers, Idris checks). Then one
transaction of the log writes everything that was learned from a session, or nothing. A session that fails is marked
as failed and tried again by the next run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field

from axiommind.errors import AxmError
from axiommind.extraction.contract import Extraction, ExtractionFailed, Extractor
from axiommind.extraction.finished import finished_work
from axiommind.ids import canonical_json, ulid
from axiommind.learning.candidates import AlignedDraft, align_drafts, to_check
from axiommind.learning.checks import Checked, Idris, check
from axiommind.learning.claim_events import ClaimOrigin, epoch_of, events_of_claims, is_rejected
from axiommind.learning.event_writer import EventWriter
from axiommind.learning.known import extract_with_known, read_up_to
from axiommind.learning.new_event import NewEvent
from axiommind.learning.paid_answers import PaidAnswers
from axiommind.learning.run_report import LearningReport
from axiommind.learning.settling import settle
from axiommind.learning.tasks.finishing import Finished
from axiommind.learning.tasks.match import Near
from axiommind.learning.tasks.resolve import ResolvedTasks, TaskNote, resolve
from axiommind.learning.tasks.state import IndexState
from axiommind.learning.trust import trust
from axiommind.learning.withdrawal import Reread, events_of_withdrawal, reread
from axiommind.log import EventLog
from axiommind.projections import transcript as recorded
from axiommind.projections.outbox import UNCHOSEN, wanted
from axiommind.projections.runner import Index, Segments
from axiommind.projections.scope import SCHEMA_VERSION
from axiommind.projections.session_rows import iso
from axiommind.projections.transcript import Transcript
from axiommind.vectors.coverage import waiting

__all__ = ["Pipeline"]

# Sessions are checked together, because a checker takes longer to start than to read some more claims.
_CHECKED_TOGETHER = 200
_SESSIONS_TOGETHER = 32
_CHARS_TOGETHER = 16_000_000  # of text held in memory meanwhile
# After so many sessions in a row failed with the same message, the others would too.
ALIKE = 3
_STEPS = ("build", "read", "extraction", "align", "entries", "check", "tasks", "project", "index", "settle")

_LEARNED_SINCE = """
    select head
    from learned
    where session_id = :session
      and extractor = :extractor
      and status = 'success'
      and at >= :began
"""


@dataclass(slots=True)
class _Work:
    """One session on its way."""

    session: str
    project: str
    project_path: str
    head: str
    epoch: str
    build_id: str
    steps: dict[str, float] = field(default_factory=dict)
    transcript: Transcript | None = None
    extraction: Extraction | None = None
    drafts: tuple[AlignedDraft, ...] = ()
    error: str | None = None
    failed_at: str | None = None

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        except ExtractionFailed as error:
            self.error, self.failed_at = str(error)[:300], name
        finally:
            self.steps[name] = self.steps.get(name, 0.0) + (time.perf_counter() - started) * 1000


class Pipeline:
    """Learns sessions into a log. A budget that is reached ends a run early."""

    def __init__(
        self,
        log: EventLog,
        key: bytes,
        index: Index,
        extractor: Extractor,
        idris: Idris | None,
        *,
        together: bool = True,
        near: Near | None = None,
        answers: PaidAnswers | None = None,
        lease: Callable[[str], AbstractContextManager[bool]] | None = None,
        began: int | None = None,
        again: bool = False,
        now: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self._log, self._index, self._extractor, self._idris = log, index, extractor, idris
        self._writer = EventWriter(log, key)
        self._together = together
        self._near = near
        self._again = again
        self._answers, self._lease = answers, lease or (lambda _session: nullcontext(True))
        self._now = now
        self._began = now() if began is None else began  # what was learned since then is not learned again
        self._precision = None if extractor.is_measured else (lambda rule: trust(index.db, rule))

    def run(
        self,
        sessions: Sequence[str],
        *,
        dry_run: bool = False,
        progress: Callable[[int, int], None] | None = None,
        stop: Callable[[], str] | None = None,
    ) -> LearningReport:
        """Learn these sessions, until `stop` says why not to go on."""
        report = LearningReport(dry_run=dry_run)
        started = time.perf_counter()
        batch: list[_Work] = []
        done = 0
        alike: list[str] = []  # errors of the latest sessions
        try:
            for session in sessions:
                if stop is not None and (reason := stop()):
                    report.stopped, report.left = reason, len(sessions) - done
                    break
                with self._lease(session) as ours:  # two processes ask a model once
                    is_due = ours and not self._learned_meanwhile(session)
                    work = self._prepare(session, write=not dry_run) if is_due else None
                    done += 1
                    if work is None:  # forgotten since, or another process learns it
                        continue
                    batch.append(work)
                    if self._is_full(batch):
                        self._finish_all(batch, report)
                        batch = []
                if progress is not None:
                    progress(done, len(sessions))
                alike = [*alike, work.error][-ALIKE:] if work.error is not None else []
                if len(alike) == ALIKE and len(set(alike)) == 1 and not self._together:
                    report.stopped = f"{ALIKE} sessions in a row failed in the same way"
                    report.left = len(sessions) - done
                    break
        except AxmError as error:  # the budget is used up: what was learned stays
            if not getattr(error, "stops_quietly", False):
                raise
            report.stopped = error.message
            report.left = len(sessions) - done
        self._finish_all(batch, report)
        if not dry_run:
            self._index.catch_up(self._log, Segments(self._log))
            report.waiting = waiting(self._index.db)
        report.steps = {name: round(took, 3) for name, took in report.steps.items()}
        report.seconds = time.perf_counter() - started
        return report

    def _is_full(self, batch: Sequence[_Work]) -> bool:
        entries = sum(len(work.drafts) for work in batch)
        held = sum(work.transcript.size for work in batch if work.transcript is not None)
        many = entries >= _CHECKED_TOGETHER or len(batch) >= _SESSIONS_TOGETHER or held >= _CHARS_TOGETHER
        return many or not self._together

    def _learned_meanwhile(self, session: str) -> bool:
        if self._together:
            return False
        self._index.catch_up(self._log, Segments(self._log))
        values = {"session": session, "extractor": self._extractor.name, "began": iso(self._began)}
        row = self._index.db.execute(_LEARNED_SINCE, values).fetchone()
        return row is not None and row[0] == recorded.head_of(self._index.db, session)

    # --- before the lock -------------------------------------------------------------------------------

    def _prepare(self, session: str, *, write: bool) -> _Work | None:
        db = self._index.db
        started = time.perf_counter()
        transcript = recorded.read(db, self._log.blob, session)
        if transcript is None:
            return None
        epoch = epoch_of(db, session)
        whose = (transcript.project, transcript.project_path)
        work = _Work(session, *whose, transcript.head, epoch, ulid(self._now()), transcript=transcript)
        work.steps["read"] = (time.perf_counter() - started) * 1000
        if write and not self._together:  # a long build is recorded as begun
            with work.step("build"), self._log.atomic():
                if not self._is_gone(work):
                    self._append(work, self._started(work))
        if self._answers is not None:
            self._answers.about(session, transcript.project, work.build_id, transcript.head)
        since = 0 if self._again else read_up_to(db, session, self._extractor.name)
        with work.step("extraction"):
            work.extraction = extract_with_known(self._extractor, db, transcript, since)
        if work.extraction is not None:
            with work.step("align"):
                drafts = work.extraction.drafts
                work.drafts = tuple(align_drafts(transcript, drafts, self._event_id, self._precision))
        return work

    def _started(self, work: _Work) -> NewEvent:
        version = wanted(self._index.db)
        return NewEvent(
            "build_started",
            {
                "extractor": self._extractor.name,
                "model": "",
                "prompt_hash": "",
                "embedder_model": "none" if version == UNCHOSEN else version,
                "embedding_version": version,
                "idris_version": self._idris.version if self._idris is not None else "none",
                "schema_version": str(SCHEMA_VERSION),
                "head": work.head,
            },
            (work.build_id,),
        )

    def _event_id(self, position: int) -> str:
        event = self._log.event_at(position)
        return "" if event is None else event.event_id

    # --- all of a session, or nothing ------------------------------------------------------------------

    def _finish_all(self, batch: Sequence[_Work], report: LearningReport) -> None:
        if not batch:
            return
        started = time.perf_counter()
        checked = self._check([one for work in batch for one in self._reread(work).written])
        each = (time.perf_counter() - started) * 1000 / len(batch)
        learned: list[tuple[_Work, Reread]] = []
        for work in batch:
            work.steps["check"] = each
            if report.dry_run:
                learned.append((work, self._reread(work)))
                report.planned += learned[-1][1].new
            elif (found := self._apply(work, checked, report)) is not None:
                learned.append((work, found))
            if work.extraction is not None:
                report.notes += [f"session {work.session}: {note}" for note in work.extraction.notes]
                report.refuted += work.extraction.refuted
                report.merged += work.extraction.merged
                report.left_out += work.extraction.left_out
            for name, took in work.steps.items():
                report.steps[name] = report.steps.get(name, 0.0) + took
        stages = {} if report.dry_run else self._settle({work.project for work, _ in learned}, report)
        for work, found in learned:
            report.withdrawn += len(found.withdrawn)
            report.count(work.session, work.transcript, work.error, found.new, stages)
        if not checked.agree:
            what = "the checkers disagree" if checked.is_answered else "Idris 2 gave no verdict"
            note = f"{what}, so what was checked stays a candidate: axm doctor shows more"
            report.notes += [note] if note not in report.notes else []

    def _settle(self, projects: set[str], report: LearningReport) -> dict[str, str]:
        """What the claims of these projects amount to now; the stages that those reached that changed."""
        started = time.perf_counter()
        settled = settle(self._log, self._writer, self._index, projects, at=self._now())
        report.conflicts += len(settled.conflicts)
        report.superseded += len(settled.superseded)
        report.certified += sum(change.target == "certified" for change in settled.changes)
        report.projects |= projects
        report.steps["settle"] = report.steps.get("settle", 0.0) + (time.perf_counter() - started) * 1000
        return {change.entry_id: change.target for change in settled.changes}

    def _check(self, drafts: Sequence[AlignedDraft]) -> Checked:
        return check([to_check(one) for one in drafts if one.aligned], idris=self._idris)

    def _reread(self, work: _Work) -> Reread:
        """What the session says now, against what is known of it."""
        if work.extraction is None:
            return Reread()
        whole = work.extraction.is_whole
        return reread(self._index.db, work.session, work.project, self._extractor.name, work.drafts, is_whole=whole)

    def _is_gone(self, work: _Work) -> bool:
        """Whether the session was forgotten since it was read; only asked while nobody else can append."""
        return (
            self._log.is_forgotten(work.session, work.project_path)
            or epoch_of(self._index.db, work.session) != work.epoch
        )

    def _apply(self, work: _Work, checked: Checked, report: LearningReport) -> Reread | None:
        """Write what was learned from a session; None when it was forgotten meanwhile."""
        found = Reread()
        with self._log.atomic():
            # Nobody else appends now, so the index knows everything.
            self._index.catch_up(self._log, Segments(self._log))
            if self._is_gone(work):
                return None
            self._append(work, self._started(work))
            if work.error is None:
                found = self._reread(work)
                events = list(self._entries(work, found, checked))
                with work.step("tasks"):
                    state = IndexState(
                        self._index.db, (name for name, _ in found.withdrawn), (name for name, _ in found.returned)
                    )
                    resolved = self._tasks(work, state)
                self._void(work, state)
                for event in (*events, *resolved.events):
                    self._append(work, event)
                report.rejected_before += sum(is_rejected(self._index.db, one) for one in work.drafts)
                report.tasks_created += resolved.created
                report.tasks_changed += resolved.changed
                report.transitions_rejected += resolved.rejected
        if work.error is None:
            with work.step("project"):
                self._index.catch_up(self._log, Segments(self._log))
            with work.step("index"):
                report.waiting = waiting(self._index.db)  # the jobs wait there for axm embed
        with self._log.atomic():
            if self._log.is_forgotten(work.session, work.project_path):
                return None
            self._append(work, _finished(work, self._extractor.name))
            self._append(work, _measured(work))
        return found

    def _entries(self, work: _Work, found: Reread, checked: Checked) -> Iterator[NewEvent]:
        """What was read and extracted, where its words are, and what the checkers said."""
        assert work.transcript is not None and work.extraction is not None
        read = work.transcript
        positions = sorted({message.position for message in read.messages})
        ingested = {"head": work.head, "segments": positions, "messages": len(read.messages), "uses": len(read.uses)}
        yield NewEvent("session_ingested", ingested, (work.session, work.epoch, work.head))
        made = work.extraction
        origin = ClaimOrigin(
            work.session, work.project, work.epoch, work.head, self._extractor.name, made.model, made.prompt_hash
        )
        with work.step("entries"):
            yield from events_of_withdrawal(origin, found)
            yield from events_of_claims(origin, found.new, checked, changed=found.changed, moved=found.moved)

    def _tasks(self, work: _Work, state: IndexState) -> ResolvedTasks:
        noted = [
            TaskNote(one.draft, one.entry_id, one.aligned, one.steps)
            for one in work.drafts
            if one.draft.type == "task_note" and not is_rejected(self._index.db, one)
        ]
        return resolve(
            state,
            noted,
            project=work.project,
            epoch=work.epoch,
            now=self._now(),
            near=self._near,
            finished=self._finished(work),
        )

    def _finished(self, work: _Work) -> Iterator[Finished]:
        """What the session finished, and where it says so."""
        assert work.transcript is not None
        for one in finished_work(work.transcript):
            message = work.transcript.messages[one.message]
            place = message.span(one.start, one.start + len(one.text))._asdict()
            yield Finished(one.text, one.timestamp, [{"event_id": self._event_id(message.position), **place}])

    def _void(self, work: _Work, state: IndexState) -> None:
        """Who spoke of a task that this session opened, and takes back, is to be learned again for its part of it."""
        for (session, project), entities in state.orphans(work.session).items():
            voided = NewEvent(
                "learning_voided", {"session": session, "entities": entities}, (session, work.session, work.head)
            )
            self._writer.append(voided, session=session, project=project, build=work.build_id)

    def _append(self, work: _Work, event: NewEvent) -> None:
        self._writer.append(event, session=work.session, project=work.project_path, build=work.build_id)


def _finished(work: _Work, extractor: str) -> NewEvent:
    payload = {
        "status": "success" if work.error is None else "failed",
        "head": work.head,
        "extractor": extractor,
        "model": work.extraction.model if work.extraction is not None else None,
        "prompt_hash": work.extraction.prompt_hash if work.extraction is not None else None,
    }
    return NewEvent("build_finished", payload, (work.build_id,), text=_why(work))


def _measured(work: _Work) -> NewEvent:
    steps = [
        {"stage": name, "latency_ms": round(work.steps[name], 3), "success": name != work.failed_at}
        for name in _STEPS
        if name in work.steps
    ]
    return NewEvent("pipeline_measured", {"steps": steps}, (work.build_id,), text=_why(work))


def _why(work: _Work) -> str | None:
    """A model's error may repeat what it was given: it is text, and does not belong in a payload."""
    return None if work.error is None else canonical_json({"error": work.error})
