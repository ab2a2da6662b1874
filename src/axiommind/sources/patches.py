"""What a patch between `*** Begin Patch` and `*** End Patch` changes: the files, and for each of them the texts before
and after, as other edits say it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

__all__ = ["Patch", "patch_in", "read_patch"]

_BEGIN = "*** Begin Patch"
_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_MOVE = re.compile(r"\*\*\* Move to: (.+)")
_ABSOLUTE = re.compile(r"[/~\\]|[A-Za-z]:[\\/]")
# A patch that is given to a shell: `cd sub && apply_patch <<'EOF'`.
_IN_SHELL = re.compile(r"\s*(?:cd\s+(?P<folder>'[^']+'|\"[^\"]+\"|[^\s;&|]+)\s*&&\s*)?apply_?patch\s*<<")
_MOST = 200  # changes of one patch


class Patch(NamedTuple):
    """`fields` are the input of the call by the names that edits have in every agent."""

    files: tuple[str, ...]
    fields: dict[str, Any]


class _Change(NamedTuple):
    path: str
    old: str | None
    new: str


def patch_in(command: str) -> tuple[str, str] | None:
    """The patch in a shell command that does nothing else, and the folder that it goes to first."""
    start = _IN_SHELL.match(command)
    if start is None or _BEGIN not in command:
        return None
    return command[command.index(_BEGIN) :], (start["folder"] or "").strip("'\"")


def read_patch(text: str, folder: str) -> Patch:
    """The files of a patch, by their whole paths, and what it writes there."""
    paths: list[str] = []
    changes: list[_Change] = []
    for path, kind, lines in _sections(text):
        where = _whole(path, folder)
        paths.append(where)
        moved = [_whole(found[1].strip(), folder) for line in lines[:1] if (found := _MOVE.match(line))]
        paths += moved
        if kind == "Add":
            changes.append(_Change(where, None, "".join(f"{line[1:]}\n" for line in lines if line.startswith("+"))))
        elif kind == "Update":
            changes += (_Change((moved or [where])[0], old, new) for old, new in _hunks(lines))
    files = tuple(dict.fromkeys(paths))
    return Patch(files, _fields(files, changes[:_MOST]))


def _sections(text: str) -> Iterator[tuple[str, str, list[str]]]:
    path, kind, lines = "", "", list[str]()
    for line in text.split("\n"):
        head = _FILE.match(line)
        if head or line.startswith("*** End Patch"):
            if kind:
                yield path, kind, lines
            path, kind, lines = (head[2].strip(), head[1], []) if head else ("", "", [])
        elif kind:
            lines.append(line)
    if kind:
        yield path, kind, lines


def _hunks(lines: list[str]) -> Iterator[tuple[str, str]]:
    """What stood there and what shall, the lines around it included."""
    old: list[str] = []
    new: list[str] = []
    for line in (*lines, "@@"):
        if line.startswith(("@@", "***")):
            if old != new:
                yield "\n".join(old), "\n".join(new)
            old, new = [], []
        elif line.startswith("-"):
            old.append(line[1:])
        elif line.startswith("+"):
            new.append(line[1:])
        else:
            old.append(line[1:])
            new.append(line[1:])


def _fields(files: tuple[str, ...], changes: list[_Change]) -> dict[str, Any]:
    if not files:
        return {}
    found: dict[str, Any] = {"file_path": files[0]}
    if len(changes) == 1 and changes[0].path == files[0]:
        return {**found, **_texts(changes[0], "content")}
    if changes:
        found["edits"] = [{"file_path": one.path, **_texts(one, "new_string")} for one in changes]
    return found


def _texts(change: _Change, whole: str) -> dict[str, str]:
    return {whole: change.new} if change.old is None else {"old_string": change.old, "new_string": change.new}


def _whole(path: str, folder: str) -> str:
    path = path.removeprefix("./")
    return path if _ABSOLUTE.match(path) or not folder else f"{folder.rstrip('/')}/{path}"
