"""Records that were forgotten, wherever a copy of them turns up: in a renamed file, another root, a fork, a piece.

A record is known by a keyed hash of its own id, which is random, so that nothing of its text is kept. A line that has
no id goes if it speaks of a forgotten record or session (a summary, a title), and else with its neighbours (half a
record): if the record before it or after it is forgotten, it is too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from axiommind.sources import Source
from axiommind.sources import load as load_source

if TYPE_CHECKING:
    import sqlite3

    from axiommind.log import EventLog

__all__ = ["document_hash", "hashes_to_forget", "record_hash", "without_forgotten"]

_HASH_BYTES = 12
# A shorter document may well be written again by chance.
_DOCUMENT_BYTES = 200


def record_hash(key: bytes, name: str) -> bytes:
    """What is kept of a record's id."""
    return hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=_HASH_BYTES, key=key[:64]).digest()


def document_hash(key: bytes, digest: str, size: int) -> bytes | None:
    """What is kept of a document: of the keyed hash of all its bytes. None for a short one."""
    return record_hash(key, f"document:{digest}") if size >= _DOCUMENT_BYTES else None


def without_forgotten(
    source: Source, key: bytes, log: Path, lines: Sequence[bytes], was_forgotten: bool | None
) -> tuple[list[bytes], bool | None]:
    """The lines with those of forgotten records empty, so that line N stays line N. `was_forgotten` says whether the
    line before them was, None where there is none; the same is returned for the line after."""
    from axiommind.db import open_read
    from axiommind.log.purges import Purges

    own = [source.record_id(line) for line in lines]
    names = [(one,) if one else source.belongs_to(line) for line, one in zip(lines, own, strict=True)]
    hashes = [{record_hash(key, one) for one in some} for some in names]
    with closing(open_read(log)) as db:
        gone = Purges(db).are_kept_out(sorted(set[bytes]().union(*hashes)))
    known = [bool(some & gone) or (False if one else None) for one, some in zip(own, hashes, strict=True)]
    after = list(accumulate(reversed(known), _latest))[::-1]
    kept = []
    for line, said, next_one in zip(lines, known, after, strict=True):
        was_forgotten = _latest(was_forgotten, said)
        kept.append(b"" if was_forgotten or next_one else line)
    return kept, was_forgotten


def _latest(before: bool | None, known: bool | None) -> bool | None:
    return before if known is None else known


def hashes_to_forget(log: EventLog, index: sqlite3.Connection, key: bytes, wanted: Sequence[str]) -> Iterator[bytes]:
    """Of every record of these sessions and documents, unless one that is kept holds it too: a fork that was there
    before stays as it is."""
    going = set(wanted)
    for name in wanted:
        yield record_hash(key, f"session:{name}")
        for event in log.events_of(name, "transcript_segment"):
            content = log.blob(event.payload["blob"])
            if content is not None:
                names = _names(load_source(event.payload["source"]), content.split(b"\n"))
                yield from (record_hash(key, one) for one in names if not _is_kept(index, one, going))
        for event in log.events_of(name, "document_saved"):
            digest = event.payload["raw_hash"]
            hashed = document_hash(key, digest, event.payload["end"])
            if hashed is not None and not _is_kept_document(log, digest, going):
                yield hashed


def _names(source: Source, lines: Iterable[bytes]) -> Iterator[str]:
    return (name for line in lines if line and (name := source.record_id(line)) is not None)


def _is_kept(index: sqlite3.Connection, name: str, going: set[str]) -> bool:
    return any(row[0] not in going for row in index.execute("select session_id from records where uuid = ?", (name,)))


def _is_kept_document(log: EventLog, digest: str, going: set[str]) -> bool:
    heads = (head for head in log.heads().values() if head.state["kind"] == "document")
    return any(
        head.state["hash"] == digest and head.stream not in going and not head.state["missing"] for head in heads
    )
