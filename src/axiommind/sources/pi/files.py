"""Where Pi keeps its sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from axiommind.model import Problem
from axiommind.sources.contract import Discovery, SourceFile
from axiommind.sources.finding import FoundIn, file_of, files_below, unique_roots

__all__ = ["discover"]


def discover(
    environ: Mapping[str, str],
    home: Path,
    roots: Sequence[str],
    project: str | None = None,  # noqa: ARG001 - a folder's name does not tell which path it was
) -> Discovery:
    agent = Path(environ.get("PI_CODING_AGENT_DIR") or home / ".pi" / "agent")
    own = environ.get("PI_CODING_AGENT_SESSION_DIR") or agent / "sessions"
    places = unique_roots((own, *roots))
    problems: list[Problem] = []
    files: dict[str, SourceFile] = {}
    for root in places:
        for entry in files_below(root, problems, (".jsonl",), depth=1):
            # `2026-11-16T04-57-40-610Z_<id>.jsonl`
            session = entry.name.removesuffix(".jsonl").rpartition("_")[2]
            folder = Path(entry.path).parent.name
            for found in file_of(entry, "transcript", session, FoundIn(str(root), folder), None, problems):
                files.setdefault(found.path, found)
    return Discovery(tuple(map(str, places)), tuple(files.values()), tuple(problems))
