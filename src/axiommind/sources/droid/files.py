"""Where Droid keeps its sessions, and what it notes beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from axiommind.model import Problem
from axiommind.sources.contract import Discovery, SourceFile
from axiommind.sources.finding import FoundIn, file_of, files_below, unique_roots
from axiommind.sources.values import whole_number
from axiommind.text import jsonlines

__all__ = ["discover", "sidecar"]

_LINES = ".jsonl"
_SETTINGS = ".settings.json"
# Of `tokenUsage`. What children spent is in `inclusiveTokenUsage` only, and stands in their own files.
_TOKENS = {
    "inputTokens": "input_tokens",
    "outputTokens": "output_tokens",
    "cacheCreationTokens": "cache_creation_tokens",
    "cacheReadTokens": "cache_read_tokens",
}


def discover(
    environ: Mapping[str, str],  # noqa: ARG001 - the client has no variable for it
    home: Path,
    roots: Sequence[str],
    project: str | None = None,  # noqa: ARG001 - a folder's name does not tell which path it was
) -> Discovery:
    places = unique_roots((home / ".factory" / "sessions", *roots))
    problems: list[Problem] = []
    files: dict[str, SourceFile] = {}
    for root in places:
        for entry in files_below(root, problems, (_LINES, _SETTINGS), depth=1):
            place = FoundIn(str(root), Path(entry.path).parent.name)
            if entry.name.endswith(_SETTINGS):
                session = entry.name.removesuffix(_SETTINGS)
                found = file_of(entry, "settings", session, place, None, problems)
            else:
                session = entry.name.removesuffix(_LINES)
                found = file_of(entry, "transcript", session, place, None, problems, parent_inside=True)
            for file in found:
                files.setdefault(file.path, file)
    return Discovery(tuple(map(str, places)), tuple(files.values()), tuple(problems))


def sidecar(kind: str, content: bytes) -> dict[str, str]:  # noqa: ARG001 - there is one
    """What a session spent, with which model, and the call that started it where it is a subagent's."""
    try:
        value = jsonlines.parse(content)
    except ValueError:
        return {}
    if not isinstance(value, dict):
        return {}
    found: dict[str, str] = {}
    if isinstance(value.get("model"), str):
        found["model"] = value["model"]
    usage = value.get("tokenUsage")
    if isinstance(usage, dict):
        found |= {ours: str(whole_number(usage.get(theirs)) or 0) for theirs, ours in _TOKENS.items()}
    call = _calling(value.get("tags"))
    return found if call is None else {**found, "parent_tool_use_id": call}


def _calling(tags: Any) -> str | None:
    for tag in tags if isinstance(tags, list) else ():
        about = tag.get("metadata") if isinstance(tag, dict) else None
        if isinstance(about, dict) and isinstance(about.get("callingToolUseId"), str):
            return str(about["callingToolUseId"])
    return None
