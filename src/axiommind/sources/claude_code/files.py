"""Where Claude Code keeps its transcripts: its folders, the files in them, what to watch for changes, and what the
small files beside a transcript say."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from axiommind.model import Problem
from axiommind.projects import WORKTREE_SLUGS, slug, worktrees_of
from axiommind.sources.claude_code.prompt_history import HISTORY, open_history
from axiommind.sources.claude_code.relayed import SUBAGENT
from axiommind.sources.contract import Discovery, SourceFile
from axiommind.sources.finding import FoundIn, file_of, scan, unique_roots
from axiommind.text import jsonlines

__all__ = ["deletes_after", "discover", "open_stream", "roots_of", "sidecar", "watched"]

_PROJECTS = "projects"
_DELETES_AFTER = 30  # days, where its settings name none
_META = ".meta.json"
_TITLE = "custom-title.json"
_NOTES = "memory"
# Folders of the sessions in which a model was asked about other sessions (`llm/providers/claude.py`). They leave no
# transcript; with a client that writes one all the same, the memory must not read its own questions.
_OURS = re.compile(r"-axm-claude-[A-Za-z0-9_-]{8}$")


def roots_of(environ: Mapping[str, str], home: Path, more: Sequence[str]) -> list[Path]:
    """The configuration folders: what the client is told by the environment, else its defaults; then ours."""
    told = [p.strip() for p in environ.get("CLAUDE_CONFIG_DIR", "").split(",") if p.strip()]
    if told:
        found = [Path(p).expanduser() for p in told]
    else:
        xdg = environ.get("XDG_CONFIG_HOME") or str(home / ".config")
        found = [home / ".claude", Path(xdg) / "claude"]
    return unique_roots((*found, *more))


def deletes_after(root: Path) -> int:
    """The days after which the client deletes a transcript that nobody has touched."""
    try:
        settings = json.loads((root / "settings.json").read_text(encoding="utf-8"))
        days = settings.get("cleanupPeriodDays")
        return days if isinstance(days, int) and days > 0 else _DELETES_AFTER
    except (OSError, ValueError, AttributeError):
        return _DELETES_AFTER


def watched(root: Path) -> Path:
    """The folder in which transcripts appear; the root itself until the client has made it."""
    projects = root / _PROJECTS
    return projects if projects.is_dir() else root


def discover(environ: Mapping[str, str], home: Path, roots: Sequence[str], project: str | None = None) -> Discovery:
    files: dict[str, SourceFile] = {}
    notes: list[tuple[str, str]] = []
    history: list[SourceFile] = []
    problems: list[Problem] = []
    places = roots_of(environ, home, roots)
    wanted = None if project is None else [slug(p) for p in (os.path.realpath(project), *worktrees_of(project))]
    seen: set[str] = set()
    for root in places:
        history += _history(root, problems)
        for folder in scan(root / _PROJECTS, problems):
            if not folder.is_dir() or _OURS.search(folder.name):
                continue
            if wanted is not None and not any(_may_belong(folder.name, name) for name in wanted):
                continue
            real = os.path.realpath(folder.path)
            if real not in seen:  # the same folder by another name is read once
                seen.add(real)
                notes += _notes(folder.name, real)
                for found in _in_folder(FoundIn(str(root), folder.name), real, problems):
                    files.setdefault(found.path, found)
    # A parent before its subagents, so that its project is known when theirs is asked for.
    ordered = sorted(files.values(), key=lambda f: (f.parent_session is not None or f.parent_inside, f.path))
    ordered += history if project is None else ()  # it is of all projects
    return Discovery(tuple(str(p) for p in places), tuple(ordered), tuple(problems), tuple(notes))


def open_stream(path: str) -> BinaryIO:
    """A transcript, or the prompts of one session in the file that has those of all."""
    return open_history(path) if f"{HISTORY}#" in path else Path(path).open("rb")


def _may_belong(name: str, wanted: str) -> bool:
    """The project's own folder, those of its worktrees, and old hashes of long paths."""
    return (
        name == wanted
        or name.startswith(tuple(wanted + more for more in WORKTREE_SLUGS))
        or (len(wanted) > 200 and name.startswith(wanted[:200] + "-"))
    )


def _history(root: Path, problems: list[Problem]) -> Iterator[SourceFile]:
    for entry in scan(root, problems):
        if entry.name == HISTORY:
            yield from file_of(entry, "container", "", FoundIn(str(root), ""), None, problems)


def _notes(folder: str, path: str) -> list[tuple[str, str]]:
    """The folder of what Claude Code notes for itself in a project, where it has noted something."""
    notes = os.path.join(path, _NOTES)  # noqa: PTH118
    return [(notes, folder)] if any(entry.name.endswith(".md") for entry in scan(notes, [])) else []


def _in_folder(place: FoundIn, path: str, problems: list[Problem]) -> Iterator[SourceFile]:
    for entry in scan(path, problems):
        stem, dot, ending = entry.name.rpartition(".")
        if dot and ending == "jsonl" and "." not in stem and stem:
            inside = stem.startswith(SUBAGENT)  # [OLD] subagents lie beside their parent
            yield from file_of(entry, "transcript", stem, place, None, problems, parent_inside=inside)
        elif entry.name != _NOTES and entry.is_dir(follow_symlinks=False):
            yield from _of_session(entry, place, problems)


def _of_session(session: os.DirEntry[str], place: FoundIn, problems: list[Problem]) -> Iterator[SourceFile]:
    """What lies in `<session>/`: its title, and its subagents, also those of workflows."""
    for entry in scan(session.path, problems):
        if entry.name == _TITLE:
            yield from file_of(entry, "custom-title", session.name, place, None, problems)
        elif entry.name == "subagents" and entry.is_dir(follow_symlinks=False):
            pending = [entry.path]
            while pending:
                for inner in scan(pending.pop(), problems):
                    if inner.is_dir(follow_symlinks=False):
                        pending.append(inner.path)
                    elif inner.name.startswith(SUBAGENT):
                        yield from _of_subagent(inner, session.name, place, problems)


def _of_subagent(entry: os.DirEntry[str], parent: str, place: FoundIn, problems: list[Problem]) -> Iterator[SourceFile]:
    if entry.name.endswith(_META):
        yield from file_of(entry, "agent-meta", entry.name.removesuffix(_META), place, parent, problems)
    elif entry.name.endswith(".jsonl") and entry.name.count(".") == 1:
        yield from file_of(entry, "transcript", entry.name.removesuffix(".jsonl"), place, parent, problems)


def sidecar(kind: str, content: bytes) -> dict[str, str]:
    """The facts of a small file beside a transcript: a title, or which call started a subagent."""
    try:
        value = jsonlines.parse(content)
    except ValueError:
        return {}
    if not isinstance(value, dict):
        return {}
    names = {
        "custom-title": {"customTitle": "title"},
        "agent-meta": {"agentType": "agent_type", "toolUseId": "parent_tool_use_id", "description": "title"},
    }[kind]
    return {ours: value[theirs] for theirs, ours in names.items() if isinstance(value.get(theirs), str)}
