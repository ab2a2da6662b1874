"""What a subagent did, as its parent's file tells it: older clients repeat its calls in `progress` lines.

Where the subagent has a file of its own, that says the same and more; where it is gone, these lines are all there is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from axiommind.sources.jsonl import stub_mark
from axiommind.text import jsonlines

__all__ = ["SUBAGENT", "Relayed", "names_of", "relayed", "thinned"]

SUBAGENT = "agent-"  # how the id of a subagent's session begins
_KIND = "agent_progress"
_CALLS = ("tool_use", "tool_result")


class Relayed(NamedTuple):
    """One message of a subagent: its calls, or what came back from them."""

    subagent: str
    uuid: str
    timestamp: Any
    message_id: str | None
    calls: tuple[dict[str, Any], ...]
    results: tuple[dict[str, Any], ...]


class _Message(msgspec.Struct):
    role: Any = None
    id: Any = None
    content: Any = None


class _Inner(msgspec.Struct):
    type: Any = None
    uuid: Any = None
    timestamp: Any = None
    message: Any = None


class _Data(msgspec.Struct):
    type: Any = None
    agentId: Any = None  # noqa: N815 - names of the client
    message: Any = None


class _Outer(msgspec.Struct):
    type: Any = None
    uuid: Any = None
    timestamp: Any = None
    sessionId: Any = None  # noqa: N815
    data: _Data | None = None


_outer = msgspec.json.Decoder(_Outer).decode


def relayed(data: Any) -> Relayed | None:
    """What the data of a `progress` line say that a subagent did; None where they say nothing of the kind."""
    if not isinstance(data, dict) or data.get("type") != _KIND:
        return None
    agent, inner = data.get("agentId"), data.get("message")
    if not isinstance(agent, str) or not agent or not isinstance(inner, dict):
        return None
    uuid, message = inner.get("uuid"), inner.get("message")
    if not isinstance(uuid, str) or not uuid or not isinstance(message, dict):
        return None
    content = message.get("content")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    called, returned = (tuple(block for block in blocks if block.get("type") == kind) for kind in _CALLS)
    if not called and not returned:
        return None
    name = message.get("id")
    return Relayed(
        SUBAGENT + agent, uuid, inner.get("timestamp"), name if isinstance(name, str) else None, called, returned
    )


def thinned(line: bytes) -> bytes | None:
    """The line with its calls and what came back, and without what the client repeats in each of them (the task, all
    messages so far, tokens); None where it has no calls."""
    if not _may_have_calls(line):
        return None
    outer = _parsed(line)
    if outer is None or outer.data is None or relayed(_fields(outer.data)) is None:
        return None
    inner = outer.data.message
    message = inner["message"]
    kept = {
        "type": outer.type,
        "uuid": outer.uuid,
        "timestamp": outer.timestamp,
        "sessionId": outer.sessionId,
        "data": {
            "type": _KIND,
            "agentId": outer.data.agentId,
            "message": {
                **{name: inner.get(name) for name in ("type", "uuid", "timestamp")},
                "message": {name: message[name] for name in ("id", "role", "content") if name in message},
            },
        },
        "axm": stub_mark("bulk", line),
    }
    return jsonlines.encode(kept)


def names_of(line: bytes) -> tuple[str, ...]:
    """The records and sessions that such a line speaks of, which is no record itself; none where it is another line."""
    if not _may_have_calls(line):
        return ()
    outer = _parsed(line)
    if outer is None or outer.data is None or outer.data.type != _KIND:
        return ()
    inner = outer.data.message if isinstance(outer.data.message, dict) else {}
    agent = outer.data.agentId
    sessions = (outer.sessionId, SUBAGENT + agent if isinstance(agent, str) else None)
    names = (outer.uuid, inner.get("uuid"), *(f"session:{one}" for one in sessions if isinstance(one, str)))
    return tuple(name for name in names if isinstance(name, str) and name)


def _may_have_calls(line: bytes) -> bool:
    return b'"agent_progress"' in line


def _parsed(line: bytes) -> _Outer | None:
    try:
        return _outer(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _fields(data: _Data) -> dict[str, Any]:
    return {"type": data.type, "agentId": data.agentId, "message": data.message}
