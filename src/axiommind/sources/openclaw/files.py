"""Where OpenClaw keeps its sessions: for each of its agents a database, and beside it the lines of archives and of
earlier versions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from axiommind.model import Problem
from axiommind.sources.contract import Discovery, SourceFile
from axiommind.sources.databases import database_file
from axiommind.sources.finding import FoundIn, file_of, files_below, scan, unique_roots
from axiommind.sources.openclaw import rows

__all__ = ["discover", "expand", "open_stream"]

# `<session>.jsonl`, `<session>-topic-5.jsonl`, `<session>.jsonl.reset.2026-01-05T08-00-00.000Z`
_ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_LINES = re.compile(rf"(?P<session>{_ID}|[^.]+)[^/]*?\.jsonl(?:\.(?:reset|deleted|bak).*)?")


def discover(
    environ: Mapping[str, str],
    home: Path,
    roots: Sequence[str],
    project: str | None = None,  # noqa: ARG001 - its sessions are not kept by project
) -> Discovery:
    own = environ.get("OPENCLAW_STATE_DIR") or home / ".openclaw"
    places = unique_roots((own, *roots))
    problems: list[Problem] = []
    files: dict[str, SourceFile] = {}
    for root in places:
        for agent in scan(root / "agents", problems):
            if not agent.is_dir():
                continue
            database = database_file(Path(agent.path) / "agent" / "openclaw-agent.sqlite", str(root))
            if database is not None:
                files.setdefault(database.path, database._replace(folder=agent.name))
            place = FoundIn(str(root), agent.name)
            for entry in files_below(Path(agent.path) / "sessions", problems, ("",), depth=1):
                name = _LINES.fullmatch(entry.name)
                for found in file_of(entry, "transcript", name["session"], place, None, problems) if name else ():
                    files.setdefault(found.path, found)
    return Discovery(tuple(map(str, places)), tuple(files.values()), tuple(problems))


def expand(container: SourceFile) -> Discovery:
    found, problems = rows.sessions(container)
    return Discovery((container.root,), tuple(found), tuple(problems))


def open_stream(path: str) -> BinaryIO:
    return rows.read(path) if ".sqlite#" in path else Path(path).open("rb")
