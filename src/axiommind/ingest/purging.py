"""Finishing what a purge began, and proving it: nothing of a purged text is in any file of the home.

A purge is noted in the log by the transaction that makes it (`log/purges.py`). Whoever indexes, forgets or verifies
next does what is left to do: fold it, drop what was derived from it, write both databases anew, empty their write-ahead
logs, and look through every other file. While something is in the way the purge is *pending*, and who holds what is
said. When nothing is, an event says what was proven, and what there was to look for is deleted.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind import db as sqlite
from axiommind.errors import StoreError
from axiommind.holders import readers_of
from axiommind.home import SAMPLE_FOLDER, Home, now

if TYPE_CHECKING:
    from axiommind.log.purges import Purge
    from axiommind.log.sqlite import SqliteLog
    from axiommind.model import Event
    from axiommind.projections.runner import Index

__all__ = ["Certificate", "Held", "PurgeResult", "certificates", "drop_prepared", "finish", "finish_if_open"]

ACTOR = "axm-purge"
# Models have hundreds of megabytes and no text of anybody's; the sample's transcripts stand for the agent's own files.
_NOT_OURS = ("models", SAMPLE_FOLDER)


class Held(NamedTuple):
    """A place that still holds, or may hold, some of a purged text: why, and what to do about it."""

    place: str
    why: str
    then: str
    found: int = 0  # runs of words or blobs that were found there; others may say some of them too


class Certificate(NamedTuple):
    """What was proven of some purges, when, and where it was looked."""

    events: tuple[int, ...]  # the positions of the events that purged
    at: int  # epoch milliseconds
    position: int  # of the event that says so
    blobs: int  # texts that were purged
    bytes: int  # and how long they were
    looked_for: int  # runs of words and stored blobs that were looked for
    rewritten: tuple[str, ...]  # databases that were written anew, and their write-ahead logs emptied
    files: int  # other files that were read whole
    searched: int  # their bytes
    not_searched: tuple[str, ...]


class PurgeResult(NamedTuple):
    """What is left to do, or what was proven; neither where there was nothing to prove."""

    held: tuple[Held, ...] = ()
    certificate: Certificate | None = None


def finish_if_open(home: Home) -> PurgeResult:
    """The same as `finish` for whoever has nothing open; opens nothing for writing where nothing is pending."""
    if not home.config.log_path.exists():
        return PurgeResult()
    with home.read_log() as (log, _key):
        if not log.purges.pending():
            return PurgeResult()
    try:
        with home.open_log() as (log, _key), contextlib.ExitStack() as stack:
            return finish(home, log, home.open_index(log, [], stack))
    except StoreError as error:  # a home that cannot be written now
        return PurgeResult((Held("log.db", error.message, error.hint or "run: axm verify"),))


def finish(home: Home, log: SqliteLog, index: Index) -> PurgeResult:
    """Do what is left to do for purges that are not proven, and prove them if nothing is in the way."""
    purges = log.purges.pending()
    if not purges:
        return PurgeResult()
    _clear(home, log, index, purges)
    held = [*_purge_vectors(home, index), *_clear_copies(home, log), *_rewrite(home, index, purges)]
    if index.position() < purges[-1].position:  # a rebuild that began before it has put its own index in place
        held.append(Held("index.db", "an older index was put in its place meanwhile", "run: axm index"))
    files, size, found = _look_through(home, log, purges)
    held += found
    if held:
        return PurgeResult(tuple(held))
    payload: dict[str, Any] = {
        "blobs": sum(one.blobs for one in purges),
        "bytes": sum(one.bytes for one in purges),
        "looked_for": sum(len(one.needles) for one in purges),
        "rewritten": ["log.db", "index.db"],
        "files": files,
        "searched": size,
        "not_searched": [name for name in _NOT_OURS if (home.config.home / name).exists()],
        "at": now(),
    }
    event = log.prove([one.position for one in purges], payload, actor=ACTOR)
    _fold(log, index)
    log.settle()  # the write-ahead log had what there was to look for
    return PurgeResult((), None if event is None else _certificate(event))


def certificates(log: SqliteLog) -> list[Certificate]:
    """What was proven so far."""
    return [_certificate(event) for event in log.replay(["purge_proven"])]


def _certificate(event: Event) -> Certificate:
    said = event.payload
    lists = {name: tuple(said[name]) for name in ("events", "rewritten", "not_searched")}
    numbers = {name: int(said[name]) for name in ("at", "blobs", "bytes", "looked_for", "files", "searched")}
    return Certificate(position=event.position, **lists, **numbers)  # type: ignore[arg-type]


# --- what is derived from it ---------------------------------------------------------------------------------


def _clear(home: Home, log: SqliteLog, index: Index, purges: Sequence[Purge]) -> None:
    """Fold the purges, and drop what hooks prepared or wrote about them."""
    from axiommind.ingest.served import drop_served

    drop_prepared(home)
    for purge in purges:
        event = log.event_at(purge.position)
        if event is not None and event.event_type == "forgotten":
            drop_served(home.config.home / "hooks", event.payload["sessions"], event.payload["project"])
    _fold(log, index)
    _void(log, index.db)
    _fold(log, index)
    drop_prepared(home)  # again, now that nobody can prepare it from the index any more


def _fold(log: SqliteLog, index: Index) -> None:
    from axiommind.projections.runner import Segments

    index.catch_up(log, Segments(log))


def drop_prepared(home: Home) -> None:
    """Remove what was prepared for the next starts of projects, and the packets that agents were started with: they
    quote sessions. The folders stay: others may be writing into them, and then they cannot be removed."""
    for folder in (home.config.starts_path, home.config.packets_path):
        for prepared in folder.glob("*"):
            prepared.unlink(missing_ok=True)


def _void(log: SqliteLog, db: sqlite3.Connection) -> None:
    """Sessions that spoke of a task which went with another one are to be learned again, for their part of it."""
    from axiommind.ids import dedupe_key

    lost: dict[tuple[str, str], list[str]] = {}
    rows = db.execute(
        """
        select distinct session_id, project, entity_id from task_events
        where session_id is not null and entity_id not in (select entity_id from entities)
        order by 1, 2, 3
        """
    )
    for session, project, entity in rows:
        lost.setdefault((session, project), []).append(entity)
    for (session, project), entities in lost.items():
        log.append_dedup(
            "learning_voided",
            actor="memory",
            payload={"session": session, "entities": entities},
            dedupe_key=dedupe_key("learning_voided", session, log.last_position()),
            session_id=session,
            project=project,
        )


def _purge_vectors(home: Home, index: Index) -> list[Held]:
    from axiommind.vectors.sweep import purge

    left = purge(index.db, home.config.home)
    held = [
        Held("vectors", why.message, f"{why.hint}; then axm embed" if why.hint else "run: axm embed") for why in left
    ]
    for path in sorted((home.config.home / "vectors").glob("*.db")):
        with contextlib.suppress(sqlite3.DatabaseError):  # damaged: whoever writes it next moves it aside
            held += [one._replace(place=f"vectors/{one.place}") for one in _compact(path, ())]
    return held


# --- files of ours ---------------------------------------------------------------------------------------------


def _clear_copies(home: Home, log: SqliteLog) -> list[Held]:
    """Copies of the index that may hold the text: damaged ones, and half-built ones of runs that are over; and the
    backups that were made by themselves, and what was kept aside."""
    from axiommind.backups.copies import purge_copies, purge_kept_indexes
    from axiommind.log import home_key
    from axiommind.projections.runner import remove_leftovers

    for copy in home.config.home.glob("index.db.corrupt-*"):
        copy.unlink(missing_ok=True)
    running = remove_leftovers(home.config.index_path)
    held = [Held(path.name, "an index is being rebuilt", "it goes when that is done") for path in running]
    top = home.config.home
    left = [*purge_copies(top, home_key(top), log.path), *purge_kept_indexes(top, log)]
    why = "it is damaged, or of another version, and cannot be purged"
    return held + [Held(str(path.relative_to(top)), why, "remove it; then axm verify") for path in left]


def _rewrite(home: Home, index: Index, purges: Sequence[Purge]) -> list[Held]:
    """Both databases without anything that is not in use."""
    index.scrub()
    return [*_compact(home.config.index_path, purges), *_compact(home.config.log_path, purges)]


def _compact(path: Path, purges: Sequence[Purge]) -> list[Held]:
    try:
        return [] if sqlite.compact(path) else [_held_by_readers(path, purges)]
    except StoreError as error:
        return [Held(path.name, error.message, error.hint)]


def _held_by_readers(path: Path, purges: Sequence[Purge]) -> Held:
    found = 0
    for one in (path, path.with_name(f"{path.name}-wal")):
        with contextlib.suppress(OSError):
            found += len(_search(one, purges)[0])
    readers = [one for one in readers_of(path) if one.pid != os.getpid()]
    who = ", ".join(map(str, readers)) if readers else "another program"
    then = "it goes by itself with the next axm index after that has ended; or end it, and run: axm verify"
    return Held(path.name, f"{who} is reading it", then, found)


def _look_through(home: Home, log: SqliteLog, purges: Sequence[Purge]) -> tuple[int, int, list[Held]]:
    """How many files were read, how many bytes, and in which of them something was found that nothing else says."""
    files = size = 0
    hits: dict[Path, list[bytes]] = {}
    for path in _loose(home, log):
        try:
            found, read = _search(path, purges)
        except OSError:  # gone meanwhile, or not ours to read
            continue
        files += 1
        size += read
        if found:
            hits[path] = found
    if not hits:
        return files, size, []
    said = _still_said(log, purges)
    held = [
        Held(str(path.relative_to(home.config.home)), "it holds some of the text", "remove it; then axm verify", left)
        for path, found in hits.items()
        if (left := sum(one not in said for one in found))
    ]
    return files, size, held


def _loose(home: Home, log: SqliteLog) -> Iterator[Path]:
    """Every file of the home but the two databases, which are written anew, what never holds text, and transcripts and
    documents that lie here: they are the user's own, as anywhere else."""
    top = home.config.home
    own = {home.config.index_path.name, home.config.log_path.name}
    read = {os.path.realpath(head.state.get("path", head.stream)) for head in log.heads().values()}
    for folder, folders, names in os.walk(top):
        if Path(folder) == top:
            folders[:] = [name for name in folders if name not in _NOT_OURS]
        for path in (Path(folder) / name for name in sorted(names)):
            # What is in a write-ahead log by now was written after it was emptied.
            base = path.name.removesuffix("-wal").removesuffix("-shm")
            if (Path(folder) != top or base not in own) and path.is_file() and os.path.realpath(path) not in read:
                yield path


def _search(path: Path, purges: Sequence[Purge]) -> tuple[list[bytes], int]:
    found: list[bytes] = []
    size = path.stat().st_size
    for purge in purges:
        if purge.needles:
            with path.open("rb") as file:
                hits, size = purge.needles.found_in_file(file)
            found += hits
    return found, size


def _still_said(log: SqliteLog, purges: Sequence[Purge]) -> set[bytes]:
    """What of it the log still says in texts that nobody forgot, or in events, which stay."""
    from axiommind.ids import canonical_json

    kept = chain(log.purges.texts(), (canonical_json(event.payload).encode() for event in log.replay()))
    return {hit for text in kept for purge in purges for hit in purge.needles.found_in(text)}
