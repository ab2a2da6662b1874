"""Redacting again: what better rules find in the texts that the log already has is purged and marked in place.

Line N stays line N, and an entry's quote is found where it now stands. A run replaces a few blobs in each transaction,
so one that is killed is finished by running it again. Then the index is made anew from the log, and the purge is proven
as that of a `forget` is (`ingest/purging.py`). Refuses: changing events; what is in their payloads is counted and said.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.errors import PersonOnly
from axiommind.health.check import Check
from axiommind.home import Home
from axiommind.ids import canonical_json, dedupe_key
from axiommind.ingest.purging import Certificate, Held, finish
from axiommind.log.blobs import Sealed, seal_lines, seal_page, seal_text
from axiommind.text.redaction import MARK, VERSION, Redactor

if TYPE_CHECKING:
    from axiommind.callers import Caller
    from axiommind.log.sqlite import SqliteLog

__all__ = ["Redacted", "Redacting", "check_redaction", "find_in_log", "moved_span"]

ACTOR = "axm-redact"
_AT_ONCE = 50
# Whose texts are pages of lines, and whose are one text; all others are lines of JSON.
_PAGES = {"document_saved", "scratchpad_written"}
_TEXTS = {"transcript_sidecar"}


_QUOTING = """
    select entry_id, session_id, project, aligned, evidence_json
    from entries
    where evidence_json <> '[]'
    order by entry_id
"""


class Redacted(NamedTuple):
    """What is, or would be, redacted: marks by kind, blobs, and the sessions and documents they belong to. `in_events`
    are findings in events, which stay as they are."""

    marks: Mapping[str, int]
    blobs: int
    places: Mapping[str, int]  # marks by session or document
    moved: int = 0  # entries whose quotes stand elsewhere now
    in_events: int = 0
    pending: tuple[Held, ...] = ()
    certificate: Certificate | None = None


class _Better(NamedTuple):
    """A blob and what takes its place."""

    name: str
    before: bytes
    after: bytes
    sealed: Sealed
    marks: Counter[str]
    places: tuple[str, ...]
    positions: tuple[int, ...]


def find_in_log(log: SqliteLog, key: bytes) -> Iterator[_Better]:
    """The blobs in which today's rules find something."""
    redactor = Redactor(key)
    for name, content, users in log.replacements.in_use():
        if not redactor.suspects(content) and not any(kind in _TEXTS for _, kind, _ in users):
            continue
        kinds = {kind for _, kind, _ in users}
        sealed, after = _sealed(redactor, key, content, kinds)
        if sealed.hash == name:
            continue
        marks = Counter(mark.split(b":")[1].decode() for mark in _marks(after))
        marks.subtract(mark.split(b":")[1].decode() for mark in _marks(content))
        places = tuple(sorted({place for _, _, place in users if place}))
        yield _Better(name, content, after, sealed, +marks, places, tuple(position for position, _, _ in users))


def _marks(content: bytes) -> list[bytes]:
    return [mark.encode() for mark in MARK.findall(content.decode("utf-8", "replace"))]


def _sealed(redactor: Redactor, key: bytes, content: bytes, kinds: set[str]) -> tuple[Sealed, bytes]:
    if kinds & _PAGES:
        lines = content.decode("utf-8", "replace").split("\n")
        sealed = seal_page(redactor, key, lines)
    elif kinds & _TEXTS:
        sealed = seal_text(redactor, key, content.decode("utf-8", "replace"))
    else:
        return seal_lines(redactor, key, content.removesuffix(b"\n").split(b"\n"))
    from axiommind.log.blobs import unseal

    return sealed, unseal(sealed.codec, sealed.data)


class Redacting:
    """Redacts a home's log again."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def again(self, *, dry_run: bool = True, caller: Caller | None = None) -> Redacted:
        """Count what today's rules find in the log, and, unless it is a dry run, which only a person can let happen,
        purge it."""
        from axiommind.projections.runner import Segments
        from axiommind.vectors.sweep import drop_passages

        who = caller or self.home.caller
        if not dry_run and not who.is_person:
            raise PersonOnly("only a person can purge what is stored", who.why)
        if dry_run:
            with self.home.read_log() as (log, key):
                return self._summed(find_in_log(log, key), log, key)
        with self.home.open_log() as (log, key), contextlib.ExitStack() as stack:
            index = self.home.open_index(log, [], stack)
            index.catch_up(log, Segments(log))
            marks: Counter[str] = Counter()
            places: Counter[str] = Counter()
            blobs = moved = 0
            positions: set[int] = set()
            batch: list[_Better] = []
            for one in [*find_in_log(log, key), None]:
                if one is not None:
                    batch.append(one)
                if batch and (one is None or len(batch) >= _AT_ONCE):
                    moved += _replace(log, index.db, batch)
                    for done in batch:
                        blobs += 1
                        marks += done.marks
                        places.update({place: sum(done.marks.values()) for place in done.places})
                        positions.update(done.positions)
                    batch = []
            if not blobs:
                if _checked_version(log) >= VERSION:
                    return Redacted(marks, 0, places, 0, _in_events(log, key))
                _note(log, [], Counter())
            index.close()
            index = self.home.open_index(log, [], stack)
            index.catch_up(log, Segments(log))
            drop_passages(self.home.config.home, positions)
            held, certificate = finish(self.home, log, index)
            return Redacted(marks, blobs, places, moved, _in_events(log, key), held, certificate)

    def _summed(self, found: Iterator[_Better], log: SqliteLog, key: bytes) -> Redacted:
        marks: Counter[str] = Counter()
        places: Counter[str] = Counter()
        blobs = 0
        for one in found:
            blobs += 1
            marks += one.marks
            places.update({place: sum(one.marks.values()) for place in one.places})
        return Redacted(marks, blobs, places, in_events=_in_events(log, key))


def _in_events(log: SqliteLog, key: bytes) -> int:
    """Findings in payloads and names, which no command can change: forgetting the session is what takes a path out of
    the index."""
    redactor = Redactor(key)
    found = 0
    for event in log.replay():
        text = canonical_json([event.payload, event.session_id, event.project])
        found += redactor.suspects(text.encode("utf-8", "replace")) and redactor.value(json.loads(text)) != json.loads(
            text
        )
    return found


def check_redaction(log: SqliteLog, key: bytes) -> list[Check]:
    """Whether today's rules would find something in texts that older ones let through. Read by these rules once, a log
    is not read again: what came later was redacted by them."""
    if _checked_version(log) >= VERSION:
        return []
    marks: Counter[str] = Counter()
    for one in find_in_log(log, key):
        marks += one.marks
    if not marks:
        return []
    text = (
        f"better rules would redact {sum(marks.values())} more in texts that are stored; axm redact --again shows them"
    )
    details = tuple(f"{kind} {count}" for kind, count in marks.most_common())
    return [Check("redaction", "warn", text, details, {"marks": dict(marks), "version": VERSION})]


# --- quotes ---------------------------------------------------------------------------------------------------


def _replace(log: SqliteLog, db: sqlite3.Connection, batch: list[_Better]) -> int:
    """One transaction: the event, the blobs, and where the quotes of entries stand now."""
    marks: Counter[str] = Counter()
    for one in batch:
        marks += one.marks
    aligned = list(_aligned(db, batch))
    with log.atomic():
        _note(log, batch, marks)
        for session, project, entries in aligned:
            log.append_dedup(
                "evidence_aligned",
                actor=ACTOR,
                payload={"entries": entries},
                dedupe_key=dedupe_key("evidence_aligned", session, log.last_position(), "redacted again"),
                session_id=session,
                project=project,
            )
    return sum(len(entries) for _, _, entries in aligned)


def _note(log: SqliteLog, batch: list[_Better], marks: Counter[str]) -> None:
    """The event, and what it does to the blobs. One without blobs says that these rules found nothing."""
    replaced = {one.name: one.sealed for one in batch}
    names = {old: new.hash for old, new in replaced.items()}
    event = log.append_dedup(
        "redacted_again",
        actor=ACTOR,
        payload={"version": VERSION, "marks": dict(marks), "blobs": names},
        dedupe_key=dedupe_key("redacted_again", VERSION, *sorted(names), log.last_position()),
    )
    if event is not None and replaced:
        log.replacements.put(event.position, replaced)
        log.purges.note(event.position, list(names), kept=list(names.values()))
        log.replacements.drop(replaced)


def _checked_version(log: SqliteLog) -> int:
    """The newest rules by which the whole log was read."""
    return max((event.payload["version"] for event in log.replay(["redacted_again"])), default=0)


def _aligned(db: sqlite3.Connection, batch: list[_Better]) -> Iterator[tuple[str, str | None, list[dict[str, Any]]]]:
    """By session, the entries that quote a text of these blobs, each with all of its evidence as it is now."""
    from axiommind.learning.alignment import quote_hash
    from axiommind.text.pointers import text_at

    texts = {position: one for one in batch for position in one.positions}
    rows = db.execute(_QUOTING).fetchall()
    first = dict(db.execute("select position, first_line from segments").fetchall())
    changed: dict[tuple[str, str | None], list[dict[str, Any]]] = {}
    for entry, session, project, aligned, given in rows:
        evidence = json.loads(given)
        touched = False
        for quote in evidence:
            one = texts.get(quote.get("position", -1))
            if one is None or "start" not in quote:
                continue
            at = quote["line"] - first.get(quote["position"], 1)
            before = text_at(one.before.split(b"\n")[at], quote["block"])
            after = text_at(one.after.split(b"\n")[at], quote["block"])
            if before is None or after is None or before == after:
                continue
            start, end = moved_span(before, after, quote["start"], quote["end"])
            quote |= {"start": start, "end": end, "quote_hash": quote_hash(after[start:end])}
            touched = True
        if touched:
            changed.setdefault((session, project), []).append(
                {"entry_id": entry, "aligned": bool(aligned), "evidence": evidence}
            )
    for (session, project), entries in changed.items():
        yield session, project, entries


def moved_span(before: str, after: str, start: int, end: int) -> tuple[int, int]:
    """Where a span of a text is after some of it was replaced by marks. A span that began or ended within a secret
    begins or ends with its mark."""
    pieces = _pieces(before, after)
    new_start = new_end = None
    for old, new, size, mark in pieces:
        if new_start is None and start < old + size:
            new_start = new if mark else new + max(0, start - old)
        if end <= old + size:
            new_end = new + mark if mark else new + max(0, end - old)
            break
    new_start = 0 if new_start is None else new_start
    new_end = len(after) if new_end is None else new_end
    return new_start, max(new_end, new_start + 1)


def _pieces(before: str, after: str) -> list[tuple[int, int, int, int]]:
    """Old start, new start, old length, and the length of the mark that took its place, or 0 for what stayed."""
    pieces = []
    old = new = 0
    for mark in MARK.finditer(after):
        kept = after[new : mark.start()]
        if before.startswith(mark[0], old + len(kept)):  # it was there already
            kept = after[new : mark.end()]
            pieces.append((old, new, len(kept), 0))
            old, new = old + len(kept), mark.end()
            continue
        pieces.append((old, new, len(kept), 0))
        old += len(kept)
        following = MARK.search(after, mark.end())
        rest = after[mark.end() : following.start() if following else len(after)]
        found = len(before) - len(rest) if following is None else before.find(rest, old) if rest else old
        found = max(old, found)
        pieces.append((old, mark.start(), found - old, len(mark[0])))
        old, new = found, mark.end()
    pieces.append((old, new, len(before) - old, 0))
    return pieces
