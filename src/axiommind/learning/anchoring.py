"""Anchoring: which files, symbols and commits an entry speaks of, and what they held when its session ended.

A claim's words name them; the session's own reads and edits say which file is meant. What is found is an event, once
for each entry, so that every later look at the code has something to compare with.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from axiommind.freshness.contents import fingerprint
from axiommind.freshness.names import Named, is_commit, named_in
from axiommind.freshness.snapshots import Snapshots
from axiommind.ids import canonical_json, checksum
from axiommind.learning.event_writer import EventWriter
from axiommind.learning.new_event import NewEvent

__all__ = ["Anchored", "anchor_entries", "check_commits"]

_WAITING = """
    select e.id, e.entry_id, e.session_id, e.project, e.title, e.text, e.content_json, e.anchors_json,
           coalesce(s.ended_at, s.last_ts, e.happened_at, e.created_ts)
    from entries e
    left join sessions s on s.id = e.session_id
    where e.status in ('active', 'contested')
      and e.entry_type <> 'task_note'
      and (:project is null or e.project = :project)
      and not exists (select 1 from entry_anchors a where a.entry_id = e.entry_id)
    order by e.project, e.session_id, e.id
"""
_FILES = """
    select path, max(is_edit)
    from (
        select file_path as path, 1 as is_edit from file_edits where session_id = :session
        union all
        select case when json_valid(input_json) then json_extract(input_json, '$.file_path') end, 0
        from tool_uses
        where session_id = :session and is_error is not 1)
    where path is not null
    group by path
"""
_COMMITS = """
    select a.entry_id, e.id, e.session_id, e.project
    from entry_anchors a
    join entries e on e.entry_id = a.entry_id
    where a.commit_id <> ''
      and e.status in ('active', 'contested')
      and (:project is null or e.project = :project)
    group by a.entry_id
    order by e.project, e.session_id, e.id
"""
_OF_ENTRY = """
    select path, symbol, hash, commit_id, commit_state
    from entry_anchors
    where entry_id = ?
    order by seq_order
"""
_MOST_ANCHORS = 8
_FILES_SEARCHED = 40  # of a session, for a symbol whose file nobody named
_PLACES = 2  # a symbol that stands in more of them says nothing about one


class Anchored(NamedTuple):
    entries: int = 0  # that were looked at
    anchored: int = 0  # of these, with something to compare
    left: int = 0  # for which there was no time


class _Waiting(NamedTuple):
    id: int
    entry_id: str
    session: str
    project: str
    title: str
    text: str
    content: str
    anchors: str
    at: int


class _Session:
    """The project files that a session read or edited, relative to the project's folder."""

    def __init__(self, db: sqlite3.Connection, session: str, project: str) -> None:
        root = project.replace("\\", "/").rstrip("/") + "/"
        rows = db.execute(_FILES, {"session": session}).fetchall()
        found = {str(path).replace("\\", "/"): bool(edited) for path, edited in rows}
        self.files = {path.removeprefix(root): edited for path, edited in found.items() if path.startswith(root)}

    def meant_by(self, name: str) -> str | None:
        """The one file of the session that a name ends, if there is one."""
        name = name.removeprefix("./").lstrip("@")
        found = [path for path in self.files if path == name or path.endswith(f"/{name}") or name.endswith(f"/{path}")]
        return found[0] if len(found) == 1 else None


def anchor_entries(
    db: sqlite3.Connection, writer: EventWriter, project: str | None = None, *, seconds: float | None = None
) -> Anchored:
    """Anchor the entries that have none yet, of projects whose folder is here; not longer than so many seconds."""
    waiting = [_Waiting._make(row) for row in db.execute(_WAITING, {"project": project})]
    here = {name: Path(name).is_dir() for name in {one.project for one in waiting}}
    waiting = [one for one in waiting if here[one.project]]
    until = None if seconds is None else time.monotonic() + seconds
    folders = {name: Snapshots(name) for name, is_here in here.items() if is_here}  # git is asked once for each
    looked = anchored = 0
    for session, entries in _by_session(waiting):
        if until is not None and time.monotonic() > until:
            break
        project_here = entries[0].project
        files = _Session(db, session, project_here)
        found = [{"entry_id": one.entry_id, "anchors": _anchors(one, files, folders[project_here])} for one in entries]
        _write(writer, session, project_here, found, [one.id for one in entries])
        looked += len(found)
        anchored += sum(bool(one["anchors"]) for one in found)
    return Anchored(looked, anchored, len(waiting) - looked)


def check_commits(db: sqlite3.Connection, writer: EventWriter, project: str | None = None) -> int:
    """Ask git again what became of the commits that entries speak of; returns how many changed."""
    changed = 0
    folders: dict[str, Snapshots] = {}
    for entry, row, session, root in db.execute(_COMMITS, {"project": project}).fetchall():
        if not Path(root).is_dir():
            continue
        anchors = [_as_given(*values) for values in db.execute(_OF_ENTRY, (entry,))]
        git = folders.setdefault(root, Snapshots(root))
        now = [{**one, "state": git.state_of(one["commit"])} if one.get("commit") else one for one in anchors]
        if now != anchors:
            _write(writer, session, root, [{"entry_id": entry, "anchors": now}], [row])
            changed += 1
    return changed


def _by_session(waiting: Iterable[_Waiting]) -> Iterator[tuple[str, list[_Waiting]]]:
    groups: dict[str, list[_Waiting]] = {}
    for one in waiting:
        groups.setdefault(one.session, []).append(one)
    yield from groups.items()


def _as_given(path: str, symbol: str, hash_: str, commit: str, state: str) -> dict[str, str]:
    given = {"path": path, "symbol": symbol, "hash": hash_, "commit": commit, "state": state}
    return {name: value for name, value in given.items() if value}


def _write(writer: EventWriter, session: str, project: str, found: list[dict[str, Any]], rows: list[int]) -> None:
    # The row of an entry is another one when its session was forgotten and came back.
    text = canonical_json({"entries": found})
    event = NewEvent("entry_anchored", {"count": len(found)}, (session, *rows, checksum(found)), text=text)
    writer.append(event, session=session, project=project)


def _anchors(one: _Waiting, session: _Session, snapshots: Snapshots) -> list[dict[str, str]]:
    """What an entry speaks of: symbols in the files that are meant, those files, and commits."""
    named = _named(one)
    contents: dict[str, bytes] = {}

    def content(path: str) -> bytes:
        if path not in contents:
            contents[path] = snapshots.content_at(path, one.at, was_edited=session.files.get(path, False)) or b""
        return contents[path]

    paths = list(dict.fromkeys(path for name in named.paths if (path := session.meant_by(name)) is not None))
    found: list[dict[str, str]] = []
    bound: set[str] = set()  # files whose symbols are anchored, not all of them
    for symbol in named.symbols:
        places = [path for path in paths if fingerprint(content(path), symbol)]
        if not places:
            edited_first = sorted(session.files, key=lambda path: (not session.files[path], path))
            places = [path for path in edited_first[:_FILES_SEARCHED] if fingerprint(content(path), symbol)]
        if 0 < len(places) <= _PLACES:
            bound |= set(places)
            found += [{"path": p, "symbol": symbol, "hash": fingerprint(content(p), symbol)} for p in places]
    found += [{"path": p, "hash": fingerprint(content(p))} for p in paths if p not in bound and content(p)]
    for commit in named.commits:
        if state := snapshots.state_of(commit):
            found.append({"commit": commit, "state": state})
    return found[:_MOST_ANCHORS]


def _named(one: _Waiting) -> Named:
    told = named_in(f"{one.title}\n{one.text}")
    given = [str(name) for name in json.loads(one.anchors)]
    target = json.loads(one.content).get("target")
    commits = [name for name in (*given, target) if isinstance(name, str) and is_commit(name)]
    code = named_in("\n".join(f"`{name}`" for name in given if name not in commits))
    return Named(
        tuple(dict.fromkeys((*told.paths, *code.paths))),
        tuple(dict.fromkeys((*told.symbols, *code.symbols))),
        tuple(dict.fromkeys((*told.commits, *commits))),
    )
