"""Which file is meant: the paths under which sessions of a project edited it, and whether a text names it.

A file is known by its tail: the same file lies under another root in a worktree, in a container and on a team mate's
machine, and Windows writes it with backslashes.
"""

from __future__ import annotations

import posixpath
import re
import sqlite3
from typing import NamedTuple

from axiommind.projections.scope import file_in_project
from axiommind.projects import fold_path
from axiommind.text.patterns import lazy

__all__ = ["FileMeant", "identify", "is_common", "is_distinctive", "names_file", "names_folder"]

_COMMON_LIST = """
__init__ __main__ api app apps base build changelog claude agents cli client common component components config conftest
constants core data db default defs docker-compose dockerfile env error errors exceptions form global globals handler
handlers helper helpers hooks index init item layout lib license list login main makefile manifest middleware mod model
models notes package package-lock page pages plan provider query readme requirements route router routes run schema
server service services settings setup state store style styles table task tasks test tests todo tsconfig type types
user users util utils version view views
"""
_COMMON = frozenset(_COMMON_LIST.split())
_COMMON_FOLDERS = frozenset(
    ("src", "lib", "packages", "docs", "scripts", "public", "assets", "bin", "dist", "internal", "pkg", "cmd", "web")
)
_COMPOUND = lazy(r"[a-z][A-Z]|[A-Z][a-z]+[A-Z]|\w[_.-]\w|[A-Za-z]\d|\d[A-Za-z]")
_DRIVE = lazy(r"[A-Za-z]:/")
_TAIL = 3  # folders and name that two paths share which lie under roots that nobody knows
_KNOWN = """
    select file_path from main.file_hotspots
    where project = :project and (file_path = :path or substr(file_path, -length(:base) - 1) in (:below, :windows))
    limit 200
"""


class FileMeant(NamedTuple):
    """A file that is about to be edited."""

    path: str  # as the index writes it: with slashes, a worktree's as its repository's
    own: str  # below the project's root as far as anybody knows it
    known: tuple[str, ...]  # the paths under which it may have been edited before, as they are stored
    is_new: bool  # nobody edited it before

    @property
    def base(self) -> str:
        return self.own.rpartition("/")[2]

    @property
    def stem(self) -> str:
        return self.base.lstrip(".").partition(".")[0]


def identify(db: sqlite3.Connection, path: str, project: str | None) -> FileMeant:
    """The file that a path means. `own` is empty where it is none of the project's."""
    root = (project or "").replace("\\", "/").rstrip("/")
    path = path.replace("\\", "/")
    if root and not path.startswith("/") and not _DRIVE.match(path):
        path = f"{root}/{path}"
    path = fold_path(posixpath.normpath(path))
    if project is not None:
        path = file_in_project(db, project, path)
    base = path.rpartition("/")[2]
    values = {"project": project, "path": path, "base": base, "below": f"/{base}", "windows": f"\\{base}"}
    stored = {row[0]: row[0].replace("\\", "/") for row in db.execute(_KNOWN, values)} if project is not None else {}
    if root and path.startswith(f"{root}/"):
        own = path.removeprefix(f"{root}/")
        known = [raw for raw, other in stored.items() if other == path or _is_elsewhere(other, own, root)]
    else:
        shared = {raw: _tail(path, other) for raw, other in stored.items()}
        longest = max(shared.values(), default=0)
        known = [raw for raw, length in shared.items() if length == longest >= _TAIL]
        own = path.lstrip("/") if known else ""
    return FileMeant(path, own, tuple(dict.fromkeys([path, *known])), not known)


def _is_elsewhere(other: str, own: str, root: str) -> bool:
    """Whether a stored path is the file under another root. A name alone is not enough to know it by."""
    if other.startswith(f"{root}/") or not other.endswith(f"/{own}"):
        return False
    return "/" in own or other.endswith(f"/{root.rpartition('/')[2]}/{own}")


def _tail(one: str, other: str) -> int:
    """How many names two paths share from the end; all of them where they are the same."""
    if one == other:
        return 1_000
    count = 0
    for a, b in zip(reversed(one.split("/")), reversed(other.split("/")), strict=False):
        if a != b:
            break
        count += 1
    return count


def is_distinctive(path: str) -> bool:
    """Whether a file's name alone says which file is meant: it has more than one word in it."""
    base = path.rpartition("/")[2]
    return not is_common(base) and _COMPOUND.search(base.rpartition(".")[0] or base) is not None


def is_common(base: str) -> bool:
    stem = base.partition(".")[0].lower()
    return len(stem) < 3 or stem in _COMMON or stem.strip("_") in _COMMON


def names_file(text: str, own: str, *, by_name: bool) -> bool:
    """Whether a text names this file and no other: its path as far as it is written, or, `by_name`, its name alone."""
    base = own.rpartition("/")[2]
    if base not in text:
        return False
    for match in re.finditer(rf"(?<![\w.@-])((?:[\w.@~-]*/)*){re.escape(base)}(?![\w-]|\.\w)", text):
        folders = match[1].removeprefix("./").lstrip("@")
        if not folders:
            if by_name:
                return True
        elif f"/{own}".endswith(f"/{folders}{base}") or folders.endswith(f"/{own}"[: -len(base)]):
            return True
    return False


def names_folder(text: str, own: str) -> bool:
    """Whether a text names a folder of the file as one: with two names of its path and a slash at the end, or one that
    is not everybody's."""
    folders = own.split("/")[:-1]
    if not folders or "/" not in text:
        return False
    for match in re.finditer(r"(?<![\w.@~/-])@?((?:[\w.@-]+/)+)(?:\*{1,2}(?:/\*)?)?(?![\w.*-])", text):
        named = match[1].removeprefix("./").rstrip("/").split("/")
        if len(named) == 1 and (is_common(named[0]) or named[0] in _COMMON_FOLDERS):
            continue
        if any(folders[at : at + len(named)] == named for at in range(len(folders))):
            return True
    return False
