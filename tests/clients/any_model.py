"""A stand-in for the models of agents that are not Claude Code: OpenAI's two APIs and Gemini's.

It answers as scripted: the last phrase of a script that a person has said picks it, and the answers that the model has
given since then say which step is next. It keeps every request, as the texts in it.
"""

from __future__ import annotations

import html
import json
import re
import threading
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

__all__ = ["AnyModel", "Do"]

Json = dict[str, Any]
# How clients call a tool that reads, writes, edits or runs, and its fields.
_NAMED = {
    "read": "read_file read Read view",
    "write": "write_file write create Create Write",
    "edit": "replace edit Edit",
    "run": "run_shell_command exec_command shell_command bash Bash Execute shell",
}
_FIELDS = {
    "path": "path file_path filePath absolute_path",
    "content": "content file_text",
    "old": "old_string oldString old_str",
    "new": "new_string newString new_str",
    "command": "command cmd",
}
_USAGE = {"prompt_tokens": 12, "completion_tokens": 9, "total_tokens": 21}


class Do(NamedTuple):
    """A step of a script: a tool that the model calls, whatever its client calls it."""

    kind: str  # read, write, edit, run
    given: dict[str, str]


class AnyModel:
    """Listens on this machine until it is closed. Without a script it says one sentence."""

    def __init__(self) -> None:
        self.requests: list[list[str]] = []
        self._scripts: dict[str, tuple[Do | str, ...]] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answers(self, phrase: str, *steps: Do | str) -> None:
        self._scripts[phrase] = steps

    def told(self) -> list[str]:
        """The fences of ours in all requests since they were last forgotten, each once. Gemini's client sends `<` as
        `&lt;`."""
        found = [
            fence
            for texts in self.requests
            for text in texts
            for fence in re.findall(r"<recalled-history>.*?</recalled-history>", html.unescape(text), re.DOTALL)
        ]
        return list(dict.fromkeys(found))

    def step(self, turns: list[tuple[str, str]]) -> Do | str:
        """The next step, by the turns of a conversation: (who, what)."""
        at, steps = max(
            ((n, steps) for phrase, steps in self._scripts.items() for n, (who, said) in enumerate(turns)
             if who == "user" and phrase in said),
            key=lambda found: found[0],
            default=(0, ("I see.",)),
        )  # fmt: skip
        done = sum(who == "model" for who, _ in turns[at + 1 :])
        return steps[min(done, len(steps) - 1)]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _said(content: object) -> str:
    return "\n".join(_texts(content))


def _call(step: Do, tools: dict[str, Json]) -> tuple[str, Json]:
    """The tool of this client that does it, and its input."""
    name = next((name for name in _NAMED[step.kind].split() if name in tools), "")
    if not name and step.kind == "read":
        return _call(Do("run", {"command": f"cat {step.given['path']}"}), tools)
    if not name:
        return "apply_patch", {"input": _patch(step)}
    schema = tools[name]
    properties = schema.get("properties", {})
    given: Json = {}
    for what, value in step.given.items():
        field = next((field for field in _FIELDS[what].split() if field in properties), None)
        if field is not None:
            given[field] = ["bash", "-lc", value] if properties[field].get("type") == "array" else value
    if "edits" in properties:
        given["edits"] = [{"oldText": step.given["old"], "newText": step.given["new"]}]
    for field in schema.get("required", ()):
        of = properties.get(field, {})
        kind = of.get("type")
        empty: dict[object, object] = {"boolean": False, "number": 5, "integer": 5, "array": [], "object": {}}
        given.setdefault(field, of["enum"][0] if "enum" in of else empty.get(kind, "a step"))
    return name, given


def _patch(step: Do) -> str:
    path = step.given["path"]
    if step.kind == "write":
        lines = [f"*** Add File: {path}", *(f"+{line}" for line in step.given["content"].splitlines())]
    else:
        lines = [f"*** Update File: {path}", "@@", f"-{step.given['old']}", f"+{step.given['new']}"]
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


# --- the APIs ----------------------------------------------------------------------------------------------


def _responses(model: AnyModel, body: Json) -> Iterator[tuple[str, Json]]:
    turns: list[tuple[str, str]] = []
    answering = False
    for item in body.get("input", []):
        kind = item.get("type", "message")
        if kind == "message" and item.get("role") == "user":
            turns.append(("user", _said(item.get("content"))))
            answering = False
        elif kind.endswith("_output"):
            answering = False
        elif not answering and (kind.endswith("_call") or item.get("role") == "assistant"):
            turns.append(("model", ""))
            answering = True
    tools: dict[str, Json] = {}
    for tool in body.get("tools", []):
        for one in tool.get("tools", [tool]):
            tools[one.get("name") or one.get("type")] = one.get("parameters") or {}
    custom = {tool.get("name") for tool in body.get("tools", []) if tool.get("type") == "custom"}
    step, mark = model.step(turns), uuid.uuid4().hex[:12]
    item: Json
    if isinstance(step, str):
        content = [{"type": "output_text", "text": step, "annotations": []}]
        item = {"type": "message", "id": f"msg_{mark}", "role": "assistant", "status": "completed", "content": content}
    else:
        name, given = _call(step, tools)
        item = {"id": f"fc_{mark}", "call_id": f"call_{mark}", "name": name, "status": "completed"}
        if name in custom or name == "apply_patch":
            item |= {"type": "custom_tool_call", "input": given["input"]}
        else:
            item |= {"type": "function_call", "arguments": json.dumps(given)}
    response = {"id": f"resp_{mark}", "object": "response", "created_at": 1, "model": body.get("model")}
    usage = {"input_tokens": 12, "output_tokens": 9, "total_tokens": 21}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    yield "response.created", {"response": {**response, "status": "in_progress", "output": []}}
    yield "response.output_item.added", {"output_index": 0, "item": item}
    yield "response.output_item.done", {"output_index": 0, "item": item}
    done = {**response, "status": "completed", "output": [item], "usage": usage}
    yield "response.completed", {"response": done}


def _chat(model: AnyModel, body: Json) -> Iterator[tuple[str, Json]]:
    turns = [
        ("model" if message["role"] == "assistant" else message["role"], _said(message.get("content")))
        for message in body.get("messages", [])
    ]
    tools = {tool["function"]["name"]: tool["function"].get("parameters", {}) for tool in body.get("tools", [])}
    step = model.step(turns) if tools else "A title"
    base = {"id": f"chatcmpl-{uuid.uuid4().hex[:8]}", "created": 1, "model": body.get("model")}
    message: Json = {"role": "assistant"}
    if isinstance(step, str):
        message["content"] = step
    else:
        name, given = _call(step, tools)
        function = {"name": name, "arguments": json.dumps(given)}
        message["tool_calls"] = [
            {"index": 0, "id": f"call_{uuid.uuid4().hex[:8]}", "type": "function", "function": function}
        ]
    reason = "stop" if isinstance(step, str) else "tool_calls"
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": reason}
        yield "", {**base, "object": "chat.completion", "choices": [choice], "usage": _USAGE}
        return
    for delta, finish in ((message, None), ({}, reason)):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        yield "", {**base, "object": "chat.completion.chunk", "choices": [choice]}
    yield "", {**base, "object": "chat.completion.chunk", "choices": [], "usage": _USAGE}


def _gemini(model: AnyModel, body: Json) -> Iterator[tuple[str, Json]]:
    turns = []
    for content in body.get("contents", []):
        parts = content.get("parts", [])
        is_result = any("functionResponse" in part for part in parts)
        who = "model" if content.get("role") == "model" else "tool" if is_result else "user"
        turns.append((who, _said(parts)))
    tools = {
        one["name"]: one.get("parametersJsonSchema") or one.get("parameters") or {}
        for tool in body.get("tools", [])
        for one in tool.get("functionDeclarations", [])
    }
    step = model.step(turns) if tools else "A title"
    part: Json = {"text": step} if isinstance(step, str) else {}
    if not isinstance(step, str):
        name, given = _call(step, tools)
        part = {"functionCall": {"name": name, "args": given}}
    elif "json" in json.dumps(body.get("generationConfig", {})):
        # Its router and its other questions to itself.
        part = {"text": json.dumps({"reasoning": "x", "model_choice": "flash", "next_speaker": "user"})}
    usage = {"promptTokenCount": 12, "candidatesTokenCount": 9, "totalTokenCount": 21}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    yield "", {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "mock"}


def _handler(model: AnyModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None: ...

        def do_GET(self) -> None:
            self._reply({"object": "list", "data": [{"id": "mock-model", "object": "model"}], "models": []})

        def do_POST(self) -> None:
            body = json.loads(self._body() or b"{}")
            path = self.path.partition("?")[0]
            apis = {"/responses": _responses, "/chat/completions": _chat, "enerateContent": _gemini}
            api = next((api for end, api in apis.items() if path.endswith(end)), None)
            if api is None:
                self._reply({"totalTokens": 10})
                return
            model.requests.append(list(_texts(body)))
            events = list(api(model, body))
            if body.get("stream") or "stream" in path:
                self._stream(events, done=api is _chat)
            else:
                self._reply(events[-1][1].get("response", events[-1][1]))

        def _body(self) -> bytes:
            if "chunked" not in (self.headers.get("transfer-encoding") or ""):
                raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            else:
                raw = b""
                while size := int(self.rfile.readline().strip() or b"0", 16):
                    raw += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
            encoding = self.headers.get("content-encoding")
            if encoding == "gzip":
                import gzip

                return gzip.decompress(raw)
            if encoding == "zstd":
                import zstandard

                return zstandard.ZstdDecompressor().decompressobj().decompress(raw)
            return raw

        def _reply(self, data: Json) -> None:
            raw = json.dumps(data).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def _stream(self, events: list[tuple[str, Json]], *, done: bool) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            for name, data in events:
                typed = {"type": name, **data} if name else data
                head = f"event: {name}\n" if name else ""
                self.wfile.write(f"{head}data: {json.dumps(typed)}\n\n".encode())
            if done:
                self.wfile.write(b"data: [DONE]\n\n")
            self.close_connection = True

    return Handler
