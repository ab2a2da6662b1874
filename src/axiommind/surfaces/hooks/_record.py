"""What hooks leave behind: a line for each call (`hooks.log`), and a line for each answer (`served/SESSION.jsonl`).

Ids, numbers and reasons, never a text that was recalled. Each line is one write at the end of its file. Whoever cannot
write here still answers.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from axiommind.surfaces.hooks._call import Answer

__all__ = ["Served", "append", "cleaned", "folder_of", "home_of", "note", "served", "spool"]

_LOG_BYTES = 1_000_000
_READ_BYTES = 1_000_000  # of what a session was served, the latest
_WHY_CHARS = 300
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


class Served(NamedTuple):
    """What a session was given: memories, and what they were given for."""

    ids: frozenset[str] = frozenset()
    abouts: frozenset[str] = frozenset()


def home_of(environ: Mapping[str, str]) -> Path | None:
    """The home, as `Config` finds it; None where there is no telling."""
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


def cleaned(session: str) -> str:
    """A session's id as a file may be named."""
    return "".join(char for char in session[:400] if char in _NAME)[:100]


def served(home: Path, session: str) -> Served:
    """What this session was served. A line that cannot be read counts as none."""
    name = cleaned(session)
    if not name:
        return Served()
    try:
        with (folder_of(home) / "served" / f"{name}.jsonl").open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > _READ_BYTES:
                file.seek(size - _READ_BYTES)
            lines = file.read(_READ_BYTES).splitlines()
    except OSError:
        return Served()
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
    return Served(frozenset(ids), frozenset(abouts - {""}))


def spool(home: Path, event: str, session: str, answer: Answer, at: int, took: float) -> None:
    """Keep which memories were served; `axm index` makes events of it."""
    name = cleaned(session)
    if not name:
        return
    is_plain = len(session) <= 200 and _NAME.union(".:").issuperset(session)
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
    append(folder_of(home) / "served" / f"{name}.jsonl", line)


def note(home: Path, event: str, session: str, answer: Answer, at: int, took: float) -> None:
    """One line for a call, whatever became of it."""
    line = {
        "at": at,
        "hook": event[:100],
        "session": cleaned(session),
        "ms": round(took, 1),
        "outcome": answer.outcome,
        "why": answer.why[:_WHY_CHARS],
        "items": len(answer.items),
        "tokens": answer.tokens,
    }
    path = folder_of(home) / "hooks.log"
    if append(path, line) > _LOG_BYTES:
        os.replace(path, path.with_name("hooks.log.1"))  # noqa: PTH105


def append(path: Path, line: Mapping[str, Any]) -> int:
    """One line, in one write; returns how long the file is then."""
    data = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    try:
        file = os.open(path, flags, 0o600)
    except FileNotFoundError:
        for folder in (path.parents[2], path.parents[1], path.parent):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.open(path, flags, 0o600)
    try:
        os.write(file, data)
        return os.fstat(file).st_size
    finally:
        os.close(file)
