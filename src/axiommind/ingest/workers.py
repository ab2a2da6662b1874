"""Files read ahead of what appends them, in worker processes where there are any, and handed over in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import replace

from axiommind.ingest.heads import head_after
from axiommind.ingest.reading import ReadJob, ReadOutcome, read_file

__all__ = ["JOB_BYTES", "ReadAhead"]

# What one job reads before it hands over, so that a huge file does not sit in memory as a whole.
JOB_BYTES = 16 << 20


class ReadAhead:
    """Reads jobs with a pool, or without one; a worker that dies is a note, and reading goes on here."""

    def __init__(self, pool: Executor | None, notes: list[str]) -> None:
        self._pool = pool
        self._notes = notes

    def outcomes(self, jobs: Sequence[ReadJob]) -> Iterator[tuple[ReadJob, ReadOutcome]]:
        """Outcomes in the order of the jobs; a file that is not finished comes again with its next part."""
        waiting = iter(jobs)
        ahead: list[tuple[ReadJob, Future[ReadOutcome]]] = []
        in_flight = 0
        while True:
            # Enough ahead to keep the workers busy, not so much that finished work piles up.
            while in_flight < 2 * JOB_BYTES and len(ahead) < 64 and (job := next(waiting, None)) is not None:
                ahead.append((job, self._submit(job)))
                in_flight += job.pending_bytes
            if not ahead:
                return
            job, future = ahead.pop(0)
            outcome = self._result(job, future)
            in_flight -= job.pending_bytes
            yield from self._parts(job, outcome)

    def _submit(self, job: ReadJob) -> Future[ReadOutcome]:
        if self._pool is not None:
            try:
                return self._pool.submit(read_file, job)
            except (BrokenExecutor, RuntimeError):
                self._pool = None
        here: Future[ReadOutcome] = Future()
        here.set_result(read_file(job))
        return here

    def _result(self, job: ReadJob, future: Future[ReadOutcome]) -> ReadOutcome:
        try:
            return future.result()
        except BrokenExecutor:  # a worker was killed (memory?): go on without them
            if self._pool is not None:
                self._notes.append("a worker process died; went on in this one")
            self._pool = None
            return read_file(job)

    def _parts(self, job: ReadJob, outcome: ReadOutcome) -> Iterator[tuple[ReadJob, ReadOutcome]]:
        while True:
            yield job, outcome
            if not outcome.more or outcome.ends is None:
                return
            # The next part goes on where this one ends, whether or not it has been appended yet.
            head = head_after(job, outcome, project="", known=0)
            job = replace(job, head=replace(head, state={**head.state, "continued": True}), deep=None)
            outcome = self._result(job, self._submit(job))
            outcome.opened = 0
