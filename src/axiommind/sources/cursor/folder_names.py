"""What Cursor's command line calls the folder of a project: its path with `-` for `/`, `.` and others. It cannot be
turned round, but tells whether a path is it."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["folder_called", "name_of"]

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9]+")
_LONGEST = 1_000  # of a path


def name_of(path: str) -> str:
    return _NOT_IN_NAMES.sub("-", path).strip("-").lower()  # of a drive, Cursor's own is in lower case


def folder_called(name: str, given: dict[str, Any]) -> str | None:
    """Of the folders that the paths in the input of a tool lie in, the one that is called so."""
    name = name_of(name)
    for path in given.values():
        if isinstance(path, str) and len(path) < _LONGEST and (path.startswith("/") or path[1:3] in (":\\", ":/")):
            found = path.rstrip("/\\")
            while found and len(name_of(found)) > len(name):
                found = found[: max(found.rfind("/"), found.rfind("\\"), 0)]
            if found and name_of(found) == name:
                return found
    return None
