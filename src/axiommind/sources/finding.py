"""Looking for files: what every source does that has a folder of transcripts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from axiommind.model import Problem
from axiommind.sources.contract import SourceFile

__all__ = ["FoundIn", "file_of", "files_below", "scan", "unique_roots"]


class FoundIn(NamedTuple):
    """The root and the folder that a file was found in, as they are called there."""

    root: str
    folder: str


def unique_roots(paths: Iterable[str | Path]) -> list[Path]:
    """Folders as they really are, each once, whatever it is called."""
    found: dict[str, Path] = {}
    for path in paths:
        real = os.path.realpath(Path(path).expanduser())
        found.setdefault(real, Path(real))
    return list(found.values())


def scan(folder: Path | str, problems: list[Problem]) -> list[os.DirEntry[str]]:
    """What is in a folder, by name; nothing where it is not there."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda e: e.name)
    except FileNotFoundError:
        return []
    except OSError as error:
        problems.append(Problem(str(folder), 0, f"cannot be read: {error.strerror or error}"))
        return []


def files_below(
    folder: Path | str, problems: list[Problem], endings: tuple[str, ...], depth: int
) -> Iterator[os.DirEntry[str]]:
    """The files in a folder and so many levels below it whose names end so. Links to folders are not followed."""
    for entry in scan(folder, problems):
        if entry.is_dir(follow_symlinks=False):
            if depth > 0:
                yield from files_below(entry.path, problems, endings, depth - 1)
        elif entry.name.endswith(endings):
            yield entry


def file_of(
    entry: os.DirEntry[str],
    kind: str,
    session_id: str,
    place: FoundIn,
    parent: str | None,
    problems: list[Problem],
    *,
    parent_inside: bool = False,
) -> Iterator[SourceFile]:
    """The file as it looks now; nothing, or a problem, where it cannot be one of ours."""
    try:
        if not entry.is_file():
            return
        # DirEntry.stat leaves the inode 0 on Windows; os.stat does not.
        info = entry.stat() if os.name != "nt" else Path(entry.path).stat()
    except OSError as error:
        problems.append(Problem(entry.path, 0, f"cannot be read: {error.strerror or error}"))
        return
    path = os.path.realpath(entry.path) if entry.is_symlink() else entry.path
    try:
        path.encode()
    except UnicodeEncodeError:
        shown = path.encode("utf-8", "replace").decode()
        problems.append(Problem(shown, 0, "its name is not UTF-8: not read"))
        return
    state = (info.st_size, info.st_mtime_ns, info.st_ino)
    yield SourceFile(path, kind, session_id, *place, parent, *state, parent_inside=parent_inside)
