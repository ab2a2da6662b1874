"""Half-open connections to `axm mcp --http` are closed, and only so many are held; who asks properly is answered."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

pytest.importorskip("uvicorn")

from axiommind.surfaces.serving.connections import ConnectionLimits, limited_server
from tests.counting import PATIENCE_S, wait_for

WHOLE = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody"


async def echo(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] != "http":
        raise ValueError("only http")
    body = b""
    while True:
        part = await receive()
        if part["type"] == "http.disconnect":
            return
        body += part.get("body", b"")
        if not part.get("more_body"):
            break
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


class Served:
    def __init__(self, limits: ConnectionLimits) -> None:
        self.server = limited_server(echo, limits, grace=1)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.listener]}, daemon=True)
        self.thread.start()
        wait_for(lambda: self.server.started)

    @property
    def held(self) -> int:
        return len(self.server.server_state.connections)

    def connect(self) -> socket.socket:
        return socket.create_connection(self.listener.getsockname(), timeout=PATIENCE_S)

    def ask(self, request: bytes = WHOLE) -> bytes:
        with self.connect() as line:
            line.sendall(request)
            return b"".join(iter(lambda: line.recv(4096), b""))

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(PATIENCE_S)
        self.listener.close()


@pytest.fixture
def served() -> Iterator[Served]:
    made = Served(ConnectionLimits(request_seconds=0.3, idle_seconds=1, connections=20))
    yield made
    made.stop()


def is_closed(line: socket.socket) -> bool:
    try:
        return line.recv(4096) == b""
    except ConnectionError:
        return True


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"POST / HTT",
        b"POST / HTTP/1.1\r\nHost: x\r\nX-Slow: ",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 400\r\n\r\nhalf",
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhal",
    ],
)
def test_half_a_request_is_closed(served: Served, begun: bytes) -> None:
    with ExitStack() as stack:
        lines = [stack.enter_context(served.connect()) for _ in range(10)]
        for line in lines:
            line.sendall(begun)
        assert served.ask().count(b"body"), "others are answered meanwhile"
        assert all(is_closed(line) for line in lines)
    wait_for(lambda: served.held == 0)


def test_bytes_that_trickle_in_do_not_help(served: Served) -> None:
    with served.connect() as line:
        line.sendall(b"POST / HTTP/1.1\r\nHost: x\r\n")
        sent = 0

        def trickle() -> bool:
            nonlocal sent
            try:
                line.sendall(b"X-A: b\r\n")
                sent += 1
            except OSError:
                return True
            return served.held == 0

        wait_for(trickle)
        assert sent


def test_who_holds_every_connection_open_keeps_nobody_out() -> None:
    """Long before their time is up: whoever has said nothing for longest makes room."""
    made = Served(ConnectionLimits(request_seconds=PATIENCE_S * 10, idle_seconds=1, connections=20))
    try:
        with ExitStack() as stack:
            lines = [stack.enter_context(made.connect()) for _ in range(60)]
            for line in lines[40:]:
                line.sendall(b"POST / HTTP/1.1\r\nHost: x\r\n")
            assert made.ask().count(b"body")
            wait_for(lambda: made.held <= 20)
            assert is_closed(lines[0])
    finally:
        made.stop()


def test_there_are_only_so_many(served: Served) -> None:
    with ExitStack() as stack:
        lines = [stack.enter_context(served.connect()) for _ in range(60)]
        wait_for(lambda: served.held <= 20)
        assert all(is_closed(line) for line in lines)
    assert served.ask().count(b"body")


def test_a_slow_answer_and_a_second_request_are_no_half_request() -> None:
    """The clock is for what the client sends, not for what we do."""
    ready = asyncio.Event()

    async def slow(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await receive()
        await asyncio.wait_for(ready.wait(), PATIENCE_S)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    made = Served(ConnectionLimits(request_seconds=0.2, idle_seconds=60, connections=5))
    made.server.config.loaded_app = slow
    try:
        with made.connect() as line:
            for _ in range(2):
                line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                if not ready.is_set():
                    waited = threading.Event()
                    waited.wait(0.6)  # longer than a request may take to arrive
                    ready.set()
                answer = b""  # its head and its body may arrive apart
                while not answer.endswith(b"ok"):
                    part = line.recv(4096)
                    assert part, answer
                    answer += part
                assert answer.startswith(b"HTTP/1.1 200")
    finally:
        made.stop()
