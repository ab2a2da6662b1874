"""Where Qwen Code keeps its sessions, and what the small files beside those of subagents say."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from axiommind.model import Problem
from axiommind.sources.contract import Discovery, SourceFile
from axiommind.sources.finding import FoundIn, file_of, scan, unique_roots
from axiommind.text import jsonlines

__all__ = ["discover", "sidecar"]

_META = ".meta.json"
_LINES = ".jsonl"
_FACTS = {"agentType": "agent_type", "toolUseId": "parent_tool_use_id", "description": "title", "model": "model"}


def discover(
    environ: Mapping[str, str],
    home: Path,
    roots: Sequence[str],
    project: str | None = None,  # noqa: ARG001 - a folder's name does not tell which path it was
) -> Discovery:
    own = environ.get("QWEN_RUNTIME_DIR") or environ.get("QWEN_HOME") or home / ".qwen"
    places = unique_roots((Path(own) / "projects", *roots))
    problems: list[Problem] = []
    files: dict[str, SourceFile] = {}
    for root in places:
        for folder in scan(root, problems):
            if folder.is_dir():
                for found in _in_folder(folder.path, FoundIn(str(root), folder.name), problems):
                    files.setdefault(found.path, found)
    # A parent before its subagents, so that its project is known when theirs is asked for.
    ordered = sorted(files.values(), key=lambda file: (file.parent_session is not None, file.path))
    return Discovery(tuple(map(str, places)), tuple(ordered), tuple(problems))


def _in_folder(folder: str, place: FoundIn, problems: list[Problem]) -> Iterator[SourceFile]:
    for entry in scan(os.path.join(folder, "chats"), problems):  # noqa: PTH118 - once for each of many folders
        if entry.name.endswith(_LINES):
            yield from file_of(entry, "transcript", entry.name.removesuffix(_LINES), place, None, problems)
    for parent in scan(os.path.join(folder, "subagents"), problems):  # noqa: PTH118
        for entry in scan(parent.path, problems) if parent.is_dir(follow_symlinks=False) else ():
            for ending, kind in ((_META, "agent-meta"), (_LINES, "transcript")):
                if entry.name.endswith(ending):
                    yield from file_of(entry, kind, entry.name.removesuffix(ending), place, parent.name, problems)


def sidecar(kind: str, content: bytes) -> dict[str, str]:  # noqa: ARG001 - there is one
    """What a subagent is, what it was given to do, and by which call."""
    try:
        value = jsonlines.parse(content)
    except ValueError:
        return {}
    if not isinstance(value, dict):
        return {}
    return {ours: value[theirs] for theirs, ours in _FACTS.items() if isinstance(value.get(theirs), str)}
