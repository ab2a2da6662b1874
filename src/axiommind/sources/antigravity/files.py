"""Where Antigravity keeps its transcripts, and which folder each of them was made in, as far as it says so."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from axiommind.model import Problem
from axiommind.sources.contract import Discovery, SourceFile
from axiommind.sources.finding import FoundIn, file_of, files_below, scan, unique_roots
from axiommind.text import jsonlines

__all__ = ["discover", "folders_of", "watched"]

_HOMES = ("antigravity-cli", "antigravity", "antigravity-ide")
_BRAIN = "brain"
_LOGS = (".system_generated", "logs")
_TRANSCRIPT = "transcript.jsonl"
_HISTORY_MAX = 16 << 20
_SESSION = ("conversationId", "conversation_id", "sessionId", "id")
_FOLDER = ("workspace", "cwd", "workspacePath", "workspace_path", "workspaceUri", "directory")


def watched(root: Path) -> Path:
    brain = root / _BRAIN
    return brain if brain.is_dir() else root


def discover(
    environ: Mapping[str, str],  # noqa: ARG001 - the client has no variable for it
    home: Path,
    roots: Sequence[str],
    project: str | None = None,  # noqa: ARG001 - not every session says where it was made
) -> Discovery:
    places = unique_roots((*(home / ".gemini" / name for name in _HOMES), *roots))
    problems: list[Problem] = []
    files: dict[str, SourceFile] = {}
    for root in places:
        for session in scan(root / _BRAIN, problems):
            logs = os.path.join(session.path, *_LOGS)  # noqa: PTH118 - once for each session
            for entry in files_below(logs, problems, (_TRANSCRIPT,), depth=0) if session.is_dir() else ():
                place = FoundIn(str(root), root.name)
                for found in file_of(entry, "transcript", session.name, place, None, problems):
                    files.setdefault(found.path, found)
    return Discovery(tuple(map(str, places)), tuple(files.values()), tuple(problems))


def folders_of(files: Sequence[SourceFile]) -> dict[str, str]:
    known = {root: _folders(Path(root)) for root in {file.root for file in files}}
    named = ((file, known[file.root].get(_session(file.path))) for file in files)
    return {file.path: folder for file, folder in named if folder}


def _session(path: str) -> str:
    """The session of a transcript, which is called like its folder."""
    return Path(path).parents[len(_LOGS)].name


def _folders(root: Path) -> dict[str, str]:
    """The working folders of sessions that were made in a terminal: of each folder the last, and what is in the history
    of prompts."""
    found: dict[str, str] = {}
    for record in _history(root / "history.jsonl"):
        session, folder = _first(record, _SESSION), _path(_first(record, _FOLDER))
        if session and folder:
            found.setdefault(session, folder)
    try:
        last = jsonlines.parse((root / "cache" / "last_conversations.json").read_bytes())
    except (OSError, ValueError):
        last = None
    for folder, session in last.items() if isinstance(last, dict) else ():
        if isinstance(session, str):
            found.setdefault(session, _path(folder))
    return found


def _history(path: Path) -> list[dict[str, Any]]:
    try:
        with path.open("rb") as file:
            lines = file.read(_HISTORY_MAX).split(b"\n")
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            record = jsonlines.parse(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            found.append(record)
    return found


def _first(record: dict[str, Any], names: Sequence[str]) -> str:
    return next((value for name in names if isinstance(value := record.get(name), str) and value), "")


def _path(text: str) -> str:
    return unquote(urlsplit(text).path) if text.startswith("file://") else text
