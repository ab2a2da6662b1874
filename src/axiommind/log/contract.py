"""What a log engine must do. SQLite is the first, PostgreSQL will be the second.

No method updates or deletes an event. `forget` appends a tombstone and purges blobs; events stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from axiommind.log.blobs import Sealed
from axiommind.log.identity import LogIdentity
from axiommind.log.origins import Origins
from axiommind.log.purges import Purges
from axiommind.model import Event

__all__ = ["EventLog", "Finding", "Head"]


@dataclass(frozen=True, slots=True)
class Head:
    """How far a stream (one file) has been read: its generation, the byte after the last read line, and a
    snapshot of the file's state (size, mtime, inode, hashes of its ends) that lets the next run not open it."""

    stream: str
    generation: int
    end: int
    size: int
    mtime_ns: int
    inode: int
    state: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that `verify` found wrong."""

    where: str
    what: str


class EventLog(Protocol):
    """The contract. `tests/log/contract.py` runs the same suite over every engine."""

    path: Path
    purges: Purges
    origins: Origins

    def atomic(self) -> AbstractContextManager[object]:
        """Several appends, one commit. Other writers wait."""

    def append_dedup(
        self,
        event_type: str,
        *,
        actor: str,
        payload: dict[str, Any],
        dedupe_key: str,
        session_id: str | None = None,
        project: str | None = None,
        happened_at: int | None = None,
        build_id: str | None = None,
        sensitivity: str = "normal",
        blobs: Sequence[Sealed] = (),
        head: Head | None = None,
        expect_end: int = 0,
    ) -> Event | None:
        """Append, unless the key exists (then None, and nothing is written). A payload that had to be redacted is of
        sensitivity `redacted`. With `head`: only if the stream's
        stored generation and end are (`head.generation`, `expect_end`), or `head` starts the next generation."""

    def fetch_since(
        self,
        after: int | tuple[int, str] = 0,
        event_types: Iterable[str] | None = None,
        limit: int | None = None,
    ) -> list[Event]:
        """Events after a position, or after the event with this (ts, event_id)."""

    def replay(self, event_types: Iterable[str] | None = None, since: int = 0) -> Iterator[Event]:
        """Every event in order of position, in bounded memory."""

    def event_at(self, position: int) -> Event | None:
        """The event at a position."""

    def last_of(self, session_id: str, event_type: str) -> Event | None:
        """The latest event of this type about a session or a document."""

    def events_of(self, session_id: str, event_type: str) -> list[Event]:
        """Every event of this type about a session, a document or a pad, in order."""

    def last_position(self) -> int:
        """The position of the newest event, 0 when there is none."""

    def identity(self) -> LogIdentity:
        """Its name, what it replaces, and the fingerprint of its key."""

    def harden(self) -> None:
        """Have the disk write what was appended: from here on a power cut does not take it back."""

    def blob(self, name: str) -> bytes | None:
        """The content of a blob, or None when it was purged."""

    def raw_blob(self, name: str) -> tuple[str, bytes] | None:
        """Codec and stored bytes of a blob, for whoever unpacks it elsewhere; None when it was purged."""

    def head(self, stream: str) -> Head | None:
        """One stream's head, as it is now."""

    def heads(self) -> dict[str, Head]:
        """Every stream's head."""

    def note(self, heads: Sequence[Head], gone: Sequence[str] = ()) -> None:
        """Remember newer file states of streams that had no new line, and that those in `gone` are called otherwise.
        Not an event: it can be lost."""

    def is_forgotten(self, session_id: str | None, project: str | None) -> bool:
        """Whether a tombstone covers this session or project."""

    def tombstones(self) -> set[tuple[str, str]]:
        """Every tombstone in force, as (kind, key)."""

    def forget(
        self,
        sessions: Sequence[str],
        project: str | None,
        *,
        actor: str,
        reason: str,
        records: Callable[[], Iterable[bytes]] | None = None,
    ) -> Event:
        """Append a tombstone, purge every blob that nothing else refers to, and note the purge until it is proven.
        `records` gives hashes of records that are not to be read again, from whatever file; it is asked inside the
        transaction."""

    def settle(self) -> bool:
        """Leave no purged text behind in files of the engine's own; False when something keeps it from that now."""

    def lift(self, session_id: str | None, project: str | None, *, actor: str) -> Event:
        """Append the end of a tombstone: what is still on disk will be read again."""

    def verify(self) -> list[Finding]:
        """Checksums, order, references, seals of content, tombstones kept."""

    def close(self) -> None:
        """Let go of the connection."""
