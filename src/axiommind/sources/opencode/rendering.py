"""OpenCode's messages as lines: what of them was said and done, and nothing that changes afterwards.

A line is a message with its parts. Only settled ones are rendered: an answer that is still streamed, or whose tool
still runs, ends the session for now, so that what was rendered seldom changes and a growing session only grows. A row
that does change later (a message taken back) changes the lines, which makes a new generation of the session.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from axiommind.sources.rendered import dropped
from axiommind.text import jsonlines

__all__ = ["MessageRow", "SessionRow", "lines_of"]

_LONG = 200  # characters of what is only kept to be recognised
_NO_TITLE = ("New session - ", "Child session - ")  # until the model has made one
_OF_A_MESSAGE = ("role", "parentID", "mode", "agent", "time", "path", "modelID", "providerID", "tokens", "finish")
_OF_A_STATE = ("status", "input", "output", "error", "title")
_OF_NO_USE = ("step-start", "snapshot")


class SessionRow(NamedTuple):
    """What the first line says of a session."""

    id: str
    parent: str | None
    directory: str
    version: str
    title: str
    created: int


class MessageRow(NamedTuple):
    id: str
    data: Any  # a dict, or None where it cannot be read
    parts: list[tuple[str, Any]]


def lines_of(session: SessionRow, messages: Iterable[MessageRow], *, is_over: bool) -> Iterator[bytes]:
    """The lines of a session. `is_over`: nothing more will come of an answer that was never finished."""
    yield jsonlines.encode(
        {
            "type": "session",
            "id": session.id,
            "parentID": session.parent,
            "directory": session.directory,
            "version": session.version,
            "time": {"created": session.created},
        }
    )
    titled = not session.title or session.title.startswith(_NO_TITLE)
    for message in _settled(messages, is_over=is_over):
        yield jsonlines.encode(_rendered(message, is_child=session.parent is not None))
        if not titled and _role(message) == "assistant":  # by then it has a title that stays
            titled = True
            yield jsonlines.encode({"type": "title", "title": session.title})


def _settled(messages: Iterable[MessageRow], *, is_over: bool) -> Iterator[MessageRow]:
    """Messages up to the first that may still change. One that was never finished has settled once the model answered
    again; a prompt that was typed meanwhile says nothing."""
    waiting: list[MessageRow] = []
    for message in messages:
        if waiting and _role(message) == "assistant":
            yield from waiting
            waiting = []
        if waiting or not _is_settled(message):
            waiting.append(message)
        else:
            yield message
    if is_over:
        yield from waiting


def _is_settled(message: MessageRow) -> bool:
    """Whether it is complete with its parts, or broken off for good."""
    data = message.data
    if not isinstance(data, dict):
        return True
    time = data.get("time")
    is_ended = data.get("role") != "assistant" or (isinstance(time, dict) and time.get("completed") is not None)
    return isinstance(data.get("error"), dict) or (is_ended and bool(message.parts))


def _role(message: MessageRow) -> Any:
    return message.data.get("role") if isinstance(message.data, dict) else None


def _rendered(message: MessageRow, *, is_child: bool) -> dict[str, Any]:
    data = message.data
    if not isinstance(data, dict):
        return {"type": "message", "id": message.id, "unreadable": True}
    line: dict[str, Any] = {"type": "message", "id": message.id}
    line |= {name: data[name] for name in _OF_A_MESSAGE if data.get(name) is not None}
    if is_child:
        line["ofSubagent"] = True
    if data.get("summary") is True:
        line["summary"] = True
    error = data.get("error")
    if isinstance(error, dict):
        said = error.get("data")
        line["error"] = {
            "name": error.get("name"),
            "message": said.get("message") if isinstance(said, dict) else error.get("message"),
        }
    line["parts"] = [_part(name, part) for name, part in message.parts if not _is_useless(part)]
    return line


def _is_useless(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in _OF_NO_USE


def _part(name: str, part: Any) -> dict[str, Any]:
    if not isinstance(part, dict):
        return {"id": name, "unreadable": True}
    kept = {key: value for key, value in part.items() if key not in ("id", "messageID", "sessionID", "metadata")}
    kind = kept.get("type")
    if kind == "tool":
        kept["state"] = _state(kept.get("state"))
    elif kind == "text" and kept.get("synthetic") is True:
        kept["text"] = _stub(kept.get("text"))  # a file that was named, a note of the client, what a hook gave
    elif kind == "file":
        kept["url"] = _stub(kept.get("url"))
        kept.pop("source", None)
    elif kind == "step-finish":
        kept.pop("snapshot", None)
    return {"id": name, **kept}


def _state(state: Any) -> Any:
    """How a tool was called and ended, less previews and images; when its output was taken out of the conversation is
    written later, and left out."""
    if not isinstance(state, dict):
        return state
    kept = {name: state[name] for name in _OF_A_STATE if state.get(name) is not None}
    time = state.get("time")
    if isinstance(time, dict):
        kept["time"] = {name: time[name] for name in ("start", "end") if name in time}
    more = state.get("metadata")
    if isinstance(more, dict):
        kept["metadata"] = {
            name: value
            for name, value in more.items()
            if isinstance(value, (bool, int, float)) or (isinstance(value, str) and len(value) <= _LONG)
            if name not in ("output", "preview", "diff")
        }
    return kept


def _stub(text: Any) -> Any:
    return dropped(text) if isinstance(text, str) and len(text) > _LONG else text
