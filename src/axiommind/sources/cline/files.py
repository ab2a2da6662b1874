"""Where Cline keeps its sessions."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from axiommind.model import Problem
from axiommind.sources.contract import Discovery, SourceFile
from axiommind.sources.finding import FoundIn, file_of, scan, unique_roots

__all__ = ["discover"]

_MESSAGES = ".messages.json"
_HISTORY = "api_conversation_history.json"
_REQUESTS = "ui_messages.json"
_EXTENSION = "saoudrizwan.claude-dev"
_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")


def discover(
    environ: Mapping[str, str],
    home: Path,
    roots: Sequence[str],
    project: str | None = None,  # noqa: ARG001 - only the documents say where a session was made
) -> Discovery:
    data = Path(environ.get("CLINE_DATA_DIR") or Path(environ.get("CLINE_DIR") or home / ".cline") / "data")
    sessions = environ.get("CLINE_SESSION_DATA_DIR") or data / "sessions"
    users = (
        home / ".config",
        home / "Library" / "Application Support",
        Path(environ.get("APPDATA") or home / "AppData" / "Roaming"),
    )
    storages = (user / editor / "User" / "globalStorage" / _EXTENSION for user in users for editor in _EDITORS)
    places = unique_roots((sessions, data / "tasks", *(storage / "tasks" for storage in storages), *roots))
    problems: list[Problem] = []
    files: dict[str, SourceFile] = {}
    for root in places:
        for folder in scan(root, problems):
            if folder.is_dir():
                for found in _in_folder(folder, FoundIn(str(root), "cline"), problems):
                    files.setdefault(found.path, found)
    # A parent before its subagents, so that its project is known when theirs is asked for.
    ordered = sorted(files.values(), key=lambda file: (file.parent_session is not None, file.path))
    return Discovery(tuple(map(str, places)), tuple(ordered), tuple(problems))


def _in_folder(folder: os.DirEntry[str], place: FoundIn, problems: list[Problem]) -> Iterator[SourceFile]:
    for entry in scan(folder.path, problems):
        if entry.name.endswith(_MESSAGES):
            agent = entry.name.removesuffix(_MESSAGES)
            is_own = agent == folder.name
            session = agent if is_own else f"{folder.name}__{agent}"
            yield from file_of(entry, "transcript", session, place, None if is_own else folder.name, problems)
        elif entry.name == _HISTORY:
            for found in file_of(entry, "transcript", folder.name, place, None, problems):
                yield _with_requests(found)


def _with_requests(file: SourceFile) -> SourceFile:
    """What an answer cost is noted in a file beside it, a little later."""
    try:
        beside = Path(file.path).with_name(_REQUESTS).stat()
    except OSError:
        return file
    return file._replace(size=file.size + beside.st_size, mtime_ns=max(file.mtime_ns, beside.st_mtime_ns))
