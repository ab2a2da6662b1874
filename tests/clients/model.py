"""A stand-in for the model: it answers as scripted, and keeps what it was given.

It speaks as much of the Anthropic Messages API (server-sent events) as Claude Code 2.1 needs for whole turns.
"""

from __future__ import annotations

import json
import re
import threading
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

__all__ = ["Given", "Model", "Use"]

Json = dict[str, Any]
_SUMMARY = "<analysis>Short.</analysis>\n<summary>\nThe work so far, in a few words.\n</summary>"
_TO_SUMMARISE = re.compile(r"summary of (?:the|this) conversation|detailed summary|<summary>")
_FENCE = re.compile(r"<recalled-history>.*?</recalled-history>", re.DOTALL)
_HOOK = re.compile(r"(\w+)(?::\S+)? hook (?:additional context|success): *")


class Use(NamedTuple):
    """A tool that the model calls."""

    name: str
    input: Json


class Given(NamedTuple):
    """What the model was given in one request, text by text, in order."""

    texts: tuple[tuple[str, str], ...]  # (role, text)

    @property
    def prompt(self) -> str:
        """What the person said last; what the client adds to it is in tags."""
        said = [text for role, text in self.texts if role == "user" and not text.lstrip().startswith("<system-rem")]
        return said[-1] if said else ""

    def says(self, words: str) -> bool:
        return any(words in text for _, text in self.texts)

    def recalled(self, event: str | None = None) -> list[str]:
        """What our hooks gave it, fence by fence: of one event, or of all."""
        found = []
        for _, text in self.texts:
            for fence in _FENCE.finditer(text):
                heads = list(_HOOK.finditer(text, 0, fence.start()))
                if event is None or (heads and heads[-1][1] == event):
                    found.append(fence[0])
        return found


class Model:
    """Listens on this machine until it is closed. A phrase in what the person said picks the script; without one it
    says one sentence."""

    def __init__(self) -> None:
        self.given: list[Given] = []
        self._scripts: dict[str, tuple[tuple[str | Use, ...], ...]] = {}
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answers(self, phrase: str, *turns: tuple[str | Use, ...]) -> None:
        """What it says, request by request, to who says this phrase."""
        self._scripts[phrase] = turns

    def forget(self) -> None:
        self.given.clear()

    def answer(self, body: Json) -> tuple[str | Use, ...]:
        messages = body.get("messages", [])
        said = [(n, _text(m["content"])) for n, m in enumerate(messages) if m["role"] == "user"]
        if said and _TO_SUMMARISE.search(said[-1][1][-6_000:]):
            return (_SUMMARY,)
        if not body.get("tools"):  # a title, and the like
            return ("A title",)
        with self._lock:
            self.given.append(Given(tuple(_texts(body))))
        at, turns = max(
            ((n, turns) for phrase, turns in self._scripts.items() for n, text in said if phrase in text),
            key=lambda found: found[0],
            default=(0, (("I see.",),)),
        )
        done = sum(m["role"] == "assistant" for m in messages[at + 1 :])
        return turns[min(done, len(turns) - 1)]


def _texts(body: Json) -> Iterator[tuple[str, str]]:
    for part in ({"role": "system", "content": body.get("system") or ""}, *body["messages"]):
        content = part["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if block.get("type") == "text":
                yield part["role"], block["text"]
            elif block.get("type") == "tool_result":
                yield "tool", _text(block.get("content") or "")


def _text(content: str | list[Json]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content if block.get("type") == "text")


# --- on the wire -------------------------------------------------------------------------------------------

_USAGE = {"input_tokens": 12, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 9}


def _handler(model: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None: ...

        def do_HEAD(self) -> None:
            self._reply(200, {})

        def do_GET(self) -> None:
            self._reply(404, {"type": "error", "error": {"type": "not_found_error", "message": "not here"}})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
            if self.path.startswith("/v1/messages/count_tokens"):
                self._reply(200, {"input_tokens": 100})
            elif not self.path.startswith("/v1/messages"):
                self.do_GET()
            elif body.get("stream"):
                self._stream(body)
            else:
                self._reply(200, _message(body, model.answer(body)))

        def _reply(self, code: int, data: Json) -> None:
            raw = json.dumps(data).encode()
            self.send_response(code)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(raw)

        def _stream(self, body: Json) -> None:
            message = _message(body, model.answer(body))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for name, data in _events(message):
                raw = f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode()
                self.wfile.write(b"%x\r\n%b\r\n" % (len(raw), raw))
            self.wfile.write(b"0\r\n\r\n")

    return Handler


def _message(body: Json, blocks: tuple[str | Use, ...]) -> Json:
    content: list[Json] = []
    for block in blocks:
        if isinstance(block, str):
            content.append({"type": "text", "text": block})
        else:
            use = {"id": f"toolu_{uuid.uuid4().hex[:20]}", "name": block.name, "input": block.input}
            content.append({"type": "tool_use", **use})
    is_use = any(isinstance(block, Use) for block in blocks)
    return {
        "id": f"msg_{uuid.uuid4().hex[:20]}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": content,
        "stop_reason": "tool_use" if is_use else "end_turn",
        "stop_sequence": None,
        "usage": _USAGE,
    }


def _events(message: Json) -> Iterator[tuple[str, Json]]:
    yield "message_start", {"message": {**message, "content": [], "stop_reason": None}}
    for n, block in enumerate(message["content"]):
        if block["type"] == "text":
            start: Json = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield "content_block_start", {"index": n, "content_block": start}
        yield "content_block_delta", {"index": n, "delta": delta}
        yield "content_block_stop", {"index": n}
    yield "message_delta", {"delta": {"stop_reason": message["stop_reason"], "stop_sequence": None}, "usage": _USAGE}
    yield "message_stop", {}
