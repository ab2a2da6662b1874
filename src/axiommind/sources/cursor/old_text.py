"""Transcripts of the first versions of Cursor's command line, which were plain text: rendered as the lines that later
versions write."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from axiommind.sources.rendered import Rendered
from axiommind.text import jsonlines

__all__ = ["read"]

_SPEAKER = re.compile(r"(user|assistant):\s*")
_MARK = re.compile(r"\[(Thinking|Tool call|Tool result)\]\s*(.*)")
_FIELD = re.compile(r" {2,}(\w+): ?(.*)")


def read(path: str) -> Rendered:
    """`user:` and `assistant:` on lines of their own, and below them `[Tool call] NAME` with its fields indented."""
    return Rendered(_lines(Path(path).read_bytes().decode("utf-8", "replace")))


def _lines(text: str) -> Iterator[bytes]:
    role, content = "", list[dict[str, Any]]()
    inside_query = False
    for line in text.splitlines():
        speaker = None if inside_query else _SPEAKER.fullmatch(line)
        if speaker:
            if role and content:
                yield _line(role, content)
            role, content = speaker[1], []
            continue
        inside_query = (inside_query or "<user_query>" in line) and "</user_query>" not in line
        if role:
            _add(content, line, typed=role == "user")
    if role and content:
        yield _line(role, content)


def _add(content: list[dict[str, Any]], line: str, *, typed: bool) -> None:
    last = content[-1] if content else {}
    mark = None if typed else _MARK.fullmatch(line)
    field = _FIELD.fullmatch(line) if last.get("type") == "tool_use" else None
    if mark:
        if mark[1] == "Tool call":
            content.append({"type": "tool_use", "name": mark[2].strip() or "?", "input": {}})
        else:
            content.append({"type": mark[1].lower().replace(" ", "_"), "text": mark[2]})
    elif field:
        last["input"][field[1]] = field[2]
        last["field"] = field[1]
    elif last.get("type") == "tool_use" and line.startswith("  ") and "field" in last:
        last["input"][last["field"]] += "\n" + line
    elif last.get("type") == "text" or (last.get("type") == "thinking" and line.strip() and not last.get("ended")):
        last["text"] += "\n" + line
    elif last.get("type") == "thinking" and not line.strip():
        last["ended"] = True
    elif line.strip():
        content.append({"type": "text", "text": line})


def _line(role: str, content: list[dict[str, Any]]) -> bytes:
    for part in content:
        part.pop("field", None)
        part.pop("ended", None)
        if "text" in part:
            part["text"] = part["text"].strip("\n")
    return jsonlines.encode({"role": role, "message": {"content": content}})
