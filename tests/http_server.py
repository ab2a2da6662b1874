"""A server on this machine that answers as it is told."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-test-0123456789abcdef"


class Request:
    def __init__(self, path: str, headers: dict[str, str], body: Any) -> None:
        self.path = path
        self.headers = headers
        self.body = body


class Server:
    """Answers the requests with the replies in order, the last one for ever. A reply is a function of the handler."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.replies: list[Callable[[BaseHTTPRequestHandler], None]] = []
        self.over = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.requests.append(Request(self.path, headers, body))
                outer.replies[min(len(outer.requests), len(outer.replies)) - 1](self)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        class Quiet(ThreadingHTTPServer):
            def handle_error(self, request: Any, client_address: Any) -> None:
                pass  # the other side hung up, which is what was tested

        self.http = Quiet(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,))
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_address[1]}"

    def close(self) -> None:
        self.over.set()
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()


def raw(status: int, body: bytes, **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return reply


def sends(status: int, value: Any) -> Callable[[BaseHTTPRequestHandler], None]:
    return raw(status, json.dumps(value).encode())
