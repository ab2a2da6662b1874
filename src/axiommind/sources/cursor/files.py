"""Where Cursor keeps its sessions: those of its command line by project, those of its editor in databases."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from axiommind.model import Problem
from axiommind.sources.contract import Discovery, SourceFile
from axiommind.sources.cursor import rows
from axiommind.sources.cursor.folder_names import name_of
from axiommind.sources.cursor.old_text import read as read_text
from axiommind.sources.databases import database_file
from axiommind.sources.finding import FoundIn, file_of, files_below, scan, unique_roots

__all__ = ["discover", "expand", "folders_of", "open_stream"]

_MOST_FOLDERS = 2_000  # looked through for the one that a name stands for


def discover(
    environ: Mapping[str, str],
    home: Path,
    roots: Sequence[str],
    project: str | None = None,  # noqa: ARG001 - a name of a folder may stand for several projects
) -> Discovery:
    own = environ.get("CURSOR_CONFIG_DIR") or home / ".cursor"
    places = unique_roots((own, *_editors(environ, home), *roots))
    problems: list[Problem] = []
    files: dict[str, SourceFile] = {}
    for root in places:
        for found in (*_transcripts(root, problems), *_databases(root, problems)):
            files.setdefault(found.path, found)
    return Discovery(tuple(map(str, places)), tuple(files.values()), tuple(problems))


def _editors(environ: Mapping[str, str], home: Path) -> list[Path]:
    """The editor's folder on this system, and those of other systems that are there: a home may be shared."""
    settings = {
        "linux": Path(environ.get("XDG_CONFIG_HOME") or home / ".config"),
        "darwin": home / "Library" / "Application Support",
        "win32": Path(environ.get("APPDATA") or home / "AppData" / "Roaming"),
    }
    here = sys.platform if sys.platform in settings else "linux"
    found = {system: folder / "Cursor" / "User" for system, folder in settings.items()}
    return [folder for system, folder in found.items() if system == here or folder.is_dir()]


def _transcripts(root: Path, problems: list[Problem]) -> Iterator[SourceFile]:
    """`projects/<project>/agent-transcripts/<id>.jsonl` or `…/<id>/<id>.jsonl`, with `subagents/` beside the latter."""
    for project in scan(root / "projects", problems):
        folder = Path(project.path) / "agent-transcripts"
        entries = list(files_below(folder, problems, (".jsonl", ".txt"), depth=2))
        place = FoundIn(str(root), project.name)
        lines = {entry.path.removesuffix(".jsonl") for entry in entries if entry.name.endswith(".jsonl")}
        for entry in entries:
            path = Path(entry.path)
            if path.suffix == ".txt" and str(path.with_suffix("")) in lines:
                continue  # the same session, as later versions write it
            parent = path.parent.parent.name if path.parent.name == "subagents" else None
            for found in file_of(entry, "transcript", path.stem, place, parent, problems):
                yield found._replace(is_bare=True)


def folders_of(files: Sequence[SourceFile]) -> dict[str, str]:
    """Those of sessions of the command line, whose lines do not say it; the editor's rows do."""
    lines = [file for file in files if file.is_bare and file.folder != rows.NO_PROJECT]
    known = {name: _folder_called(name) for name in {file.folder for file in lines}}
    named = ((file, known[file.folder]) for file in lines)
    return {file.path: folder for file, folder in named if folder is not None}


def _databases(root: Path, problems: list[Problem]) -> Iterator[SourceFile]:
    """The editor's: one for everything, and one for each workspace."""
    for folder in (root / "globalStorage", *(Path(e.path) for e in scan(root / "workspaceStorage", problems))):
        found = database_file(folder / "state.vscdb", str(root))
        if found is not None:
            yield found


def _folder_called(name: str) -> str | None:
    """The folder that is meant by `home-dev-my-app`, in which `/`, `.` and others became `-`: the one that is there, if
    there is just one."""
    found: list[str] = []
    looked = 0
    pending = [(Path("/"), name_of(name))]
    while pending and looked < _MOST_FOLDERS:
        folder, left = pending.pop()
        looked += 1
        if not left:
            found.append(os.path.realpath(folder))
            continue
        for entry in scan(folder, []):
            called = name_of(entry.name)
            if called and (left == called or left.startswith(called + "-")) and entry.is_dir():
                pending.append((Path(entry.path), left[len(called) + 1 :]))
    return found[0] if len(set(found)) == 1 else None


def expand(container: SourceFile) -> Discovery:
    found, problems = rows.sessions(container)
    return Discovery((container.root,), tuple(found), tuple(problems))


def open_stream(path: str) -> BinaryIO:
    if ".vscdb#" in path:
        return rows.read(path)
    return read_text(path) if path.endswith(".txt") else Path(path).open("rb")
