"""Where OpenCode keeps its sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from axiommind.model import Problem
from axiommind.sources.contract import Discovery, SourceFile
from axiommind.sources.databases import database_file
from axiommind.sources.finding import scan, unique_roots
from axiommind.sources.opencode import rows, storage
from axiommind.sources.rendered import Rendered

__all__ = ["discover", "expand", "open_stream"]


def discover(
    environ: Mapping[str, str],
    home: Path,
    roots: Sequence[str],
    project: str | None = None,  # noqa: ARG001 - which sessions are a project's stands in the rows
) -> Discovery:
    data = Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    own = Path(environ.get("OPENCODE_DB") or "")
    places = unique_roots((data / "opencode", *((own.parent,) if own.is_absolute() else ()), *roots))
    problems: list[Problem] = []
    files: dict[str, SourceFile] = {}
    for root in places:
        databases = [e.path for e in scan(root, problems) if e.name.startswith("opencode") and e.name.endswith(".db")]
        if own.is_absolute() and own.parent == root:
            databases.append(str(own))
        for path in databases:
            found = database_file(Path(path), str(root))
            if found is not None:
                files.setdefault(found.path, found)
        for found in storage.sessions(root, problems):
            files.setdefault(found.path, found)
    return Discovery(tuple(map(str, places)), tuple(files.values()), tuple(problems))


def expand(container: SourceFile) -> Discovery:
    found, problems = rows.sessions(container)
    return Discovery((container.root,), tuple(found), tuple(problems))


def open_stream(path: str) -> Rendered:
    return storage.read(path) if path.endswith(".json") else rows.read(path)
