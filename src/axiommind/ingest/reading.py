"""Reading a file that a source found: only what is new of it, sealed, and decoded by the way. Runs in a worker."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from axiommind.ingest.forgotten_records import without_forgotten
from axiommind.log import Head, Sealed, seal_lines, seal_text
from axiommind.model import Problem
from axiommind.sources import SourceFile, decode, jsonl
from axiommind.sources import load as load_source
from axiommind.sources.records import Decoded
from axiommind.sources.rendered import Rendered
from axiommind.text.redaction import Redactor

__all__ = ["ReadJob", "ReadOutcome", "ReadSegment", "read_file"]

_SIDECAR_MAX = 1 << 20


@dataclass(frozen=True, slots=True)
class ReadJob:
    """Read this file from where its head says; `deep` = check every byte that was read before."""

    source: str
    file: SourceFile
    key: bytes
    head: Head | None
    deep: tuple[tuple[int, int, str], ...] | None
    limit: int
    forgotten: Path | None = None  # the log, where records were forgotten: copies of them are not read

    @property
    def is_continued(self) -> bool:
        """Whether this is a later part of a file that one job could not take whole."""
        return self.head is not None and bool(self.head.state.get("continued"))

    @property
    def pending_bytes(self) -> int:
        start = self.head.end if self.head is not None else 0
        return max(self.file.size - start, 0) or min(self.file.size, 1)


@dataclass(slots=True)
class ReadSegment:
    chunk_start: int
    chunk_end: int
    first_line: int
    lines: int
    open_end: bool
    raw_hash: str
    sealed: Sealed
    decoded: Decoded | None
    context: dict[str, Any] = field(default_factory=dict)  # of the lines before it
    after_forgotten: bool | None = None  # whether its last line is of a forgotten record; None where nothing says
    is_forgotten: bool = False  # whether all its lines are


@dataclass(slots=True)
class ReadOutcome:
    generation: int = 0
    segments: list[ReadSegment] = field(default_factory=list)
    ends: jsonl.Ends | None = None
    problem: Problem | None = None
    more: bool = False
    context: dict[str, Any] = field(default_factory=dict)  # of all lines so far
    opened: int = 0
    checked: int = 0

    @property
    def is_forgotten(self) -> bool:
        """Whether every line of it is of a forgotten record."""
        return bool(self.segments) and all(one.is_forgotten for one in self.segments)


_redactor = cache(Redactor)  # one a process: it learns which short strings are clean


def read_file(job: ReadJob) -> ReadOutcome:
    """What is new in a file. Whatever goes wrong in it is its problem, and nobody else's."""
    out = ReadOutcome(generation=job.head.generation if job.head else 0)
    try:
        is_transcript = job.file.kind == "transcript"
        with (
            load_source(job.source).open_stream(job.file.place)
            if is_transcript
            else Path(job.file.place).open("rb") as file
        ):
            out.opened = 1
            if is_transcript:
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


def _read_transcript(job: ReadJob, file: Any, out: ReadOutcome) -> None:
    head = job.head
    size = _size_of(file)
    start, first_line, open_end = 0, 1, False
    after: bool | None = None
    context: dict[str, Any] = {} if job.file.cwd is None else {"cwd": job.file.cwd}
    if head is not None:
        if head.state.get("reread") or size < head.end or not _same_so_far(job, file, head, out):
            out.generation = head.generation + 1
        else:
            start, first_line = head.end, head.state["lines"] + 1
            open_end = bool(head.state.get("open_end"))
            after = head.state.get("after_forgotten")
            context |= head.state.get("context", {})  # the folder may have become known since
    if job.file.is_bare:
        parent = {} if job.file.parent_session is None else {"parent": job.file.parent_session}
        about = {"session": job.file.session_id, "folder": job.file.folder, "at": job.file.mtime_ns // 1_000_000}
        context = {**context, **about, **parent}
    source = load_source(job.source)
    redactor = _redactor(job.key)
    end = start
    for chunk in _chunks(job, file, start, open_end, out):
        lines = [source.prune(line) for line in chunk.lines]
        if job.forgotten is not None:
            lines, after = without_forgotten(source, job.key, job.forgotten, lines, after)
        sealed, content = seal_lines(redactor, job.key, lines)
        decoded = decode(source, content, first_line, frozenset(), context)
        out.segments.append(
            ReadSegment(
                chunk.start,
                chunk.end,
                first_line,
                len(chunk.lines),
                chunk.open_end,
                chunk.raw_hash,
                sealed,
                decoded,
                context,
                after,
                bool(after) and not any(lines),
            )
        )
        first_line += len(chunk.lines)
        context = out.context = decoded.context
        end = chunk.end
        if end - start >= job.limit:
            out.more = not chunk.open_end and end < size
            break
    if _size_of(file) < end:
        out.segments.clear()
        out.problem = Problem(job.file.path, 0, "shrank while it was read: it will be read again")
        return
    if out.segments:
        out.ends = _ends_of(file, end, job.key)


def _size_of(file: BinaryIO) -> int:
    """How long a stream is, now."""
    at = file.tell()
    size = file.seek(0, os.SEEK_END)
    file.seek(at)
    return size


def _ends_of(file: BinaryIO, end: int, key: bytes) -> jsonl.Ends:
    """What tells whether a stream only grew: of a file its ends, of a rendered one all of it."""
    return jsonl.ends_of(file, end, key, whole=isinstance(file, Rendered))


def _chunks(job: ReadJob, file: Any, start: int, open_end: bool, out: ReadOutcome) -> Iterator[jsonl.LineChunk]:
    """The new lines; of a file that was emptied one chunk without lines, which supersedes what was there."""
    some = False
    for chunk in jsonl.chunks(file, start, job.key, open_end=open_end):
        some = True
        yield chunk
    if not some and job.head is not None and out.generation > job.head.generation:
        yield jsonl.LineChunk.empty(job.key)


def _same_so_far(job: ReadJob, file: Any, head: Head, out: ReadOutcome) -> bool:
    """Whether the part already read is still what it was: by its ends, or with `deep` by every byte."""
    ends = _ends_of(file, head.end, job.key)
    out.checked += 2 * min(4096, head.end)
    if (ends.head, ends.tail) != (head.state["head"], head.state["tail"]):
        return False
    for start, end, digest in job.deep or ():
        out.checked += end - start
        if jsonl.hash_range(job.key, file, start, end) != digest:
            return False
    return True


def _read_sidecar(job: ReadJob, file: Any, out: ReadOutcome) -> None:
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
    out.segments.append(ReadSegment(0, len(content), 1, 1, False, digest, sealed, None))
    out.ends = jsonl.Ends(len(content), digest, digest)
