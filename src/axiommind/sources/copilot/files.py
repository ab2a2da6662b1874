"""Where Copilot CLI keeps its sessions, and what the file beside the events says."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from axiommind.model import Problem
from axiommind.sources.contract import Discovery, SourceFile
from axiommind.sources.finding import FoundIn, file_of, scan, unique_roots

__all__ = ["discover", "sidecar", "watched"]

_STATE = "session-state"
_FOLDERS = (_STATE, "history-session-state")
_EVENTS = "events.jsonl"
_WORKSPACE = "workspace.yaml"
_NAME = re.compile(rb"^name:[ \t]*(\S.*?)[ \t\r]*$", re.MULTILINE)


def discover(
    environ: Mapping[str, str],
    home: Path,
    roots: Sequence[str],
    project: str | None = None,  # noqa: ARG001 - the folders are sessions
) -> Discovery:
    places = unique_roots((environ.get("COPILOT_HOME") or home / ".copilot", *roots))
    problems: list[Problem] = []
    files: dict[str, SourceFile] = {}
    for root in places:
        folders = [root / name for name in _FOLDERS if (root / name).is_dir()]
        if not folders and root.name != ".copilot":  # a folder of sessions that the settings name
            folders = [root]
        for folder in folders:
            for entry in scan(folder, problems):
                for found in _session(entry, FoundIn(str(root), folder.name), problems):
                    files.setdefault(found.path, found)
    return Discovery(tuple(map(str, places)), tuple(files.values()), tuple(problems))


def _session(entry: os.DirEntry[str], place: FoundIn, problems: list[Problem]) -> Iterator[SourceFile]:
    if not entry.is_dir(follow_symlinks=False):
        if entry.name.endswith(".jsonl"):  # versions before 1.0
            yield from file_of(entry, "transcript", entry.name.removesuffix(".jsonl"), place, None, problems)
        return
    for inner in scan(entry.path, problems):
        kind = {_EVENTS: "transcript", _WORKSPACE: "workspace"}.get(inner.name)
        if kind is not None:
            yield from file_of(inner, kind, entry.name, place, None, problems)


def watched(root: Path) -> Path:
    """The folder in which sessions appear; the root itself until the client has made it."""
    return root / _STATE if (root / _STATE).is_dir() else root


def sidecar(kind: str, content: bytes) -> dict[str, str]:  # noqa: ARG001 - there is one kind
    """What a session is called. Only that line is read: the rest the events say too."""
    found = _NAME.search(content)
    if found is None:
        return {}
    text = found[1].decode("utf-8", "replace")
    if text.startswith("'") and text.endswith("'") and len(text) > 1:
        text = text[1:-1].replace("''", "'")
    elif text.startswith('"'):
        try:
            text = str(json.loads(text))
        except ValueError:
            return {}
    return {} if text.strip() in ("", "null", "~", "|", ">", "|-", ">-") else {"title": text.strip()}
