"""Which folder a session of Gemini CLI belongs to.

Its sessions lie in a folder with a short name, which `projects.json` and a file in that folder explain; in older
versions the name is the hash of the project's path, which cannot be turned round, but tells whether a path is it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from axiommind.text import jsonlines

__all__ = ["CONTEXT", "folder_of", "known_folders", "project_root", "workspaces_in"]

CONTEXT = "<session_context>"
_HASH = re.compile(r"[0-9a-f]{64}")
_LISTED = re.compile(r"(?:Workspace Directories:\*\*|following directories:)\n((?:[ \t]*- [^\n]+\n?)+)")
_WORKING_IN = re.compile(r"working in the directory: ([^\n]+)")
_ROOT_MAX = 4096


def known_folders(root: Path) -> dict[str, str]:
    """The projects that `projects.json` beside the sessions lists, by their short names."""
    try:
        found = jsonlines.parse((root.parent / "projects.json").read_bytes())["projects"]
        return {name: path for path, name in found.items() if isinstance(name, str)}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def project_root(folder: Path, known: dict[str, str]) -> str | None:
    """The project whose sessions are in a folder; None where nothing says it."""
    try:
        with (folder / ".project_root").open(encoding="utf-8") as file:
            text = file.read(_ROOT_MAX).strip()
        if text:
            return text
    except (OSError, ValueError):
        pass
    if folder.name in known:
        return known[folder.name]
    return folder_of(folder.name, known.values()) if _HASH.fullmatch(folder.name) else None


def folder_of(project_hash: str, paths: Iterable[str]) -> str | None:
    """Of these paths and the folders that they lie in, the one with this hash."""
    return next((one for path in paths for one in _up(path) if _hash(one) == project_hash), None)


def workspaces_in(text: str) -> list[str]:
    """The folders that the client tells the model it works in."""
    listed = _LISTED.search(text)
    if listed is not None:
        return [line.strip().removeprefix("- ").strip() for line in listed[1].splitlines()]
    working = _WORKING_IN.search(text)
    return [working[1].strip()] if working is not None else []


def _up(path: str) -> Iterator[str]:
    path = path.rstrip("/\\")
    while path:
        yield path
        path = path[: max(path.rfind("/"), path.rfind("\\"), 0)]


@lru_cache(4096)
def _hash(path: str) -> str:
    return hashlib.sha256(path.encode("utf-8", "replace")).hexdigest()
