"""What hooks leave behind: a line for each call (`hooks.log`), and a line for each answer (`served/SESSION.jsonl`).

Ids, numbers and reasons, never a text that was recalled. Each line is one write at the end of its file. A hook that
cannot write here still answers.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from axiommind.private import make_private
from axiommind.surfaces.hooks.answers import HookAnswer

__all__ = [
    "ServedBefore",
    "claim",
    "event_name",
    "folder_of",
    "home_of",
    "log_call",
    "mark_ended",
    "mismatch",
    "served_before",
    "session_name",
    "spool_served",
]

_LOG_BYTES = 1_000_000
_READ_BYTES = 1_000_000  # of what a session was served, the latest
_WHY_CHARS = 300
_CLAIMED_S = 86_400.0
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_OF_UUIDS = frozenset("0123456789abcdefABCDEF-")
_UUID_CHARS = 36
_EVENT_CHARS = 40


class ServedBefore(NamedTuple):
    """What a session was given: memories, and what they were given for."""

    ids: frozenset[str] = frozenset()
    abouts: frozenset[str] = frozenset()


def home_of(environ: Mapping[str, str]) -> Path | None:
    """The home, as `Config` finds it; None where it cannot be known."""
    try:
        return (
            Path(environ.get("AXM_HOME") or Path(environ.get("HOME") or Path.home()) / ".axiommind")
            .expanduser()
            .absolute()
        )
    except (OSError, RuntimeError, ValueError):
        return None


def folder_of(home: Path) -> Path:
    return home / "hooks"


def session_name(session: str, home: Path | None) -> str:
    """A session's id as it may be stored: what a client gives as one is redacted like any other text."""
    if len(session) <= _UUID_CHARS and _OF_UUIDS.issuperset(session):
        return session
    from axiommind.surfaces.render.fence import redactor

    return redactor(home).name(session)


def event_name(event: str) -> str:
    """The name of an event; not what else a client may have put in its place."""
    is_word = len(event) <= _EVENT_CHARS and all(char in "_.-" or (char.isascii() and char.isalpha()) for char in event)
    return event if is_word else "unknown"


def mismatch(called: str, said: str) -> str:
    """Why a call is not answered whose client says that it is another event's."""
    return f"called for {event_name(called)}, and the client says it is {event_name(said)}"


def _file_name(session: str) -> str:
    """A session's id with only what a file may be named by."""
    return "".join(char for char in session[:400] if char in _NAME)[:100]


def served_before(home: Path, session: str) -> ServedBefore:
    """What this session was served before. A line that cannot be read is skipped."""
    name = _file_name(session)
    if not name:
        return ServedBefore()
    try:
        with (folder_of(home) / "served" / f"{name}.jsonl").open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > _READ_BYTES:
                file.seek(size - _READ_BYTES)
            lines = file.read(_READ_BYTES).splitlines()
    except OSError:
        return ServedBefore()
    ids: set[str] = set()
    abouts: set[str] = set()
    for line in lines:
        try:
            said = json.loads(line)
            if said.get("afresh"):
                ids, abouts = set(), set()
            ids.update(item["id"] for item in said["items"])
            ids.update(name for name in said.get("also", ()) if isinstance(name, str))
            abouts.add(said.get("about", ""))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            continue
    return ServedBefore(frozenset(ids), frozenset(abouts - {""}))


def spool_served(home: Path, event: str, session: str, answer: HookAnswer, at: int, took: float) -> None:
    """Record which memories were served; `axm index` turns these lines into events."""
    name = _file_name(session)
    if not name:
        return
    is_plain = len(session) <= 200 and _NAME.union(".:[]").issuperset(session)  # as in a redacted one
    line: dict[str, Any] = {
        "v": 1,
        "at": at,
        "hook": event,
        "session": session if is_plain else name,
        "project": answer.project,
        "items": [
            {"id": item.id, "kind": item.kind, "score": None if item.score is None else round(item.score, 4)}
            for item in answer.items
        ],
        "tokens": answer.tokens,
        "ms": round(took),
    }
    if answer.also:
        line["also"] = answer.also
    if answer.about:
        line["about"] = answer.about
    if answer.afresh:
        line["afresh"] = True
    _append(folder_of(home) / "served" / f"{name}.jsonl", line)


def mark_ended(home: Path, session: str) -> None:
    """Leave an empty file named after a session that has ended: its time says when."""
    name = _file_name(session)
    if not name:
        return
    path = folder_of(home) / "ended" / name
    try:
        make_private(path.parent)
        path.touch(0o600)
    except OSError:  # then it has ended when it is quiet
        pass


def claim(home: Path, what: str) -> bool:
    """Whether this is the first who asks for it: of two hooks that one client calls for one thing, one answers."""
    name = _file_name(what)
    folder = folder_of(home) / "claimed"
    try:
        make_private(folder)
        for path in folder.iterdir():
            if abs(time.time() - path.stat().st_mtime) > _CLAIMED_S:
                path.unlink(missing_ok=True)
        os.close(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    except OSError:  # nobody can know; told twice is better than not at all
        return True
    return True


def log_call(home: Path, event: str, session: str, answer: HookAnswer, at: int, took: float, agent: str = "") -> None:
    """One line about a call, whatever its outcome; without an agent it was Claude Code's."""
    line = {
        "at": at,
        "hook": event_name(event),
        "session": _file_name(session),
        "ms": round(took, 1),
        "outcome": answer.outcome,
        "why": answer.why[:_WHY_CHARS],
        "items": len(answer.items),
        "expanded": answer.expanded,
        "tokens": answer.tokens,
    }
    if agent:
        line["agent"] = agent[:100]
    path = folder_of(home) / "hooks.log"
    if _append(path, line) > _LOG_BYTES:
        os.replace(path, path.with_name("hooks.log.1"))  # noqa: PTH105


def _append(path: Path, line: Mapping[str, Any]) -> int:
    """Append one line in one write; returns the size of the file afterwards."""
    data = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    try:
        file = os.open(path, flags, 0o600)
    except FileNotFoundError:
        for folder in (path.parents[2], path.parents[1], path.parent):
            make_private(folder)
        file = os.open(path, flags, 0o600)
    try:
        os.write(file, data)
        return os.fstat(file).st_size
    finally:
        os.close(file)
