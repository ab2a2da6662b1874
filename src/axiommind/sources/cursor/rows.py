"""Sessions of Cursor's editor: JSON values in a table of keys, of which only those of sessions are looked for, and of
each only what was said and done. The other table of the database holds what signs the user in."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from axiommind.model import Problem
from axiommind.sources.contract import SourceFile
from axiommind.sources.databases import columns_in, opened, text_of
from axiommind.sources.rendered import Rendered, is_name, split_stream, stream_name
from axiommind.sources.values import milliseconds
from axiommind.text import jsonlines

__all__ = ["NO_PROJECT", "READ", "read", "sessions"]

NO_PROJECT = "empty-window"  # what Cursor calls it

READ = {"cursorDiskKV": ("key", "value", "rowid", "ROWID")}
_SETTINGS_TOO = {**READ, "ItemTable": ("key", "value")}

# A value may be a text or a blob, and anything may be in it.
_JSON = "case when json_valid(cast(value as text)) then cast(value as text) end"
_SESSIONS = f"""
    select substr(key, 14),
           json_extract({_JSON}, '$.name', '$.createdAt', '$.lastUpdatedAt', '$.status', '$.createdOnBranch',
                        '$.modelConfig.modelName', '$.conversation[0].type')
    from cursorDiskKV
    where key >= 'composerData:' and key < 'composerData;' and value is not null
"""
_KEYS = """
    select key, rowid
    from cursorDiskKV
    where key >= 'bubbleId:' and key < 'bubbleId;'
"""
_FIELDS = (
    *("type", "text", "rawText", "createdAt", "timestamp", "modelInfo.modelName", "workspaceProjectDir"),
    *("workspaceUris[0]", "toolFormerData.name", "toolFormerData.toolCallId", "toolFormerData.status"),
    *("toolFormerData.rawArgs", "toolFormerData.params", "toolFormerData.result", "toolFormerData.error"),
)
_PATHS = ", ".join(f"'$.{field}'" for field in _FIELDS)
_BUBBLES = f"""
    select key, json_extract({_JSON}, {_PATHS})
    from cursorDiskKV
    where key >= :first and key < :after and value is not null
    order by rowid
"""
_ORDER = f"""
    select json_extract({_JSON}, '$.fullConversationHeadersOnly', '$.conversation')
    from cursorDiskKV
    where key = :key
"""
_OF_A_WORKSPACE = f"""
    select json_extract({_JSON}, '$.allComposers')
    from ItemTable
    where key = 'composer.composerData'
"""
_ROW_BYTES = 1024  # about; the true size is only known when all is read
_AT_WORK = ("loading", "running", "pending", "streaming")


def sessions(container: SourceFile) -> tuple[list[SourceFile], list[Problem]]:
    """Each session with what tells whether it changed: how many values it has, and the last that was written, as each
    write makes a new row."""
    with opened(container.path, READ) as db:
        if not columns_in(db, "cursorDiskKV") >= {"key", "value"}:
            known = columns_in(db, "ItemTable") >= {"key", "value"}  # a workspace without sessions of its own
            why = "of a version that is not known here (it has no cursorDiskKV): its sessions are not read"
            return [], [] if known else [Problem(container.path, 0, why)]
        counts: dict[str, tuple[int, int]] = {}
        for key, row in db.execute(_KEYS):
            name = str(key).split(":")[1]
            count, last = counts.get(name, (0, 0))
            counts[name] = count + 1, max(last, row)
        about = {str(name): _list(values, 7) for name, values in db.execute(_SESSIONS)}
    folders = _folders(Path(container.root), container.path)
    found = []
    for name, (title, created, updated, *more, inline) in about.items():
        if not is_name(name) or (name not in counts and inline is None):  # nothing was said in it yet
            continue
        count, last = counts.get(name, (1, 0))
        said = jsonlines.encode([title, last, updated, *more])
        when = milliseconds(updated) or milliseconds(created) or 0
        cwd = folders.get(name)
        state = (count * _ROW_BYTES, when * 1_000_000, zlib.crc32(said))
        stream = stream_name(container.path, name)
        found.append(SourceFile(stream, "transcript", name, container.root, cwd or NO_PROJECT, None, *state, cwd=cwd))
    return found, []


def _list(values: Any, length: int) -> list[Any]:
    try:
        found = jsonlines.parse(values.encode()) if isinstance(values, str) else None
    except ValueError:
        found = None
    return found if isinstance(found, list) and len(found) == length else [None] * length


def _folders(root: Path, database: str) -> dict[str, str]:
    """The folder of each session, by what the workspaces say; nothing of one that cannot be read."""
    found: dict[str, str] = {}
    if not database.endswith(str(Path("globalStorage") / "state.vscdb")):
        workspaces = [Path(database).parent]
    else:
        workspaces = sorted(path.parent for path in (root / "workspaceStorage").glob("*/workspace.json"))
    for workspace in workspaces:
        try:
            about = jsonlines.parse((workspace / "workspace.json").read_bytes())
            folder = folder_of(about.get("folder") if isinstance(about, dict) else None)
            if folder is None:
                continue
            with opened(str(workspace / "state.vscdb"), _SETTINGS_TOO) as db:
                listed = [row[0] for row in db.execute(_OF_A_WORKSPACE)]
        except (OSError, ValueError):
            continue
        for composer in (one for text in listed for one in _parsed(text)):
            if isinstance(composer, dict) and isinstance(composer.get("composerId"), str):
                found[composer["composerId"]] = folder
    return found


def _parsed(text: Any) -> list[Any]:
    try:
        found = jsonlines.parse(text.encode()) if isinstance(text, str) else None
    except ValueError:
        return []
    return found if isinstance(found, list) else []


def folder_of(place: Any) -> str | None:
    """A folder, which may be written as a file's address."""
    if not isinstance(place, str) or not place:
        return None
    if not place.startswith("file:"):
        return place
    path = unquote(urlsplit(place).path)
    return path[1:] if len(path) > 2 and path[2] == ":" else path or None


def read(stream: str) -> Rendered:
    """A session as lines."""
    path, name = split_stream(stream)
    with opened(path, READ) as db:
        return Rendered(_lines(db, name))


def _lines(db: sqlite3.Connection, name: str) -> Iterator[bytes]:
    key = f"composerData:{name}"
    about = next(iter(db.execute(_SESSIONS + " and key = :key", {"key": key})), None)
    title, created, _updated, status, branch, model, _inline = _list(about[1] if about else None, 7)
    yield jsonlines.encode({"type": "session", "id": name, "createdAt": created, "branch": branch, "model": model})
    titled = not text_of(title)
    bubbles = list(_bubbles(db, name))
    for i, bubble in enumerate(bubbles):
        is_last = not any(later.get("type") == 1 for later in bubbles[i + 1 :])
        tool = bubble.get("tool")
        running = isinstance(tool, dict) and tool.get("status") in _AT_WORK
        if is_last and (running or (status == "generating" and i == len(bubbles) - 1 and bubble.get("type") != 1)):
            return  # it may still change
        yield jsonlines.encode(bubble)
        if not titled and bubble.get("type") == 2:
            titled = True
            yield jsonlines.encode({"type": "title", "title": title})


def _bubbles(db: sqlite3.Connection, name: str) -> Iterator[dict[str, Any]]:
    """What was said, in the order in which the session lists it."""
    found: dict[str, dict[str, Any]] = {}
    bounds = {"first": f"bubbleId:{name}:", "after": f"bubbleId:{name};"}
    for key, values in db.execute(_BUBBLES, bounds):
        own = str(key).split(":", 2)[2]
        fields = dict(zip(_FIELDS, _list(values, len(_FIELDS)), strict=True))
        found[own] = _bubble(own, fields)
    row = db.execute(_ORDER, {"key": f"composerData:{name}"}).fetchone()
    order, inline = _list(row[0] if row else None, 2)
    listed = [one.get("bubbleId") for one in order if isinstance(one, dict)] if isinstance(order, list) else []
    if listed:
        yield from (found[one] for one in dict.fromkeys(listed) if isinstance(one, str) and one in found)
    elif found:
        yield from sorted(found.values(), key=lambda one: milliseconds(one.get("createdAt")) or 0)
    elif isinstance(inline, list):  # as versions before 0.43 kept it
        for i, one in enumerate(inline):
            if isinstance(one, dict):
                yield _bubble(str(one.get("bubbleId") or f"{name}-{i}"), {f: _at(one, f) for f in _FIELDS})


def _at(value: Any, path: str) -> Any:
    for step in path.replace("[0]", "").split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return value[0] if path.endswith("[0]") and isinstance(value, list) and value else value


def _bubble(own: str, fields: dict[str, Any]) -> dict[str, Any]:
    if fields["type"] is None:
        return {"type": "unreadable", "id": own}
    text = fields["text"] or fields["rawText"]
    line = {
        "type": fields["type"],
        "id": own,
        "createdAt": fields["createdAt"] or fields["timestamp"],
        "text": text if isinstance(text, str) else "",
        "model": fields["modelInfo.modelName"],
        "folder": folder_of(fields["workspaceProjectDir"] or fields["workspaceUris[0]"]),
    }
    tool = {name.rpartition(".")[2]: fields[name] for name in _FIELDS if name.startswith("toolFormerData.")}
    if tool["name"] is not None:
        line["tool"] = {name: value for name, value in tool.items() if value is not None}
    return {name: value for name, value in line.items() if value not in (None, "")}
