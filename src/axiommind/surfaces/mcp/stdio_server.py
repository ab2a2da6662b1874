"""The server on stdin and stdout: one JSON message per line, answered with the standard library alone.

Both eras of the protocol: the handshake (`initialize`, 2024-11-05 to 2025-11-25), and 2026-07-28, where each request
brings its own envelope. The first request says which. A method unknown here starts the SDK in the same process: the
handshake is replayed to it, and it gets everything from then on.

Nothing but messages reaches the client: what a tool prints goes to stderr. Bad input gets an answer, never a crash.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, Any

from axiommind.surfaces.mcp.answers import HANDSHAKE, INVALID_PARAMS, METHOD_NOT_FOUND, MODERN, Refused
from axiommind.surfaces.mcp.elicitation import answer_of, question_of, supports_elicitation

if TYPE_CHECKING:
    from axiommind.surfaces.mcp.answers import Answers
    from axiommind.surfaces.mcp.sdk_server import SdkThread

__all__ = ["StdioConnection", "serve_stdio"]

MOST_BYTES = 16 << 20  # of one line
_WORKERS = 8
_PATIENCE = 600.0  # seconds that a call waits for the person; then the proposal waits in `axm review`
_GRACE = 2.0  # seconds that running calls get to finish after the client has left

_PARSE_ERROR, _INVALID_REQUEST, _UNSUPPORTED_VERSION = -32700, -32600, -32022
_VERSION = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
# In the protocol, but not offered here: the SDK would say the same, a second later.
_UNSERVED = {
    "initialize",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
    "server/discover",
    "subscriptions/listen",
}

Json = dict[str, Any]


class StdioConnection:
    """One connection: what has been agreed with the client, and the calls in progress."""

    def __init__(self, answers: Answers, send: Callable[[bytes], None]) -> None:
        self._answers, self._send = answers, send
        self._era: str | None = None  # None until the first request
        self._handshake: list[Json] = []  # for an SDK that starts later
        self._is_open = False
        self._calls: dict[Any, threading.Event] = {}  # in progress; set when cancelled
        self._lock, self._sending = threading.Lock(), threading.Lock()
        self._queue: SimpleQueue[tuple[Json, threading.Event]] = SimpleQueue()
        self._workers = 0
        self._sdk: SdkThread | None = None
        self._client: Json = {}  # what the client can do, of the handshake
        self._numbers = itertools.count(1)
        self._questions: dict[Any, threading.Event] = {}  # to the person, by id
        self._said: dict[Any, Any] = {}  # results of those that were answered
        self._has_ended = False

    # --- what comes in ---------------------------------------------------------------------------------

    def receive(self, line: bytes) -> None:
        if not line.strip():
            return None
        if len(line) > MOST_BYTES:
            return self._refuse(None, Refused(_INVALID_REQUEST, f"the message is longer than {MOST_BYTES >> 20} MB"))
        try:
            message = json.loads(line.decode("utf-8"), parse_constant=_no_number)
        except UnicodeDecodeError:
            return self._refuse(None, Refused(_PARSE_ERROR, "Parse error: the message is not UTF-8"))
        except (ValueError, RecursionError) as error:
            return self._refuse(None, Refused(_PARSE_ERROR, f"Parse error: {type(error).__name__}: {error}"[:200]))
        if isinstance(message, list):
            return self._refuse(None, Refused(_INVALID_REQUEST, "batches are not part of the protocol"))
        if (why := _wrong_with(message)) is not None:
            known = message.get("id") if isinstance(message, dict) else None
            return self._refuse(known if _is_id(known) else None, Refused(_INVALID_REQUEST, f"Invalid request: {why}"))
        if "method" not in message:
            return self._answered(message)
        if "id" in message:
            self._requested(message)
        else:
            self._notified(message)
        return None

    def _notified(self, message: Json) -> None:
        method, params = message["method"], message.get("params") or {}
        if method == "notifications/cancelled":
            with self._lock:
                call = self._calls.get(params.get("requestId")) if _is_id(params.get("requestId")) else None
            if call is not None:
                return call.set()
        if method == "notifications/initialized":
            self._handshake.append(message)
        return self._hand_over(message) if self._sdk is not None else None

    def _requested(self, message: Json) -> None:
        method, params = message["method"], message.get("params") or {}
        if self._sdk is not None:
            return self._hand_over(message)
        try:
            if self._era is None:
                self._era = MODERN if method != "initialize" and _has_envelope(params) else HANDSHAKE[-1]
            result = self._modern(method, params) if self._era == MODERN else self._legacy(method, params, message)
        except Refused as refused:
            return self._refuse(message["id"], refused)
        except _Unknown:
            return self._start_sdk(message)
        if result is None:
            return self._start(message)
        return self._answer(message["id"], result)

    def _legacy(self, method: str, params: Json, message: Json) -> Json | None:
        """The result, or None if it takes a thread."""
        if method == "initialize":
            if not _is_handshake(params):
                raise Refused(INVALID_PARAMS, "Invalid request parameters", "")
            self._handshake, self._is_open = [message], True
            self._client = params["capabilities"]
            return self._answers.initialize(params["protocolVersion"])
        if _has_envelope(params):
            why = "this connection serves the handshake protocol era; requests carrying the 2026-07-28 envelope are "
            raise Refused(_INVALID_REQUEST, why + "not accepted on it")
        answer = self._known(method, params)
        if not self._is_open and method != "ping":
            raise Refused(INVALID_PARAMS, "Invalid request parameters", "")
        return None if method in self._answers.slow else answer(params)

    def _modern(self, method: str, params: Json) -> Json | None:
        if method == "initialize":
            asked = params.get("protocolVersion")
            data: Json = {"supported": [MODERN]} | ({"requested": asked} if isinstance(asked, str) else {})
            why = f"connection is serving the {MODERN} protocol; the initialize handshake is not accepted"
            raise Refused(_UNSUPPORTED_VERSION, why, data)
        _check_envelope(params)
        if method == "server/discover":
            return self._answers.stamped(method, self._answers.discover())
        if method == "ping":
            raise Refused(METHOD_NOT_FOUND, "Method not found", method)
        answer = self._known(method, params)
        return None if method in self._answers.slow else self._answers.stamped(method, answer(params))

    def _known(self, method: str, params: Json) -> Callable[[Json], Json]:
        if (answer := self._answers.methods.get(method)) is None:
            if method in _UNSERVED:
                raise Refused(METHOD_NOT_FOUND, "Method not found", method)
            raise _Unknown
        if "cursor" in params and method.endswith("/list") and not isinstance(params["cursor"], str | None):
            raise Refused(INVALID_PARAMS, "Invalid request parameters", "")
        return answer

    # --- calls that take a while -----------------------------------------------------------------------

    def _start(self, message: Json) -> None:
        cancelled = threading.Event()
        with self._lock:
            self._calls[message["id"]] = cancelled
            # Threads are started as they are needed: most clients send one call at a time.
            is_new = self._workers < min(len(self._calls), _WORKERS)
            self._workers += is_new
        self._queue.put((message, cancelled))
        if is_new:
            threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while True:
            message, cancelled = self._queue.get()
            name, method = message["id"], message["method"]
            try:
                if not cancelled.is_set():
                    result = self._result(method, message.get("params") or {}, cancelled)
                    if self._era == MODERN:
                        result = self._answers.stamped(method, result)
                    if not cancelled.is_set():
                        self._answer(name, result)
            except Refused as refused:
                if not cancelled.is_set():
                    self._refuse(name, refused)
            finally:
                with self._lock:
                    if self._calls.get(name) is cancelled:
                        del self._calls[name]

    def _result(self, method: str, params: Json, cancelled: threading.Event) -> Json:
        if method == "tools/call" and self._era != MODERN and supports_elicitation(self._client):
            return self._answers.call_tool(params, lambda _, text: self._ask(text, cancelled))
        return self._answers.methods[method](params)

    # --- questions to the person -----------------------------------------------------------------------

    def _ask(self, text: str, cancelled: threading.Event) -> bool | None:
        """Ask the person through the client, and wait: until the call is cancelled or the client leaves."""
        name, answered = f"axm-{next(self._numbers)}", threading.Event()
        with self._lock:
            self._questions[name] = answered
        self._write({"jsonrpc": "2.0", "id": name, "method": "elicitation/create", "params": question_of(text)})
        until = time.monotonic() + _PATIENCE
        while not answered.wait(0.1) and not (cancelled.is_set() or self._has_ended or time.monotonic() > until):
            pass
        with self._lock:
            del self._questions[name]
            return answer_of(self._said.pop(name, None))

    def _answered(self, message: Json) -> None:
        with self._lock:
            waiting = self._questions.get(message.get("id"))
            if waiting is not None:
                self._said[message["id"]] = message.get("result")
                waiting.set()
        if waiting is None and self._sdk is not None:  # else an answer to nothing that we asked
            self._hand_over(message)

    # --- the SDK ---------------------------------------------------------------------------------------

    def _start_sdk(self, message: Json) -> None:
        from axiommind.errors import MissingExtra
        from axiommind.surfaces.mcp.sdk_server import SdkThread

        try:
            self._sdk = SdkThread(self._answers, self._write)
        except MissingExtra:
            return self._refuse(message["id"], Refused(METHOD_NOT_FOUND, "Method not found", message["method"]))
        self._sdk.replay(self._handshake)
        return self._hand_over(message)

    def _hand_over(self, message: Json) -> None:
        assert self._sdk is not None
        self._sdk.receive(message)

    # --- what goes out ---------------------------------------------------------------------------------

    def _answer(self, name: Any, result: Json) -> None:
        self._write({"jsonrpc": "2.0", "id": name, "result": result})

    def _refuse(self, name: Any, refused: Refused) -> None:
        error: Json = {"code": refused.code, "message": refused.message}
        if refused.data is not None:
            error["data"] = refused.data
        self._write({"jsonrpc": "2.0", "id": name, "error": error})

    def _write(self, message: Json) -> None:
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        with self._sending:
            self._send(text.encode("utf-8", "replace") + b"\n")

    def end(self) -> None:
        """The client has left: running calls get a moment to finish, because they may be writing."""
        self._has_ended = True
        until = time.monotonic() + _GRACE
        while time.monotonic() < until:
            with self._lock:
                if not self._calls:
                    break
            time.sleep(0.01)
        if self._sdk is not None:
            self._sdk.end(max(until - time.monotonic(), 0.1))


class _Unknown(Exception):
    """A method that only the SDK may know."""


def serve_stdio(answers: Answers) -> None:
    """Serve the client on stdin and stdout until it leaves."""
    wire_in, wire_out = os.fdopen(os.dup(0), "rb", 1 << 16), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)  # a child process of a tool must not read our input
    os.close(nowhere)
    sys.stdout.flush()
    os.dup2(2, 1)  # nor write to the client
    front = StdioConnection(answers, lambda data: _write_all(wire_out, data))
    for line in _lines(wire_in):
        front.receive(line)
    front.end()


def _write_all(wire: int, data: bytes) -> None:
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(wire, view) :]
    except BrokenPipeError:
        pass  # the client has left, and expects no answers


def _lines(wire: IO[bytes]) -> Iterator[bytes]:
    """Lines as they arrive; of a line that is too long, only enough to tell."""
    while line := wire.readline(MOST_BYTES + 1):
        if len(line) > MOST_BYTES and not line.endswith(b"\n"):
            while (rest := wire.readline(MOST_BYTES)) and not rest.endswith(b"\n"):
                pass
        yield line


# --- what a message has to be ------------------------------------------------------------------------------------


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _wrong_with(message: Any) -> str | None:
    if not isinstance(message, dict):
        return "not an object"
    if message.get("jsonrpc") != "2.0":
        return 'jsonrpc is not "2.0"'
    if "id" in message and not _is_id(message["id"]) and not ("error" in message and message["id"] is None):
        return "id is neither a text nor a whole number"
    if "method" not in message:
        return None if "result" in message or "error" in message else "no method"
    if not isinstance(message["method"], str):
        return "method is not a text"
    if not isinstance(message.get("params"), dict | None):
        return "params is not an object"
    return None


def _is_handshake(params: Json) -> bool:
    info = params.get("clientInfo")
    return (
        isinstance(params.get("protocolVersion"), str)
        and isinstance(params.get("capabilities"), dict)
        and isinstance(info, dict)
        and isinstance(info.get("name"), str)
        and isinstance(info.get("version"), str)
    )


def _has_envelope(params: Json) -> bool:
    meta = params.get("_meta")
    return isinstance(meta, dict) and _VERSION in meta


def _check_envelope(params: Json) -> None:
    meta = params.get("_meta")
    if not isinstance(meta, dict):
        why = f"params._meta must be an object carrying the required {_VERSION!r} and {_CAPABILITIES!r} envelope keys"
        raise Refused(INVALID_PARAMS, why)
    if missing := [key for key in (_VERSION, _CAPABILITIES) if key not in meta]:
        raise Refused(INVALID_PARAMS, f"params._meta is missing the required envelope key(s): {', '.join(missing)}")
    version = meta[_VERSION]
    if not isinstance(version, str):
        raise Refused(INVALID_PARAMS, "the protocol-version envelope value must be a string")
    if version != MODERN:
        data = {"supported": [MODERN], "requested": version}
        raise Refused(_UNSUPPORTED_VERSION, "Unsupported protocol version", data)
