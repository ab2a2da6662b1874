"""Whether a log is whole: events match their checksums, blobs their names, heads the segments, and what was forgotten
has no text.

Over a connection that holds one view of the log.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path

from axiommind.errors import LogCorrupt
from axiommind.ids import checksum, content_hash
from axiommind.log.blobs import unseal
from axiommind.log.contract import Finding, Head
from axiommind.model import Event

__all__ = ["check_blobs", "check_database", "check_events", "check_heads", "check_purged", "damaged"]


def damaged(path: Path, error: Exception) -> LogCorrupt:
    """What to tell when `log.db` cannot be read. Nothing is overwritten and nothing destructive is suggested."""
    return LogCorrupt(
        f"{path} is damaged ({error}); it was left exactly as it is",
        hint="axm restore FILE brings a backup back (axm backup list shows them); or copy it and try: sqlite3 COPY "
        ".recover; a new home (AXM_HOME=…) reads again what is still on disk",
    )


def check_database(db: sqlite3.Connection) -> list[Finding]:
    """What SQLite itself finds."""
    return [Finding("log.db", line) for (line,) in db.execute("pragma integrity_check(20)") if line != "ok"]


def check_events(db: sqlite3.Connection, events: Iterable[Event]) -> list[Finding]:
    """Checksums, the order of times, and that every event has its dedupe key."""
    found = []
    last_ts = 0
    for event in events:
        where = f"event {event.position}"
        if checksum(event.payload) != event.checksum:
            found.append(Finding(where, "its payload does not match its checksum"))
        if event.ts < last_ts:
            found.append(Finding(where, "its ts is before the one of the event before it"))
        last_ts = event.ts
    for (position,) in db.execute(
        "select position from events where event_id not in (select event_id from event_dedup)"
    ):
        found.append(Finding(f"event {position}", "it has no dedupe key"))
    return found


def check_blobs(db: sqlite3.Connection, left_out: frozenset[str] = frozenset()) -> list[Finding]:
    """That every blob is what its name says, and is there if and only if something refers to it, except those that a
    backup left out."""
    found = []
    for name, codec, size, data in db.execute("select hash, codec, size, data from blobs"):
        try:
            content = unseal(codec, data)
        except Exception as error:  # noqa: BLE001 - whatever a decompressor raises on damaged bytes
            found.append(Finding(f"blob {name}", f"cannot be unpacked: {error}"))
            continue
        if content_hash(content) != name or len(content) != size:
            found.append(Finding(f"blob {name}", "its content does not match its name"))
    missing = db.execute("select position, hash from blob_refs where hash not in (select hash from blobs)")
    found += [Finding(f"event {p}", f"its blob {h} is missing") for p, h in missing if h not in left_out]
    orphans = db.execute("select hash from blobs where hash not in (select hash from blob_refs)")
    found += [Finding(f"blob {h}", "nothing refers to it") for (h,) in orphans]
    return found


def check_purged(db: sqlite3.Connection, forgotten: Iterable[Event], *, others: bool = False) -> list[Finding]:
    """An event without its text is right only if a later event forgot it, and one that is forgotten has none. With
    events of `others`: theirs may have come without."""
    without = db.execute(
        f"""
        select position, session_id, project from events
        where json_extract(payload_json, '$.blob') is not null
          and position not in (select position from blob_refs)
          {"and origin = 0" if others else ""}
        """
    ).fetchall()
    marks = [(event.position, event.payload) for event in forgotten] if without else []
    found = [
        Finding(f"event {position}", "its text is gone, but nothing was forgotten")
        for position, session, project in without
        if not any(
            position < at and (session in what["sessions"] or (project and project == what["project"]))
            for at, what in marks
        )
    ]
    kept = db.execute(
        """
        select distinct r.position from blob_refs r join events e using (position) join tombstones t
          on (t.kind = 'session' and t.key = e.session_id) or (t.kind = 'project' and t.key = e.project)
        """
    )
    return found + [Finding(f"event {p}", "it was forgotten, but its text is still here") for (p,) in kept]


def check_heads(events: Iterable[Event], heads: Mapping[str, Head]) -> list[Finding]:
    """Segments of one generation follow each other without gap or overlap, and the head is where they end."""
    found = []
    ends: dict[str, tuple[int, int]] = {}
    for event in events:
        payload = event.payload
        if "stream" not in payload:
            continue
        stream, generation = payload["stream"], payload["generation"]
        known = ends.get(stream)
        expected = known[1] if known and known[0] == generation else 0
        if payload["start"] != expected:
            found.append(Finding(f"event {event.position}", f"starts at {payload['start']}, not {expected}"))
        ends[stream] = (generation, payload["end"])
    stored = {stream: (head.generation, head.end) for stream, head in heads.items()}
    for stream in sorted(stored.keys() | ends.keys()):
        head, end = stored.get(stream, (0, 0)), ends.get(stream, (0, 0))
        if head != end:
            found.append(Finding(stream, f"head is {head}, its segments end at {end}"))
    return found
