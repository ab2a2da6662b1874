"""The state of a home: the overview of `start`, the checks of `doctor`, the proofs of `verify`.

Only reads; repairs nothing.
"""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from axiommind import __version__
from axiommind import db as sqlite
from axiommind.config import Config
from axiommind.distribution import extra_command
from axiommind.errors import AxmError, StoreError, VectorsCorrupt
from axiommind.ids import document_id
from axiommind.log import Head, home_key
from axiommind.log.sqlite import SqliteLog
from axiommind.model import Problem
from axiommind.projections import PLACE_BITS, load_all
from axiommind.projections.documents import folders
from axiommind.projections.passages import KIND_BITS
from axiommind.projections.runner import compare
from axiommind.projects import project_around
from axiommind.sources import discover_all, jsonl, markdown
from axiommind.vectors import embedders, lock, sweep, versions
from axiommind.vectors.contract import PASSAGES, SESSIONS
from axiommind.vectors.items import words_of
from axiommind.vectors.outbox import coverage

__all__ = ["Check", "Overview", "doctor", "overview", "verify"]

_DAY_MS = 86_400_000
_RETENTION_DAYS = 30
_SOON_DAYS = 5
# What a forgotten session leaves nothing in.
_LEARNED = ("entries", "task_events", "build_runs", "pipeline_metrics", "learned", "checks", "entry_uses")


@dataclass(frozen=True, slots=True)
class Overview:
    sessions: int
    subagents: int
    projects: list[tuple[str, int]]
    prompts: int
    tool_uses: int
    edits: int
    first: int | None
    last: int | None
    output_tokens: int
    tools: list[tuple[str, int]]
    files: list[tuple[str, int]]
    recent: list[tuple[str, str, int]]


def overview(db: sqlite3.Connection) -> Overview:
    """The figures of a scope, over a connection that is scoped already."""

    def rows(sql: str) -> list[tuple[Any, ...]]:
        return db.execute(sql).fetchall()

    ((sessions, subagents, first, last),) = rows(
        """
        select count(*) filter (where parent_session is null), count(*) filter (where parent_session is not null),
               min(coalesce(first_ts, started_at)), max(coalesce(last_ts, ended_at))
        from sessions
        """
    )
    ((tokens,),) = rows("select coalesce(sum(output_tokens), 0) from responses where canonical")
    return Overview(
        sessions=sessions,
        subagents=subagents,
        projects=rows(
            "select project, count(*) as n from sessions where parent_session is null group by 1 order by n desc, 1"
        ),
        prompts=rows("select count(*) from prompts where canonical")[0][0],
        tool_uses=rows("select count(*) from tool_uses where canonical")[0][0],
        edits=rows("select count(*) from file_edits where canonical")[0][0],
        first=first,
        last=last,
        output_tokens=tokens,
        tools=rows(
            """
            select classified_name, count(*) as n from tool_uses where canonical
            group by 1 order by n desc, 1 limit 8
            """
        ),
        files=rows("select file_path, edit_count from file_hotspots order by edit_count desc, file_path limit 5"),
        recent=rows(
            """
            select id, coalesce(title, '(no title)'), coalesce(last_ts, ended_at, 0) from sessions
            where parent_session is null order by 3 desc, id limit 3
            """
        ),
    )


# --- doctor ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at: `ok`, `note` (good to know), `warn` (do something) or `bad` (broken)."""

    name: str
    status: str
    text: str
    details: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)


def doctor(config: Config, environ: Mapping[str, str], user: Path) -> list[Check]:
    checks = [_versions(), _home(config)]
    found = discover_all(environ, user, config.claude_roots)
    for source, discovery in found:
        for root in discovery.roots:
            inside = [f for f in discovery.files if f.root == root and f.kind == "transcript"]
            size = sum(f.size for f in inside)
            if inside:
                text = f"{len(inside)} transcripts in {len({f.folder for f in inside})} folders, {_size(size)}"
            else:
                text = "no transcripts" if Path(root).is_dir() else "not there"
            data = {"source": source, "root": root, "transcripts": len(inside), "bytes": size}
            checks.append(Check(f"{source} {root}", "ok" if inside else "note", text, data=data))
        for problem in discovery.problems:
            checks.append(Check(f"{source} {problem.path}", "warn", problem.why))
    if not config.log_path.exists():
        checks.append(Check("log.db", "note", "not there yet; run: axm index"))
        return [*checks, *_extras()]
    try:
        log = SqliteLog(config.log_path, home_key(config.home), read_only=True)
        try:
            checks += _log(log)
            checks += _behind(config, log, found)
            checks += _leaving(found, log)
            checks += _folders(config, log, user)
        finally:
            log.close()
        checks += _index(config)
        checks += _memory(config)
        checks += _vectors(config)
    except StoreError as error:
        checks.append(Check("store", "bad", error.message, (error.hint,) if error.hint else ()))
    return [*checks, *_extras()]


def _versions() -> Check:
    data = {"axiommind": __version__, "python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
    text = f"axiommind {__version__}, Python {data['python']} ({sys.executable}), SQLite {sqlite3.sqlite_version}"
    return Check("versions", "ok", text, data=data)


def _home(config: Config) -> Check:
    home = config.home
    if not home.exists():
        return Check("home", "note", f"{home} (will be made by: axm index)", data={"home": str(home)})
    sizes = {p.name: p.stat().st_size for p in sorted(home.iterdir()) if p.is_file()}
    details = tuple(f"{name} {_size(size)}" for name, size in sizes.items() if size > 4096)
    old = [name for name in sizes if ".corrupt-" in name]
    data = {"home": str(home), "files": sizes, "writable": os.access(home, os.W_OK)}
    if not os.access(home, os.W_OK):
        return Check("home", "warn", f"{home} cannot be written: reading works, indexing does not", details, data)
    if old:
        return Check("home", "note", f"{home} (holds {len(old)} damaged index files set aside)", details, data)
    return Check("home", "ok", str(home), details, data)


def _log(log: SqliteLog) -> list[Check]:
    sizes = log.sizes()
    marks = sorted(log.tombstones())
    forgotten = len(marks)
    text = f"{sizes['events']} events, {_size(sizes['blob_bytes'])} of text kept in {_size(sizes['blob_bytes_stored'])}"
    details: tuple[str, ...] = ()
    if forgotten:
        text += f", tombstones: {forgotten}"
        details = tuple(f"forgotten {_kind(kind, name)} {name}" for kind, name in marks[:20])
    return [Check("log.db", "ok", text, details, {**sizes, "tombstones": forgotten})]


def _kind(kind: str, name: str) -> str:
    return "document" if kind == "session" and name.startswith("doc-") else kind


def _behind(config: Config, log: SqliteLog, found: list[Any]) -> list[Check]:
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
    text = f"{files} files with about {_size(bytes_)} to read, {events} events to fold; run: axm index"
    return [Check("behind", "warn", text, data=data)]


def _leaving(found: list[Any], log: SqliteLog) -> list[Check]:
    """Transcripts that Claude Code will delete soon, and that this does no harm."""
    checks = []
    heads = log.heads()
    now = time.time() * 1000
    for source, discovery in found:
        for root in discovery.roots:
            days = _retention(Path(root))
            limit = now - (days - _SOON_DAYS) * _DAY_MS
            going = [
                f for f in discovery.files if f.kind == "transcript" and f.root == root and f.mtime_ns / 1e6 < limit
            ]
            if not going:
                continue
            safe = [f for f in going if (h := heads.get(f.path)) is not None and h.end and h.size == f.size]
            text = f"{len(going)} transcripts are past or near the {days} days after which Claude Code deletes them"
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


def _folders(config: Config, log: SqliteLog, user: Path) -> list[Check]:
    """The folders of documents that the user added: what is in them, what is still to be read, what cannot be."""
    try:
        with closing(sqlite.open_read(config.index_path)) as db:
            known = folders(db)
    except (FileNotFoundError, sqlite3.DatabaseError):
        return []  # said elsewhere
    checks = []
    heads, marks = log.heads(), log.tombstones()
    for folder in known:
        files, problems = markdown.discover(folder.root, folder.include, folder.exclude)
        project = project_around(folder.root, stop=os.path.realpath(user))
        waiting = 0
        for file in files:
            doc = document_id(file.path)
            head = heads.get(doc)
            state = None if head is None or head.state["missing"] else (head.size, head.mtime_ns, head.inode)
            if not marks & {("session", doc), ("project", project)}:
                waiting += state != (file.size, file.mtime_ns, file.inode)
        text = f"documents: {folder.documents}, chunks: {folder.chunks}, {_size(folder.bytes)}"
        if waiting:
            text += f"; files to read: {waiting}; run: axm index"
        data = {**folder._asdict(), "files": len(files), "waiting": waiting, "problems": len(problems)}
        details = tuple(f"{p.where}  {p.why}" for p in problems[:20])
        checks.append(Check(f"folder {folder.root}", "warn" if waiting or problems else "ok", text, details, data))
    return checks


def _retention(root: Path) -> int:
    try:
        settings = json.loads((root / "settings.json").read_text(encoding="utf-8"))
        days = settings.get("cleanupPeriodDays")
        return days if isinstance(days, int) and days > 0 else _RETENTION_DAYS
    except (OSError, ValueError, AttributeError):
        return _RETENTION_DAYS


def _index(config: Config) -> list[Check]:
    if not config.index_path.exists():
        return [Check("index.db", "warn", "not there; run: axm index")]
    try:
        db = sqlite.open_read(config.index_path)
    except sqlite3.DatabaseError:
        return []  # said already
    try:
        (last,) = db.execute("select value from meta where key = 'last_indexed_at'").fetchone() or ("never",)
        projects = db.execute(
            "select project, count(*) from sessions group by project order by count(*) desc, project"
        ).fetchall()
        (sessions,) = db.execute("select count(*) from sessions").fetchone()
        (bad,) = db.execute("select count(*) from problems").fetchone()
        problems = db.execute("select path, line, why from problems order by path, line limit 1000").fetchall()
        flaws = db.execute(
            """
            select d.path, p.line, p.why from document_problems p join documents d on d.id = p.doc_id
            order by d.path, p.line, p.why limit 1000
            """
        ).fetchall()
        unknown = db.execute(
            "select type, sum(count) from record_counts where not known group by type order by 2 desc, type"
        ).fetchall()
        versions = dict(db.execute("select projector_name, version from projection_offsets").fetchall())
    except sqlite3.DatabaseError as error:
        return [Check("index.db", "bad", f"cannot be read: {error}", ("run: axm rebuild",))]
    finally:
        db.close()
    expected = {p.NAME: p.VERSION for p in load_all()}
    details = tuple(f"{count:>5}  {project}" for project, count in projects[:10])
    data = {"sessions": sessions, "projects": dict(projects), "last_indexed_at": last, "versions": versions}
    checks = [
        Check("index.db", "ok", f"sessions: {sessions}, projects: {len(projects)}, last indexed {last}", details, data)
    ]
    if versions != expected:
        checks.append(Check("index.db", "warn", "made by another version; run: axm index"))
    if problems:
        shown = tuple(f"{Problem(*row).where}  {row[2]}" for row in problems[:20])
        listed = [{"path": p, "line": n, "why": w} for p, n, w in problems]
        text = f"{bad} lines could not be read; the rest of their files was"
        checks.append(Check("problems", "note", text, shown, {"problems": listed}))
    if flaws:
        shown = tuple(f"{Problem(*row).where}  {row[2]}" for row in flaws[:20])
        listed = [{"path": p, "line": n, "why": w} for p, n, w in flaws]
        text = f"{len(flaws)} places in documents are not as they should be; their text is indexed as it is"
        checks.append(Check("documents", "note", text, shown, {"problems": listed}))
    if unknown:
        text = f"{sum(n for _, n in unknown)} records of types this version does not know (counted, kept in the log)"
        checks.append(Check("unknown", "note", text, tuple(f"{t}: {n}" for t, n in unknown), dict(unknown)))
    return checks


def _memory(config: Config) -> list[Check]:
    """What was learned, what failed, and whether the checkers disagreed."""
    try:
        with closing(sqlite.open_read(config.index_path)) as db:
            entries, standing = db.execute(
                "select count(*), count(*) filter (where stage in ('verified', 'certified')) from entries"
            ).fetchone()
            waiting = db.execute(
                """
                select count(*) from sessions s
                where not exists (
                    select 1 from learned l where l.session_id = s.id and l.status = 'success'
                      and l.head = (select max(g.position) || '.' || count(*) from segments g
                                    where g.session_id = s.id and g.live))
                """
            ).fetchone()[0]
            failed = db.execute(
                "select session_id, error from learned where status = 'failed' order by at desc limit 20"
            ).fetchall()
            apart = db.execute(
                "select session_id, difference from checks where not agree order by position desc limit 20"
            ).fetchall()
            conflicts = db.execute("select count(*) from conflicts where resolved_at is null").fetchone()[0]
    except (sqlite3.DatabaseError, FileNotFoundError):
        return []  # said already
    data = {
        "entries": entries,
        "verified": standing,
        "waiting": waiting,
        "conflicts": conflicts,
        "extractor": config.extract_extractor,
    }
    text = f"entries: {entries}, of them verified: {standing}; sessions to learn: {waiting}"
    checks = [Check("memory", "ok", text + (" (axm learn)" if waiting else ""), data=data)]
    model = "none: the rules need none" if config.extract_extractor == "rules" else config.extract_extractor
    checks.append(Check("model", "ok", model, data={"extractor": config.extract_extractor}))
    if conflicts:
        checks.append(Check("conflicts", "note", f"{conflicts} are open; axm conflicts shows them"))
    if failed:
        shown = tuple(f"{session}  {error}" for session, error in failed)
        text = f"{len(failed)} sessions could not be learned; axm learn tries again"
        checks.append(Check("learning", "warn", text, shown))
    if apart:
        text = f"{len(apart)} times the checkers did not agree, and nothing of that was promoted: please report this"
        checks.append(Check("checkers", "warn", text, tuple(f"{session}  {what}" for session, what in apart)))
    return checks


def _vectors(config: Config) -> list[Check]:
    """What is embedded, with what, and how far that is."""
    known = versions.read(config.home)
    answering = next((one for one in known if one.state == "active"), None)
    making = next((one for one in known if one.state == "building"), None)
    try:
        with closing(sqlite.open_read(config.index_path)) as db:
            wanted = coverage(db)
            covered = (coverage(db, answering.version) if answering is not None else {}) or wanted
    except (sqlite3.DatabaseError, FileNotFoundError):
        return []  # said already
    left = sum(one.pending for kind, one in wanted.items() if kind in config.embed_kinds)
    failed = sum(one.failed for one in wanted.values())
    data = {
        "embedder": config.embed_embedder or "static",
        "store": config.embed_store,
        "version": None if answering is None else answering.version,
        "building": None if making is None else making.version,
        "coverage": {kind: one._asdict() for kind, one in covered.items()},
        "jobs": left,
    }
    shares = ", ".join(f"{words_of(kind)} {_percent(one.done, one.total)}" for kind, one in covered.items())
    if answering is None and making is None:
        text = f"none: search is lexical; texts that wait for one: {left} (axm embed)"
        return [Check("embedder", "ok", text, data=data)]
    if answering is None:
        text = f"no version is complete yet: search is lexical; {shares}; run: axm embed"
    else:
        text = f"{answering.version} in {answering.store}; {shares}"
    checks = [Check("embedder", "note" if answering is None else "ok", text, data=data)]
    if answering is not None and (why := _silent(config, answering)) is not None:
        checks.append(Check("vectors", "warn", f"search is lexical: {why.message}; {why.hint or 'run: axm embed'}"))
    if answering is not None and making is not None:
        text = f"{making.version} is being made, and {answering.version} answers until it is complete; run: axm embed"
        checks.append(Check("vectors", "note", text))
    if failed:
        checks.append(Check("vectors", "warn", f"{failed} texts could not be embedded; axm embed --status says why"))
    writer = lock.owner(config.home)
    if writer is not None and writer.is_gone(int(time.time() * 1000)):
        checks.append(Check("vectors", "note", f"{writer} died while it embedded; the next axm embed goes on"))
    return checks


def _silent(config: Config, version: versions.Version) -> AxmError | None:
    """Why a version that is complete does not answer: searching says nothing of it unless meaning was asked for. A
    server is not asked."""
    try:
        with closing(versions.open_of(config.home, version, write=False)) as store:
            if not store.versions().get(version.version):
                return VectorsCorrupt(f"the vectors of {version.version} are gone", hint="run: axm embed")
        chosen = embedders.settings_of(
            version.settings, embedders.Settings("", "", "", "", config.embed_seconds, "", config.home)
        )
        if chosen.name != "openai":
            embedders.check(embedders.load(chosen), version.embedder)
    except AxmError as error:
        return error
    return None


def _percent(part: int, whole: int) -> str:
    """Of a whole, rounded down: 100 % is all of it."""
    return f"{part * 100 // whole if whole else 100} %"


def _extras() -> list[Check]:
    if find_spec("altair") is None or find_spec("vl_convert") is None:
        text = f"charts (--plot) are not installed; to add them: {extra_command('plot')}"
        return [Check("optional", "note", text, data={"plot": False})]
    return [Check("optional", "ok", "charts (--plot) are installed", data={"plot": True})]


def _size(count: int) -> str:
    value = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError


# --- verify ------------------------------------------------------------------------------------------------


def verify(config: Config, log: SqliteLog, key: bytes, *, deep: bool) -> list[tuple[str, str]]:
    """Log, index, and that they agree; with `deep`, also that the files on disk still are what was read."""
    found = [(f.where, f.what) for f in log.verify()]
    if found:
        return found  # an index compared with a broken log would only repeat it
    if config.index_path.exists():
        found += _verify_index(config.index_path)
        if not found:
            with tempfile.TemporaryDirectory(prefix="axm-verify-") as scratch:
                found += [(f.where, f.what) for f in compare(log, config.index_path, Path(scratch))]
        found += _verify_forgotten(config.index_path, log)
        found += _verify_vectors(config, log)
    else:
        found.append(("index.db", "is not there; axm index makes it"))
    if deep:
        found += _verify_files(log, key)
    return found


def _verify_index(path: Path) -> list[tuple[str, str]]:
    try:
        db = sqlite.open_read(path)
    except sqlite3.DatabaseError as error:
        return [("index.db", f"cannot be read: {error}")]
    try:
        found = [("index.db", row[0]) for row in db.execute("pragma integrity_check(20)") if row[0] != "ok"]
        for table, rowid, parent, _key in db.execute("pragma foreign_key_check"):
            found.append((f"index.db {table}", f"row {rowid} refers to a row of {parent} that is not there"))
    except sqlite3.DatabaseError as error:
        return [("index.db", f"cannot be read: {error}")]
    finally:
        db.close()
    return found


def _verify_forgotten(path: Path, log: SqliteLog) -> list[tuple[str, str]]:
    """No trace of what was forgotten: neither as a session nor as a document."""
    found = []
    try:
        with closing(sqlite.open_read(path)) as db:
            for kind, name in sorted(log.tombstones()):
                column = "id" if kind == "session" else "project"
                tables = [("sessions", column), ("documents", column)]
                if kind == "session":
                    tables += [("decisions", "decision_id"), *((table, "session_id") for table in _LEARNED)]
                if any(db.execute(f"select 1 from {t} where {c} = ?", (name,)).fetchone() for t, c in tables):
                    found.append((f"index.db {kind} {name}", "was forgotten, but is still in the index"))
    except sqlite3.DatabaseError as error:
        found.append(("index.db", f"cannot be read: {error}"))
    return found


def _verify_vectors(config: Config, log: SqliteLog) -> list[tuple[str, str]]:
    """No vector of what was forgotten, in any store. Those of what merely changed wait for the next run of the writer:
    the log still has the text."""
    found = []
    try:
        with closing(sqlite.open_read(config.index_path)) as db:
            for place in sweep.places(config.home):
                try:
                    with closing(versions.open_of(config.home, place, write=False)) as store:
                        left = [one for one in sweep.absent(db, store) if _was_forgotten(log, *one)]
                except AxmError as error:
                    found.append((f"vectors {place}", f"cannot be looked into: {error.message}"))
                    continue
                if left:
                    text = f"{len(left)} of what was forgotten remain; axm embed takes them out"
                    found.append((f"vectors {place}", text))
    except sqlite3.DatabaseError as error:
        found.append(("index.db", f"cannot be read: {error}"))
    return found


def _was_forgotten(log: SqliteLog, collection: str, key: str) -> bool:
    """Whether an item that is gone was forgotten: a passage by the event in its key, a session by its name. A task goes
    with the last session that spoke of it, and no other way."""
    if collection == PASSAGES:
        event = log.event_at(int(key) >> KIND_BITS + PLACE_BITS) if key.isdecimal() else None
        return event is None or log.is_forgotten(event.session_id, event.project)
    if collection == SESSIONS:
        last = log.last_of(key, "transcript_segment")
        return log.is_forgotten(key, None if last is None else last.project)
    return True


def _verify_files(log: SqliteLog, key: bytes) -> list[tuple[str, str]]:
    found = []
    heads = log.heads()
    for document in (h for h in heads.values() if h.state["kind"] == "document"):
        if not _agrees(document, key, log):
            found.append((document.state["path"], "the file was rewritten since it was read; run: axm index --full"))
    for event in log.replay(["transcript_segment"]):
        payload = event.payload
        head = heads.get(payload["stream"])
        if head is None or head.generation != payload["generation"] or head.state.get("missing"):
            continue
        if log.is_forgotten(event.session_id, event.project):
            continue
        try:
            with Path(payload["stream"]).open("rb") as file:
                digest = jsonl.hash_range(key, file, payload["start"], payload["end"])
        except OSError:
            continue
        if digest != payload["raw_hash"]:
            where = f"{payload['stream']}:L{payload['first_line']}"
            found.append((where, "the file was rewritten since it was read; run: axm index --full"))
    return found


def _agrees(head: Head, key: bytes, log: SqliteLog) -> bool:
    """Whether a document that looks as it did when it was read also says the same."""
    if head.state["missing"] or log.is_forgotten(head.stream, head.state["project"]):
        return True
    try:
        with Path(head.state["path"]).open("rb") as file:
            info = os.fstat(file.fileno())
            if (info.st_size, info.st_mtime_ns, info.st_ino) != (head.size, head.mtime_ns, head.inode):
                return True  # changed since, which the next run sees
            return bool(jsonl.hash_range(key, file, 0, head.end) == head.state["hash"])
    except OSError:
        return True
