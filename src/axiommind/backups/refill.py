"""Text that an automatic backup left out is read again from its file. What is not word for word what it was does not
go into the log: its session is read from the start by the next index instead."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from axiommind.backups.selection import BULK
from axiommind.log import Sealed, seal_lines, seal_page, seal_text
from axiommind.log.restored import put_back
from axiommind.log.sqlite import SqliteLog
from axiommind.model import Event
from axiommind.sources import jsonl, markdown
from axiommind.sources import load as load_source
from axiommind.text.redaction import Redactor

__all__ = ["refill"]

_TOGETHER = 200


def refill(log: SqliteLog, key: bytes, left_out: frozenset[str]) -> set[str]:
    """Read again what was left out; returns the sessions and documents of which some could not be."""
    redactor = Redactor(key)
    wanted = set(left_out)
    found: list[Sealed] = []
    for event in log.replay(BULK):
        name = event.payload["blob"]
        if name not in wanted:
            continue
        sealed = _read_again(log, event, redactor, key)
        if sealed is None:
            continue
        wanted.discard(name)
        found.append(sealed)
        if len(found) >= _TOGETHER:
            put_back(log, found)
            found = []
    put_back(log, found)
    # A text may be in two files: it is lost only if neither has it.
    return {event.session_id for event in log.replay(BULK) if event.payload["blob"] in wanted and event.session_id}


def _read_again(log: SqliteLog, event: Event, redactor: Redactor, key: bytes) -> Sealed | None:
    given = event.payload
    try:
        if event.event_type == "document_saved":
            head = log.head(given["stream"])
            content = b"" if head is None else Path(head.state["path"]).read_bytes()
            text = markdown.text_of(content)
            tried = [seal_page(redactor, key, markdown.lines_of("\0" if "\0" in text else text))]
        elif given["kind"] == "transcript":
            tried = _transcript(given["source"], given["stream"], given["start"], given["end"], redactor, key)
        else:
            content = Path(given["stream"]).read_bytes()
            tried = [seal_text(redactor, key, content.decode("utf-8", "replace"))]
    except OSError:
        return None
    return next((sealed for sealed in tried if sealed.hash == given["blob"]), None)


def _transcript(source: str, path: str, start: int, end: int, redactor: Redactor, key: bytes) -> list[Sealed]:
    room = load_source(source)
    with room.open_stream(path) as file:
        file.seek(start)
        data = file.read(end - start)
    tried = []
    # The line before may have had no end yet: then what is here begins with that end.
    for open_end in (False, True) if data[:1] in (b"\n", b"\r") else (False,):
        read = jsonl.chunks(BytesIO(data), 0, key, open_end=open_end, segment=len(data) + 1)
        lines = [room.prune(line) for chunk in read for line in chunk.lines]
        tried.append(seal_lines(redactor, key, lines)[0])
    return tried
