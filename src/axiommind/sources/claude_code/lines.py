"""One line of a Claude Code transcript, parsed: fields of any type, because the format is the client's own.

A wrong type in a known field is a problem of that line and never an exception.
"""

from __future__ import annotations

from typing import Any

import msgspec

from axiommind.sources.claude_code.prompt_history import TYPE as TYPED
from axiommind.sources.claude_code.relayed import names_of
from axiommind.text import jsonlines

__all__ = ["BULK_TYPES", "KNOWN_TYPES", "Line", "belongs_to", "parse_line", "record_id", "text_of"]

# Copies of requests and prompts that the client keeps for itself; progress bars.
BULK_TYPES = {"progress", "api-request", "api-request-shape", "api-request-blob"}
KNOWN_TYPES = {
    "user",
    "assistant",
    "system",
    "attachment",
    "tool_use",
    "queue-operation",
    "last-prompt",
    "mode",
    "permission-mode",
    "custom-title",
    "agent-name",
    "ai-title",
    "tag",
    "pr-link",
    "file-history-snapshot",
    "file-history-delta",
    "tools-used",
    "cost-state",
    "atis-latch",
    "bridge-session",
    "teleported-from",
    TYPED,
    "summary",
    *BULK_TYPES,
}


class Line(msgspec.Struct):
    """A transcript line; fields of any type, because a wrong one is a problem and not an exception."""

    type: Any = None
    uuid: Any = None
    timestamp: Any = None
    sessionId: Any = None  # noqa: N815 - names of the client from here on
    cwd: Any = None
    relocatedCwd: Any = None  # noqa: N815
    gitBranch: Any = None  # noqa: N815
    version: Any = None
    message: Any = None
    requestId: Any = None  # noqa: N815
    isSidechain: Any = None  # noqa: N815
    isMeta: Any = None  # noqa: N815
    isCompactSummary: Any = None  # noqa: N815
    isVisibleInTranscriptOnly: Any = None  # noqa: N815
    isApiErrorMessage: Any = None  # noqa: N815
    toolUseResult: msgspec.Raw = msgspec.Raw(b"")  # noqa: N815
    origin: Any = None
    promptSource: Any = None  # noqa: N815
    entrypoint: Any = None
    forkedFrom: Any = None  # noqa: N815
    subtype: Any = None
    compactMetadata: Any = None  # noqa: N815
    attachment: Any = None
    name: Any = None
    input: Any = None
    id: Any = None
    customTitle: Any = None  # noqa: N815
    aiTitle: Any = None  # noqa: N815
    lastPrompt: Any = None  # noqa: N815
    operation: Any = None
    content: Any = None
    summary: Any = None
    leafUuid: Any = None  # noqa: N815
    prUrl: Any = None  # noqa: N815
    prNumber: Any = None  # noqa: N815
    prRepository: Any = None  # noqa: N815
    data: Any = None
    axm: Any = None


class _Identity(msgspec.Struct):
    """The fields that say which record a line is, or whose; the others are skipped over, not built."""

    uuid: Any = None
    leafUuid: Any = None  # noqa: N815
    sessionId: Any = None  # noqa: N815


_identity = msgspec.json.Decoder(_Identity).decode
_line = msgspec.json.Decoder(Line).decode


def parse_line(raw: bytes) -> Line:
    """The line; a ValueError says why it is none."""
    try:
        return _line(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        value = jsonlines.parse(raw)
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    except ValueError as error:
        raise ValueError(f"not JSON: {str(error)[:100]}") from None
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    raw_result = value.pop("toolUseResult", None)
    line = Line(**{k: v for k, v in value.items() if k in Line.__struct_fields__})
    line.toolUseResult = msgspec.Raw(b"" if raw_result is None else b"1")
    return line


def record_id(raw: bytes) -> str | None:
    """The `uuid`, which a fork or a copy of the record keeps."""
    found = None if names_of(raw) else _identified(raw).uuid
    return found if isinstance(found, str) and found else None


def belongs_to(raw: bytes) -> tuple[str, ...]:
    """A summary names the record that it ends with, a title its session, and a subagent's progress both of both."""
    if told := names_of(raw):
        return told
    line = _identified(raw)
    names = (line.leafUuid, f"session:{line.sessionId}" if isinstance(line.sessionId, str) else None)
    return tuple(name for name in names if isinstance(name, str) and name)


def _identified(raw: bytes) -> _Identity | Line:
    try:
        return _identity(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        try:
            return parse_line(raw)
        except ValueError:
            return _Identity()


def text_of(content: Any) -> str:
    """The text of a message's content, which is one text or a list of blocks."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [b["text"] for b in content if isinstance(b, dict) and isinstance(b.get("text"), str)]
    return "\n".join(texts)
