"""`history.jsonl`: every prompt that a person typed in the terminal, of all sessions in one file. Claude Code keeps it
when it deletes a transcript, so it has what was asked in sessions that are gone.

It is read as lines of the sessions they are of. Where a transcript has the same words, they count there (as with
prompts that were queued).
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from axiommind.projects import slug
from axiommind.sources.contract import Discovery, SourceFile
from axiommind.sources.rendered import Rendered, split_stream, stream_name
from axiommind.text import jsonlines

__all__ = ["HISTORY", "TYPE", "expand", "open_history"]

HISTORY = "history.jsonl"
TYPE = "axm-typed"  # of the lines made here; no line of the client has it


def expand(container: SourceFile) -> Discovery:
    """The sessions that prompts were typed in."""
    state = Path(container.path).stat()
    files = []
    for session, lines in _by_session(container.path, state.st_size, state.st_mtime_ns).items():
        last = lines[-1]
        size = sum(len(line) + 1 for line, _ in lines)
        folder = slug(str(last[1].get("project") or ""))
        when = int(last[1]["timestamp"]) * 1_000_000
        stream = stream_name(container.path, session)
        files.append(SourceFile(stream, "transcript", session, container.root, folder, None, size, when, 0))
    return Discovery((container.root,), tuple(files), ())


def open_history(stream: str) -> Rendered:
    path, session = split_stream(stream)
    state = Path(path).stat()
    found = _by_session(path, state.st_size, state.st_mtime_ns)
    return Rendered(line for line, _ in found.get(session, ()))


@lru_cache(maxsize=2)
def _by_session(path: str, _size: int, _changed: int) -> dict[str, list[tuple[bytes, dict[str, Any]]]]:
    """The prompts of each session, as lines of it and as they are in the file."""
    found: dict[str, list[tuple[bytes, dict[str, Any]]]] = {}
    with Path(path).open("rb") as file:
        for raw in file:
            try:
                typed = jsonlines.parse(raw)
            except ValueError:  # torn, or nothing of ours
                continue
            if not isinstance(typed, dict) or not isinstance(typed.get("sessionId"), str):
                continue
            if not isinstance(typed.get("display"), str) or not isinstance(typed.get("timestamp"), (int, float)):
                continue
            session = typed["sessionId"]
            line = {
                "type": TYPE,
                "sessionId": session,
                "timestamp": int(typed["timestamp"]),
                "cwd": typed.get("project"),
                "content": typed["display"],
            }
            if session and "#" not in session:
                found.setdefault(session, []).append((jsonlines.encode(line), typed))
    return found
