"""What the log keeps of a file: the payload of its segments, and the head that says how far it was read."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from typing import Any

from axiommind.ingest.reading import ReadJob, ReadOutcome, ReadSegment
from axiommind.log import Head
from axiommind.projects import project_of
from axiommind.sources import SourceFile, jsonl

__all__ = ["head_after", "is_unchanged", "payload_of", "restated", "with_parent"]


def is_unchanged(head: Head, file: SourceFile) -> bool:
    """Whether a file looks as it did when it was last read."""
    return (head.size, head.mtime_ns, head.inode) == (file.size, file.mtime_ns, file.inode)


def head_after(job: ReadJob, outcome: ReadOutcome, *, project: str, known: int) -> Head:
    """Where a file stands once what was read of it is in the log."""
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
            **_state(job, project, known, flips=job.head.state["flips"] if job.head else 0),
            "lines": last.first_line + last.lines - 1,
            "open_end": last.open_end,
            "head": outcome.ends.head,
            "tail": outcome.ends.tail,
            **({} if last.after_forgotten is None else {"after_forgotten": last.after_forgotten}),
            **({"context": outcome.context} if outcome.context else {}),
        },
    )


def _state(job: ReadJob, project: str, known: int, flips: int) -> dict[str, Any]:
    file = job.file
    return {
        "source": job.source,
        "session_id": file.session_id,
        "parent_session": file.parent_session,
        "kind": file.kind,
        "folder": file.folder,
        "project": project,
        "project_known": known,
        "flips": flips,
        **({} if file.container is None else {"path": file.container}),
    }


def payload_of(job: ReadJob, outcome: ReadOutcome, segment: ReadSegment, known: int) -> dict[str, Any]:
    """What the event of a segment says."""
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
        # What the lines before it said that it cannot be read without; names and numbers.
        **({"context": segment.context} if segment.context else {}),
    }


def restated(job: ReadJob, project: str, known: int) -> Head:
    """The head of a file that had nothing new: what was read stays, the file's state is the one just seen."""
    file = job.file
    if job.head is not None:
        return replace(job.head, size=file.size, mtime_ns=file.mtime_ns, inode=file.inode)
    nothing = jsonl.ends_of(BytesIO(), 0, job.key)
    state = _state(job, project, known, flips=0)
    state |= {"lines": 0, "open_end": False, "head": nothing.head, "tail": nothing.tail}
    return Head(file.path, 0, 0, file.size, file.mtime_ns, file.inode, state)


def with_parent(job: ReadJob, outcome: ReadOutcome) -> SourceFile:
    """The file of a subagent with its parent, where only its lines say whose it is: these, or those read before."""
    if not job.file.parent_inside:
        return job.file
    parents = [s.decoded.parent_session for s in outcome.segments if s.decoded is not None]
    before = None if job.head is None else job.head.state["parent_session"]
    return job.file._replace(parent_session=next((p for p in parents if p), before))
