"""Context that hooks supplied, into the log: one event `memory_served` per answer.

Hooks write lines into `hooks/served/` of the home and never touch the log: they have no time for it. A line holds ids
and numbers; whatever else stands in it is left out, and a line that is torn or not ours is skipped. Reading a file
again appends nothing, so the marker only saves work and may be lost.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from axiommind.ids import dedupe_key, number_of
from axiommind.log import EventLog
from axiommind.projections import PLACE_BITS
from axiommind.projections.passages import KIND_BITS

__all__ = ["append_served", "drop_served", "has_unread"]

ACTOR = "axm-hook"
_FOLDER = "served"
_MARKER = "ingested"
_KEPT_NS = 60 * 86_400 * 10**9
# A file system may round times; what was written just before the last scan is read again.
_SLACK_NS = 2 * 10**9
_MOST_BYTES = 16 << 20
_MOST_ITEMS = 200
_MOST_NUMBER = 10**9
_END_OF_TIME = 1 << 42  # milliseconds: the year 2109
_SESSION = re.compile(r"[\[\]A-Za-z0-9_.:-]{1,200}")  # brackets: of a redacted one
_ITEM = re.compile(r"[A-Za-z0-9_-]{1,100}")
_WORD = re.compile(r"[A-Za-z][A-Za-z_-]{0,39}")


class _Item(NamedTuple):
    id: str
    kind: str
    score: float | None


class _Answer(NamedTuple):
    """One line: what a hook gave an agent."""

    at: int
    hook: str
    session: str
    project: str | None
    items: tuple[_Item, ...]
    tokens: int
    took_ms: int
    digest: str


def append_served(log: EventLog, db: sqlite3.Connection, hooks: Path, *, again: bool = False) -> int:
    """Append what hooks wrote since the last time (`again`: all of it); returns how many events there are more. `db` is
    the index, brought up to the log: it knows whose the sessions and entries are."""
    started = time.time_ns()
    files = _files(hooks / _FOLDER)
    if not files:
        return 0
    since = 0 if again else _read_marker(hooks / _MARKER, log, started)
    fresh = [path for path, changed in files if changed >= since - _SLACK_NS]
    answers = sorted((a for path in fresh for a in _answers(path)), key=lambda a: (a.at, a.session, a.digest))
    appended = 0
    if answers:
        with log.atomic():
            tombstones = log.tombstones()  # read in here: what was forgotten meanwhile must not come back
            tombstones |= {(kind, _file_name(key)) for kind, key in tombstones if kind == "session"}
            for answer in answers:
                appended += _append(log, db, answer, tombstones)
    if fresh:
        _write_marker(hooks / _MARKER, log, started)
    for path, changed in files:
        if changed < started - _KEPT_NS:
            _unlink(path)
    return appended


def has_unread(hooks: Path) -> bool:
    """Whether hooks may have written something since it was last read; no log is opened for that."""
    newest = max((changed for _path, changed in _files(hooks / _FOLDER)), default=None)
    if newest is None:
        return False
    try:
        return newest >= (hooks / _MARKER).stat().st_mtime_ns - _SLACK_NS
    except OSError:
        return True


def drop_served(hooks: Path, sessions: Iterable[str], project: str | None = None) -> None:
    """Remove what hooks wrote about sessions that are forgotten, or in a project that is; and the patterns that they
    keep, for an older program kept words of prompts there."""
    names = {_file_name(session) for session in sessions}
    for path, _changed in _files(hooks / _FOLDER):
        if path.stem in names or (project is not None and any(a.project == project for a in _answers(path))):
            _unlink(path)
    for path in hooks.glob("patterns.*"):
        _unlink(path)
    for name in names - {""}:
        _unlink(hooks / "ended" / name)
        for path in (hooks / "claimed").glob(f"{name}-*"):
            _unlink(path)


# --- reading -----------------------------------------------------------------------------------------------


def _files(folder: Path) -> list[tuple[Path, int]]:
    """The files of hooks, and when each was last written."""
    found = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                if entry.name.endswith(".jsonl") and entry.is_file(follow_symlinks=False):
                    found.append((Path(entry.path), entry.stat(follow_symlinks=False).st_mtime_ns))
    return sorted(found)


def _file_name(session: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "", session)[:100]


def _answers(path: Path) -> Iterator[_Answer]:
    try:
        with path.open("rb") as file:
            lines = file.read(_MOST_BYTES).split(b"\n")
    except OSError:
        return
    for line in lines:
        answer = _answer(line)
        if answer is not None:
            yield answer


def _answer(line: bytes) -> _Answer | None:
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(given, dict) or not _is_number(given.get("v")) or given["v"] != 1:
        return None
    at: Any = given.get("at")
    hook: Any = given.get("hook")
    session: Any = given.get("session")
    project: Any = given.get("project")
    if not _is_number(at) or not 0 < at < _END_OF_TIME:
        return None
    if not _fits(_WORD, hook) or not _fits(_SESSION, session):
        return None
    listed = given.get("items")
    items: dict[str, _Item] = {}
    for one in listed[:_MOST_ITEMS] if isinstance(listed, list) else []:
        if isinstance(one, dict) and _fits(_ITEM, one.get("id")) and _fits(_WORD, one.get("kind")):
            items.setdefault(one["id"], _Item(one["id"], one["kind"], _score(one.get("score"))))
    if not items:
        return None
    return _Answer(
        int(at),
        hook,
        session,
        project if isinstance(project, str) and _is_path(project) else None,
        tuple(items.values()),
        _count(given.get("tokens")),
        _count(given.get("ms")),
        hashlib.sha256(line).hexdigest(),
    )


def _fits(pattern: re.Pattern[str], value: Any) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _is_number(value: Any) -> bool:
    """A bool is none; an int may have any length, and `math` makes floats of what it is asked about."""
    return type(value) is int or (type(value) is float and math.isfinite(value))


def _is_path(text: str) -> bool:
    try:
        return 0 < len(text.encode()) <= 4096 and text.isprintable()
    except UnicodeEncodeError:
        return False


def _count(value: Any) -> int:
    return min(max(int(value), 0), _MOST_NUMBER) if _is_number(value) else 0


def _score(value: Any) -> float | None:
    return round(float(value), 4) if _is_number(value) and 0 <= value <= 1 else None


# --- appending ---------------------------------------------------------------------------------------------


def _append(log: EventLog, db: sqlite3.Connection, answer: _Answer, tombstones: set[tuple[str, str]]) -> bool:
    row = db.execute("select project from sessions where id = ?", (answer.session,)).fetchone()
    project = row[0] if row is not None else answer.project
    if tombstones & {("session", answer.session), ("project", project), ("project", answer.project)}:
        return False
    items = []
    for item in answer.items:
        owner = _owner(log, db, item.id)
        if ("session", owner) not in tombstones:
            items.append({"id": item.id, "kind": item.kind, "score": item.score, "owner": owner})
    if not items:
        return False
    event = log.append_dedup(
        "memory_served",
        actor=ACTOR,
        payload={"hook": answer.hook, "items": items, "tokens": answer.tokens, "ms": answer.took_ms},
        dedupe_key=dedupe_key("memory_served", answer.session, answer.at, answer.hook, answer.digest),
        session_id=answer.session,
        project=project,
        happened_at=answer.at,
    )
    return event is not None


def _owner(log: EventLog, db: sqlite3.Connection, item: str) -> str | None:
    """The session or document that an item is of: forgetting that takes the item along. It is in the event, because a
    replay cannot look it up any more."""
    if item.startswith("dec_"):
        return item  # what was decided by hand is of nobody else
    number = number_of(item)
    if number is None:
        row = db.execute("select session_id from entries where entry_id = ?", (item,)).fetchone()
        return None if row is None else str(row[0])
    event = log.event_at(number >> (PLACE_BITS + KIND_BITS))
    return None if event is None else event.session_id


# --- how far it was read -----------------------------------------------------------------------------------


def _read_marker(path: Path, log: EventLog, now: int) -> int:
    """When the last scan began; 0 when that is not known, or was into another log, or by another clock."""
    try:
        position, _, name = path.read_text(encoding="ascii").strip().partition(" ")
        changed = path.stat().st_mtime_ns
        event = log.event_at(int(position))
    except (OSError, ValueError, OverflowError):
        return 0
    known = event is not None and event.event_id == name
    return changed if known and changed <= now else 0


def _write_marker(path: Path, log: EventLog, started: int) -> None:
    event = log.event_at(log.last_position())
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    with contextlib.suppress(OSError):  # a marker that cannot be written costs a second reading
        beside.write_text("" if event is None else f"{event.position} {event.event_id}", encoding="ascii")
        os.utime(beside, ns=(started, started))
        beside.replace(path)


def _unlink(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
