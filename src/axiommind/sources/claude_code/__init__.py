"""Claude Code: where its transcripts lie, and which of their bytes are bulk. `_claude_lines` reads the rest.

The format is internal to the client and changes without notice, so nothing here fails on what it does not know.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from axiommind.model import Problem
from axiommind.projects import slug, worktrees_of
from axiommind.sources import Discovery, SourceFile
from axiommind.sources.claude_code.blocks import blocks
from axiommind.sources.claude_code.lines import BULK_TYPES, decode, sidecar
from axiommind.sources.jsonl import stub
from axiommind.text import jsonlines

__all__ = ["NAME", "blocks", "decode", "discover", "prune", "roots_of", "sidecar"]

NAME = "claude-code"

# --- where the files are -----------------------------------------------------------------------------------


def roots_of(environ: Mapping[str, str], home: Path, more: Sequence[str]) -> list[Path]:
    """The configuration folders: what the client is told by the environment, else its defaults; then ours."""
    told = [p.strip() for p in environ.get("CLAUDE_CONFIG_DIR", "").split(",") if p.strip()]
    if told:
        found = [Path(p).expanduser() for p in told]
    else:
        xdg = environ.get("XDG_CONFIG_HOME") or str(home / ".config")
        found = [home / ".claude", Path(xdg) / "claude"]
    found += [Path(p).expanduser() for p in more]
    unique: dict[str, Path] = {}
    for root in found:
        unique.setdefault(os.path.realpath(root), Path(os.path.realpath(root)))
    return list(unique.values())


def discover(environ: Mapping[str, str], home: Path, roots: Sequence[str], project: str | None = None) -> Discovery:
    files: dict[str, SourceFile] = {}
    problems: list[Problem] = []
    places = roots_of(environ, home, roots)
    wanted = None if project is None else [slug(p) for p in (os.path.realpath(project), *worktrees_of(project))]
    seen: set[str] = set()
    for root in places:
        for folder in _scan(root / "projects", problems):
            if not folder.is_dir():
                continue
            if wanted is not None and not any(_may_belong(folder.name, name) for name in wanted):
                continue
            real = os.path.realpath(folder.path)
            if real not in seen:  # the same folder by another name is read once
                seen.add(real)
                for found in _in_folder(_Place(str(root), folder.name), real, problems):
                    files.setdefault(found.path, found)
    # A parent before its subagents, so that its project is known when theirs is asked for.
    ordered = sorted(
        files.values(), key=lambda f: (f.parent_session is not None or f.session_id.startswith("agent-"), f.path)
    )
    return Discovery(tuple(str(p) for p in places), tuple(ordered), tuple(problems))


def _may_belong(name: str, wanted: str) -> bool:
    """The project's own folder, those of its worktrees, and old hashes of long paths."""
    return (
        name == wanted
        or name.startswith(f"{wanted}--claude-worktrees-")
        or (len(wanted) > 200 and name.startswith(wanted[:200] + "-"))
    )


def _scan(folder: Path | str, problems: list[Problem]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda e: e.name)
    except FileNotFoundError:
        return []
    except OSError as error:
        problems.append(Problem(str(folder), 0, f"cannot be read: {error.strerror or error}"))
        return []


class _Place(NamedTuple):
    """The root and the project folder that a file was found in, as they are called there."""

    root: str
    folder: str


def _in_folder(place: _Place, path: str, problems: list[Problem]) -> Iterator[SourceFile]:
    for entry in _scan(path, problems):
        stem, dot, ending = entry.name.rpartition(".")
        if dot and ending == "jsonl" and "." not in stem and stem:
            yield from _file(entry, "transcript", stem, place, None, problems)
        elif entry.name != "memory" and entry.is_dir(follow_symlinks=False):
            yield from _of_session(entry, place, problems)


def _of_session(session: os.DirEntry[str], place: _Place, problems: list[Problem]) -> Iterator[SourceFile]:
    """What lies in `<session>/`: its title, and its subagents, also those of workflows."""
    for entry in _scan(session.path, problems):
        if entry.name == "custom-title.json":
            yield from _file(entry, "custom-title", session.name, place, None, problems)
        elif entry.name == "subagents" and entry.is_dir(follow_symlinks=False):
            pending = [entry.path]
            while pending:
                for inner in _scan(pending.pop(), problems):
                    if inner.is_dir(follow_symlinks=False):
                        pending.append(inner.path)
                    elif inner.name.startswith("agent-"):
                        yield from _of_subagent(inner, session.name, place, problems)


def _of_subagent(entry: os.DirEntry[str], parent: str, place: _Place, problems: list[Problem]) -> Iterator[SourceFile]:
    if entry.name.endswith(".meta.json"):
        yield from _file(entry, "agent-meta", entry.name.removesuffix(".meta.json"), place, parent, problems)
    elif entry.name.endswith(".jsonl") and entry.name.count(".") == 1:
        yield from _file(entry, "transcript", entry.name.removesuffix(".jsonl"), place, parent, problems)


def _file(
    entry: os.DirEntry[str],
    kind: str,
    session_id: str,
    place: _Place,
    parent: str | None,
    problems: list[Problem],
) -> Iterator[SourceFile]:
    try:
        if not entry.is_file():
            return
        # DirEntry.stat leaves the inode 0 on Windows; os.stat does not.
        info = entry.stat() if os.name != "nt" else Path(entry.path).stat()
    except OSError as error:
        problems.append(Problem(entry.path, 0, f"cannot be read: {error.strerror or error}"))
        return
    path = os.path.realpath(entry.path) if entry.is_symlink() else entry.path
    try:
        path.encode()
    except UnicodeEncodeError:
        shown = path.encode("utf-8", "replace").decode()
        problems.append(Problem(shown, 0, "its name is not UTF-8: not read"))
        return
    yield SourceFile(path, kind, session_id, *place, parent, info.st_size, info.st_mtime_ns, info.st_ino)


# --- what of a line is bulk --------------------------------------------------------------------------------

# Vendor text rendered for the model, not said by anyone in the session.
_BULK_ATTACHMENTS = {
    "prompt_snapshot",
    "skill_listing",
    "agent_listing_delta",
    "deferred_tools_delta",
    "mcp_instructions_delta",
    "environment",
    "model",
    "session_context",
    "invoked_skills",
    "command_permissions",
}
# Parts of `toolUseResult` that repeat the tool's input or its `tool_result`, or a whole file as it was before.
_BULK_RESULT_KEYS = {
    "stdout",
    "stderr",
    "content",
    "originalFile",
    "structuredPatch",
    "oldString",
    "newString",
    "base64",
    "output",
    "result",
    "prompt",
    "edits",
}
_BULK_SIZE = 2048
_LARGE_LINE = 8192
_DEPTH = 8
_IMAGE = b'"base64"'
_RESULT = b'"toolUseResult":'


class _Outline(msgspec.Struct):
    """Enough of a line to decide; everything else is skipped over, not built."""

    type: Any = None
    uuid: Any = None
    timestamp: Any = None
    attachment: msgspec.Raw = msgspec.Raw(b"")
    data: msgspec.Raw = msgspec.Raw(b"")
    toolUseResult: msgspec.Raw = msgspec.Raw(b"")  # noqa: N815 - the client's name


class _Kind(msgspec.Struct):
    type: Any = None


_outline = msgspec.json.Decoder(_Outline).decode
_kind = msgspec.json.Decoder(_Kind).decode
_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def prune(line: bytes) -> bytes:
    if len(line) < 512:
        return line
    try:
        outline = _outline(line)
        if outline.type in BULK_TYPES:
            return _stub(line, outline, bytes(outline.data))
        if outline.type == "attachment":
            inner = bytes(outline.attachment)
            kind = _kind(inner).type if inner else None
            if kind in _BULK_ATTACHMENTS or (len(line) > _LARGE_LINE and kind != "queued_command"):
                return _stub(line, outline, inner)
        if outline.type == "file-history-snapshot" and len(line) > _LARGE_LINE:
            return _stub(line, outline, b"")
        result = bytes(outline.toolUseResult)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, TypeError):
        return line
    if len(result) > _BULK_SIZE:
        line = _with_thin_result(line, result)
    if _IMAGE in line:
        line = _without_images(line)
    return line


def _with_thin_result(line: bytes, result: bytes) -> bytes:
    """The line with its `toolUseResult` replaced. The name in quotes cannot occur inside a string, where the quotes
    would be escaped, so the first place where name and value fit is the right one."""
    try:
        thin = _thin(result, 0)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return line
    at = line.find(_RESULT)
    start = at + len(_RESULT)
    if at >= 0 and line.startswith(result, start):
        return line[:start] + thin + line[start + len(result) :]
    return line.replace(result, thin, 1)


def _stub(line: bytes, outline: _Outline, inner: bytes) -> bytes:
    keep: dict[str, object] = {"type": outline.type}
    if inner:
        keep["kind"] = _kind(inner).type
    for name in ("uuid", "timestamp"):
        if isinstance(value := getattr(outline, name), str):
            keep[name] = value
    return stub(keep, "bulk", len(line), hashlib.sha256(line).hexdigest())


def _thin(value: bytes, depth: int) -> bytes:
    """A JSON value without the long parts under bulk keys; what stays is copied as it is, not decoded."""
    if depth > _DEPTH or len(value) <= _BULK_SIZE or not value.startswith(b"{"):
        return value
    fields = _fields(value)
    for key, raw in fields.items():
        part = bytes(raw)
        if len(part) > _BULK_SIZE:
            fields[key] = msgspec.Raw(
                jsonlines.encode(_dropped(part)) if key in _BULK_RESULT_KEYS else _thin(part, depth + 1)
            )
    return msgspec.json.encode(fields)


def _dropped(data: bytes) -> str:
    return f"[axm: dropped {len(data)} bytes sha256:{hashlib.sha256(data).hexdigest()[:32]}]"


def _without_images(line: bytes) -> bytes:
    try:
        value = jsonlines.parse(line)
    except ValueError:
        return line
    pending = [value]
    changed = False
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            if node.get("type") == "base64" and isinstance(data := node.get("data"), str) and len(data) > 256:
                node["data"] = _dropped(data.encode("utf-8", "replace"))
                changed = True
            pending.extend(node.values())
        elif isinstance(node, list):
            pending.extend(node)
    return jsonlines.encode(value) if changed else line
