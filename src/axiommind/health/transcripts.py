"""Transcripts and documents: what is on disk, what of it is in the log, and what will leave soon."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from axiommind import db as sqlite
from axiommind.config import Config
from axiommind.health.check import Check, size_text
from axiommind.ids import document_id
from axiommind.log.sqlite import SqliteLog
from axiommind.model import Problem
from axiommind.projections.documents import folders
from axiommind.projects import project_around
from axiommind.sources import Discovery, markdown
from axiommind.sources import load as load_source

__all__ = ["Found", "check_behind", "check_folders", "check_leaving", "check_log", "check_roots", "with_sessions"]

_DAY_MS = 86_400_000
_SOON_DAYS = 5
_NAMED_PLACES = 3  # of an agent, where nothing is

Found = Sequence[tuple[str, Discovery]]


def with_sessions(found: Found) -> Found:
    """What was found, with the sessions that are rows of databases, and what cannot be read there."""
    return [(source, _with_sessions(source, discovery)) for source, discovery in found]


def _with_sessions(source: str, discovery: Discovery) -> Discovery:
    files, problems = [], list(discovery.problems)
    for file in discovery.files:
        if file.kind != "container":
            files.append(file)
            continue
        try:
            inside = load_source(source).expand(file)
        except OSError as error:
            problems.append(Problem(file.path, 0, f"cannot be read: {error.strerror or error}"))
            files.append(file)
        else:
            files += inside.files
            problems += inside.problems
    return Discovery(discovery.roots, tuple(files), tuple(problems))


def check_roots(found: Found) -> list[Check]:
    """Where each source looked, and what it found there; agents of which nothing is there, in one line."""
    checks, absent = [], []
    is_anything = any(Path(root).exists() for _, discovery in found for root in discovery.roots)
    for source, discovery in found:
        seen = any(Path(root).exists() for root in discovery.roots) or bool(discovery.files)
        if is_anything and not discovery.problems and not seen:
            absent.append(load_source(source).TITLE)
            continue
        missing = [root for root in discovery.roots if not Path(root).exists()] if seen else []
        if len(missing) > _NAMED_PLACES:
            text = f"not there: {missing[0]} and {len(missing) - 1} more places"
            checks.append(Check(source, "note", text, data={"source": source, "not_there": missing}))
        else:
            missing = []
        # Some lie where no root is: in the repositories that they are of.
        places = dict.fromkeys((*discovery.roots, *sorted({file.root for file in discovery.files})))
        for root in (place for place in places if place not in missing):
            inside = [f for f in discovery.files if f.root == root and f.kind == "transcript"]
            size = sum(f.size for f in inside)
            if inside:
                folders = len({f.folder for f in inside})
                text = f"{_counted(len(inside), 'transcript')} in {_counted(folders, 'folder')}, {size_text(size)}"
            else:
                text = "no transcripts" if Path(root).is_dir() else "not there"
            data = {"source": source, "root": root, "transcripts": len(inside), "bytes": size}
            checks.append(Check(f"{source} {root}", "ok" if inside else "note", text, data=data))
        for problem in discovery.problems:
            checks.append(Check(f"{source} {problem.path}", "warn", problem.why))
    if absent:
        text = f"{', '.join(absent)}; axm sources --all shows where they are looked for"
        checks.append(Check("not found", "note", text, data={"absent": absent}))
    return checks


def check_log(log: SqliteLog) -> list[Check]:
    """How much the log holds, and what was forgotten."""
    sizes = log.sizes()
    marks = sorted(log.tombstones())
    forgotten = len(marks)
    text, stored = size_text(sizes["blob_bytes"]), size_text(sizes["blob_bytes_stored"])
    text = f"{sizes['events']} events, {text} of text kept in {stored}"
    details: tuple[str, ...] = ()
    if forgotten:
        text += f", tombstones: {forgotten}"
        details = tuple(f"forgotten {_kind(kind, name)} {name}" for kind, name in marks[:20])
    open_purges = len(log.purges.pending())
    if open_purges:
        text += f"; forgetting is pending ({open_purges}): axm verify finishes it, or says what is in its way"
    figures = {**sizes, "tombstones": forgotten, "pending_purges": open_purges}
    return [Check("log.db", "warn" if open_purges else "ok", text, details, figures)]


def _kind(kind: str, name: str) -> str:
    return "document" if kind == "session" and name.startswith("doc-") else kind


def check_behind(config: Config, log: SqliteLog, found: Found) -> list[Check]:
    """What is on disk and not in the log, and what is in the log and not in the index."""
    heads = log.heads()
    marks = log.tombstones()
    files = bytes_ = 0
    for _source, discovery in found:
        for file in discovery.files:
            head = heads.get(file.path)
            if marks & {("session", file.session_id), ("session", file.parent_session)}:
                continue
            if head is not None and ("project", head.state["project"]) in marks:
                continue
            if head is None or (head.size, head.mtime_ns, head.inode) != (file.size, file.mtime_ns, file.inode):
                files += 1
                bytes_ += max(file.size - (head.end if head else 0), 0)
    position = 0
    if config.index_path.exists():
        try:
            with closing(sqlite.open_read(config.index_path)) as db:
                (position,) = db.execute("select coalesce(min(position), 0) from projection_offsets").fetchone()
        except sqlite3.DatabaseError as error:
            return [Check("index.db", "bad", f"cannot be read: {error}", ("run: axm rebuild",))]
    events = log.last_position() - position
    data = {"files": files, "bytes": bytes_, "events": events}
    if not files and not events:
        return [Check("up to date", "ok", "every transcript on disk is indexed", data=data)]
    text = f"{files} files with about {size_text(bytes_)} to read, {events} events to fold; run: axm index"
    return [Check("behind", "warn", text, data=data)]


def check_leaving(found: Found, log: SqliteLog) -> list[Check]:
    """Transcripts that their agent will delete soon, and that this does no harm."""
    checks = []
    heads = log.heads()
    now = time.time() * 1000
    for source, discovery in found:
        agent = load_source(source).TITLE
        for root in discovery.roots:
            days = load_source(source).deletes_after(Path(root))
            if days is None:
                continue
            limit = now - (days - _SOON_DAYS) * _DAY_MS
            going = [
                f for f in discovery.files if f.kind == "transcript" and f.root == root and f.mtime_ns / 1e6 < limit
            ]
            if not going:
                continue
            safe = [f for f in going if (h := heads.get(f.path)) is not None and h.end and h.size == f.size]
            text = f"{len(going)} transcripts are past or near the {days} days after which {agent} deletes them"
            data = {"source": source, "going": len(going), "safe": len(safe), "days": days}
            if len(safe) == len(going):
                text += "; all of them are safe in the log"
                checks.append(Check("leaving", "note", text, tuple(f.path for f in going[:5]), data))
            else:
                text += f"; {len(going) - len(safe)} are not yet in the log: run axm index"
                unsafe = tuple(f.path for f in going if f not in safe)[:5]
                checks.append(Check("leaving", "warn", text, unsafe, data))
    missing = [h for h in heads.values() if h.state["kind"] == "transcript" and h.state.get("missing")]
    if missing:
        text = f"{len(missing)} transcripts are gone from disk and kept in the log"
        checks.append(Check("kept", "ok", text, data={"missing": len(missing)}))
    return checks


def check_folders(config: Config, log: SqliteLog, user: Path) -> list[Check]:
    """The folders of documents that the user added: what is in them, what is still to be read, what cannot be."""
    try:
        with closing(sqlite.open_read(config.index_path)) as db:
            known = folders(db)
    except (FileNotFoundError, sqlite3.DatabaseError):
        return []  # said elsewhere
    checks = []
    heads, marks = log.heads(), log.tombstones()
    for folder in known:
        files, problems, skipped = markdown.discover(folder.root, folder.include, folder.exclude)
        project = project_around(folder.root, stop=os.path.realpath(user))
        waiting = 0
        for file in files:
            doc = document_id(file.path)
            head = heads.get(doc)
            state = None if head is None or head.state["missing"] else (head.size, head.mtime_ns, head.inode)
            if not marks & {("session", doc), ("project", project)}:
                waiting += state != (file.size, file.mtime_ns, file.inode)
        text = f"documents: {folder.documents}, chunks: {folder.chunks}, {size_text(folder.bytes)}"
        if waiting:
            text += f"; files to read: {waiting}; run: axm index"
        data = {**folder._asdict(), "files": len(files), "waiting": waiting, "problems": len(problems)}
        details = tuple(f"{p.where}  {p.why}" for p in (*problems, *skipped)[:20])
        checks.append(Check(f"folder {folder.root}", "warn" if waiting or problems else "ok", text, details, data))
    return checks


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
