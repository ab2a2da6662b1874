"""A session of Cline as lines: one for the session, then one a message, in the form that its newest version gives them.

In older versions a call was written as a tag into what the model said, its result and what the person typed as parts of
the next message; here they are parts of their own, and what the client told the model is left out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from axiommind.sources.cline.tool_names import TOOLS
from axiommind.sources.rendered import Rendered, document_in
from axiommind.text import jsonlines

__all__ = ["SAYING", "open_stream"]

# Calls that only say something to the person: which of their fields it is.
SAYING = {"attempt_completion": "result", "plan_mode_respond": "response", "submit_and_exit": "summary"}
_NAMES = "|".join((*TOOLS, *SAYING, "use_mcp_tool", "access_mcp_resource", "condense"))
_CALL = re.compile(rf"<({_NAMES})>(.*?)</\1>", re.DOTALL)
_FIELD = re.compile(r"<([a-z_]+)>\n?(.*?)\n?</\1>", re.DOTALL)
_TYPED = re.compile(r"<(task|feedback|user_message|answer)>\n?(.*?)\n?</\1>", re.DOTALL)
_RESULT = re.compile(r"\[([a-z_]+)(?: for '.*?')?\] Result:\s*", re.DOTALL)
_CLIENT = re.compile(r"<(environment_details|file_content|explicit_instructions)\b[^>]*>.*?(?:</\1>|\Z)", re.DOTALL)
_THOUGHT = re.compile(r"<thinking>.*?</thinking>\s*", re.DOTALL)
_FOLDER = re.compile(r"# Current Working Directory \((.+?)\) Files")
_IMAGE = 256  # bytes; longer ones are not kept


def open_stream(path: str) -> BinaryIO:
    file = Path(path)
    document = document_in(file)
    if document is None:
        return Rendered(())
    if isinstance(document, dict):
        return Rendered(map(jsonlines.encode, _session(document, file)))
    if isinstance(document, list):
        return Rendered(map(jsonlines.encode, _task(document, file)))
    raise ValueError("not a session: no JSON object or list")


def _beside(file: Path) -> Any:
    try:
        return jsonlines.parse(file.read_bytes())
    except (OSError, ValueError):
        return None


# --- newer versions ------------------------------------------------------------------------------------------


def _session(document: dict[str, Any], file: Path) -> Iterator[dict[str, Any]]:
    about = _beside(file.with_name(f"{file.parent.name}.json"))
    about = about if isinstance(about, dict) else {}
    more = about.get("metadata")
    is_own = file.name == f"{file.parent.name}.messages.json"  # and not a subagent's
    title = more.get("title") if is_own and isinstance(more, dict) else None
    folder = about.get("cwd") or about.get("workspace_root")
    yield {
        "type": "session",
        "cwd": folder,
        "title": title,
        "agent": document.get("agent"),
        "model": about.get("model"),
    }
    messages = document.get("messages")
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, dict):
            yield {"type": "message", **message, "content": _parts(message.get("content"))}


def _parts(content: Any) -> list[Any]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [_part(part) for part in content] if isinstance(content, list) else []


def _part(part: Any) -> Any:
    """A part of a message; several commands of one call as one script, images without their bytes."""
    given = part.get("input") if isinstance(part, dict) else None
    if isinstance(given, dict) and part.get("name") == "run_commands" and isinstance(given.get("commands"), list):
        command = "\n".join(one for one in given["commands"] if isinstance(one, str))
        rest = {name: value for name, value in given.items() if name != "commands"}
        return {**part, "input": {**rest, "command": command}}
    return _without_images(part, 0)


def _without_images(value: Any, depth: int) -> Any:
    if isinstance(value, dict) and depth < 8:
        data = value.get("data")
        if isinstance(data, str) and len(data) > _IMAGE:
            digest = hashlib.sha256(data.encode("utf-8", "replace")).hexdigest()[:32]
            return {**value, "data": f"[axm: dropped {len(data)} bytes sha256:{digest}]"}
        return {name: _without_images(inner, depth + 1) for name, inner in value.items()}
    if isinstance(value, list) and depth < 8:
        return [_without_images(inner, depth + 1) for inner in value]
    return value


# --- older versions ------------------------------------------------------------------------------------------


def _task(messages: list[Any], file: Path) -> Iterator[dict[str, Any]]:
    task = file.parent.name
    folder = _known(task, file).get("cwdOnTaskInitialization") or next(filter(None, map(_folder_in, messages)), None)
    yield {"type": "session", "cwd": folder, "title": None, "started": int(task) if task.isdecimal() else None}
    waiting: list[str] = []
    for i, message in enumerate(messages):
        if not isinstance(message, dict):
            continue
        parts = _parts(message.get("content"))
        if message.get("role") == "assistant":
            parts = [one for part in parts for one in _calls(part, f"{task}-{i}")]
            waiting = [one["id"] for one in parts if _is_call(one)]
        else:
            parts = list(_typed_and_returned(parts, waiting))
        yield {"type": "message", **message, "id": f"{task}-{i}", "content": parts}
    yield from _requests(task, _beside(file.with_name("ui_messages.json")))


def _known(task: str, file: Path) -> dict[str, Any]:
    """What the list of tasks says of one."""
    listed = _beside(file.parent.parent.parent / "state" / "taskHistory.json")
    listed = listed if isinstance(listed, list) else []
    return next((one for one in listed if isinstance(one, dict) and one.get("id") == task), {})


def _folder_in(message: Any) -> str | None:
    parts = _parts(message.get("content")) if isinstance(message, dict) else []
    found = (_FOLDER.search(part["text"]) for part in parts if _is_text(part))
    return next((one[1] for one in found if one is not None), None)


def _is_call(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "tool_use" and isinstance(part.get("id"), str)


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)


def _calls(part: Any, name: str) -> Iterator[Any]:
    """What the model said, and the calls in it."""
    if not _is_text(part):
        yield part
        return
    text, at = _THOUGHT.sub("", part["text"]), 0
    for i, found in enumerate(_CALL.finditer(text)):
        yield {"type": "text", "text": text[at : found.start()].strip()}
        fields = {field[1]: field[2] for field in _FIELD.finditer(found[2])}
        yield {"type": "tool_use", "id": f"{name}-{i}", "name": found[1], "input": fields}
        at = found.end()
    yield {"type": "text", "text": text[at:].strip()}


def _typed_and_returned(parts: list[Any], waiting: list[str]) -> Iterator[Any]:
    open_result: list[str] = []
    for part in parts:
        if not _is_text(part):
            yield from _answered(part)
            continue
        text = _CLIENT.sub("", part["text"]).strip()
        yield from ({"type": "text", "text": found[2]} for found in _TYPED.finditer(text))
        result = _RESULT.match(text)
        rest = _TYPED.sub("", text[result.end() :] if result else text).strip()
        if result is not None or open_result:
            open_result.append(rest)
        elif rest and not _TYPED.search(text) and not rest.startswith("["):
            yield {"type": "text", "text": rest}
    if open_result and waiting:
        yield {"type": "tool_result", "tool_use_id": waiting[0], "content": "\n".join(filter(None, open_result))}


def _answered(part: Any) -> Iterator[Any]:
    """A result, and before it what the person wrote into it."""
    for inner in _parts(part.get("content")) if isinstance(part, dict) else ():
        if _is_text(inner):
            yield from ({"type": "text", "text": found[2]} for found in _TYPED.finditer(inner["text"]))
    yield part


def _requests(task: str, shown: Any) -> Iterator[dict[str, Any]]:
    """What each request to the model cost, from what the client shows."""
    for i, one in enumerate(shown if isinstance(shown, list) else ()):
        if isinstance(one, dict) and one.get("say") == "api_req_started" and isinstance(one.get("text"), str):
            try:
                about = jsonlines.parse(one["text"].encode())
            except ValueError:
                continue
            if isinstance(about, dict) and "tokensOut" in about:
                kept = {name: about.get(name) for name in ("tokensIn", "tokensOut", "cacheWrites", "cacheReads")}
                yield {"type": "request", "id": f"{task}-request-{i}", "ts": one.get("ts"), **kept}
