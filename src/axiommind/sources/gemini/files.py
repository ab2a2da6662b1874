"""Where Gemini CLI keeps its sessions, and how the older ones are read as lines."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from axiommind.model import Problem
from axiommind.sources.contract import Discovery, SourceFile
from axiommind.sources.finding import FoundIn, file_of, scan, unique_roots
from axiommind.sources.gemini.projects import known_folders, project_root
from axiommind.sources.rendered import Rendered, document_in
from axiommind.text import jsonlines

__all__ = ["discover", "folders_of", "open_stream", "session_of"]

_ENDINGS = (".jsonl", ".json")
_SESSION = "session-"  # how the name of a session's file begins; that of a subagent's is its id
_ID = re.compile(rb'"sessionId"\s*:\s*"([^"\\]{1,200})"')
_BEGINNING = 4096
# What a document says of itself besides its messages; what changes with every message comes last or not at all.
_STABLE = ("sessionId", "projectHash", "startTime", "kind", "directories")


def discover(
    environ: Mapping[str, str],
    home: Path,
    roots: Sequence[str],
    project: str | None = None,  # noqa: ARG001 - what the folders are called is told by files in them
) -> Discovery:
    own = Path(environ.get("GEMINI_CLI_HOME") or home) / ".gemini" / "tmp"
    places = unique_roots((own, *roots))
    problems: list[Problem] = []
    files: dict[str, SourceFile] = {}
    for root in places:
        for folder in scan(root, problems):
            if not folder.is_dir():
                continue
            chats = os.path.join(folder.path, "chats")  # noqa: PTH118 - once for each of many folders
            for found in _in_chats(chats, FoundIn(str(root), folder.name), problems):
                files.setdefault(found.path, found)
    # A parent before its subagents, so that its project is known when theirs is asked for.
    ordered = sorted(files.values(), key=lambda file: (file.parent_session is not None, file.path))
    return Discovery(tuple(map(str, places)), tuple(ordered), tuple(problems))


def folders_of(files: Sequence[SourceFile]) -> dict[str, str]:
    listed = {root: known_folders(Path(root)) for root in {file.root for file in files}}
    places = {(file.root, file.folder) for file in files}
    known = {(root, folder): project_root(Path(root) / folder, listed[root]) for root, folder in places}
    named = ((file, known[file.root, file.folder]) for file in files)
    return {file.path: folder for file, folder in named if folder is not None}


def _in_chats(chats: str, place: FoundIn, problems: list[Problem]) -> Iterator[SourceFile]:
    for entry in scan(chats, problems):
        if entry.is_dir(follow_symlinks=False):
            for inner in scan(entry.path, problems):
                stem = inner.name.rpartition(".")[0]
                if inner.name.endswith(_ENDINGS):
                    yield from file_of(inner, "transcript", stem, place, entry.name, problems)
        elif entry.name.startswith(_SESSION) and entry.name.endswith(_ENDINGS):
            # Its name ends in the first eight characters of the id.
            yield from file_of(entry, "transcript", "", place, None, problems)


def session_of(file: SourceFile) -> str:
    try:
        with Path(file.path).open("rb") as opened:
            found = _ID.search(opened.read(_BEGINNING))
    except OSError:
        found = None
    return Path(file.path).stem if found is None else found[1].decode("utf-8", "replace")


def open_stream(path: str) -> BinaryIO:
    """The lines of a session; a document of an older version as the lines that a newer one would have written."""
    if not path.endswith(".json"):
        return Path(path).open("rb")
    document = document_in(path)
    if document is None:
        return Rendered(())
    if not isinstance(document, dict):
        raise ValueError("not a session: no JSON object")
    return Rendered(jsonlines.encode(line) for line in _lines(document))


def _lines(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {name: document[name] for name in _STABLE if name in document}
    messages = document.get("messages")
    yield from (one for one in (messages if isinstance(messages, list) else ()) if isinstance(one, dict))
    if isinstance(document.get("summary"), str):
        yield {"$set": {"summary": document["summary"]}}
