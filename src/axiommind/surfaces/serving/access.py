"""Where a server of ours listens, and which requests it refuses.

A page in a browser can reach a port of this machine, and can point a host name of its own at it (DNS rebinding). So a
request has to name the host that we listen on, come from no other origin, and bring the token if one is set. Other
machines are never served without a token.
"""

from __future__ import annotations

import hmac
import json
import socket
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from axiommind.errors import AxmError, UsageError

__all__ = ["AccessGuard", "Address", "Asgi", "headers_of"]

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_EVERYWHERE = ("0.0.0.0", "::", "")

Asgi = Callable[[dict[str, Any], Any, Any], Awaitable[None]]


class Address(NamedTuple):
    """Where to listen, the token a client has to bring, and the address by which others reach it, if that is another
    one: through a forwarded port, or a proxy."""

    host: str
    port: int
    token: str
    public_url: str = ""

    @classmethod
    def checked(cls, host: str, port: int, token: str, *, public_url: str = "") -> Address:
        host = host.strip("[]")
        if not 0 <= port <= 65_535:
            raise UsageError(f"there is no port {port}", hint="--port takes 0 to 65535; 0 = any that is free")
        made = cls(host, port, token, _origin(public_url))
        if not made.is_loopback and not made.token:
            raise UsageError(
                f"{host or 'every address'} can be reached from other machines, and no token is set",
                hint="set mcp.token in config.toml, or AXM_MCP_TOKEN; or leave --host away",
            )
        return made

    @property
    def is_loopback(self) -> bool:
        import ipaddress

        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def names(self) -> tuple[str, ...]:
        """The host names that a request may use; empty = any, when listening on every address of the machine."""
        if self.host in _EVERYWHERE:
            return ()
        own = f"[{self.host}]" if ":" in self.host else self.host
        return tuple(dict.fromkeys((own, *_LOOPBACK))) if self.is_loopback else (own,)

    @property
    def url(self) -> str:
        """Where a client finds it."""
        own = f"[{self.host}]" if ":" in self.host else self.host or "localhost"
        return self.public_url or f"http://{own}:{self.port}"

    def bind(self) -> tuple[socket.socket, Address]:
        """A listening socket, and the address with the port that it got."""
        try:
            listener = socket.create_server(
                (self.host, self.port), family=socket.AF_INET6 if ":" in self.host else socket.AF_INET, backlog=128
            )
        except OSError as error:
            why = error.strerror or str(error)
            raise AxmError(f"cannot listen on {self.host}:{self.port}: {why}", hint="try another --port") from error
        return listener, self._replace(port=listener.getsockname()[1])

    def refusal(self, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        """Why a request for another host, or from another origin, is refused, with the status; None if it may pass."""
        host, origin = _text(headers.get(b"host", b"")), headers.get(b"origin")
        public = urlsplit(self.public_url).netloc
        names = [f"{name}:{self.port}" for name in self.names] + [*(self.names if self.port == 80 else ())]
        if not host or (names and host not in names and host != public):
            return 421, "this server does not answer for that host"
        own = self.public_url if host == public else f"http://{host}"
        if origin is not None and _text(origin) != own:
            return 403, "requests from another origin are refused"
        return None


class AccessGuard:
    """In front of an app: refuses another host, another origin, and a missing or wrong token."""

    def __init__(self, app: Asgi, address: Address) -> None:
        self._app, self._address = app, address

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "http" and (refused := self.refusal(headers_of(scope))) is not None:
            status, why = refused
            await _refuse(send, status, why)
        else:
            await self._app(scope, receive, send)

    def refusal(self, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        """The status and the reason, or None if the request may pass. A header given twice counts as wrong."""
        if (refused := self._address.refusal(headers)) is not None:
            return refused
        if self._address.token:
            kind, _, token = headers.get(b"authorization", b"").partition(b" ")
            is_right = hmac.compare_digest(token.strip(), self._address.token.encode())
            if kind.lower() != b"bearer" or not is_right:
                what = "the token is wrong" if kind.lower() == b"bearer" else "a token is needed"
                return 401, f"{what}: send the one of mcp.token as Authorization: Bearer …"
        return None


def headers_of(scope: dict[str, Any]) -> dict[bytes, bytes]:
    """The headers of a request by name; what was given twice is joined, so that it is no valid value."""
    found: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        found[name] = value if name not in found else found[name] + b", " + value
    return found


def _text(value: bytes) -> str:
    return value.decode("latin-1").lower()


def _origin(url: str) -> str:
    """The origin of a public address; empty where none is given."""
    if not url:
        return ""
    try:
        parts = urlsplit(url)
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        parts, has_port = urlsplit(""), False
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or not has_port:
        raise UsageError(f"{url!r} is no address of a server", hint="such as http://localhost:9000, without a path")
    return f"{parts.scheme}://{parts.netloc}".lower()


async def _refuse(send: Any, status: int, why: str) -> None:
    body = json.dumps({"error": why}, ensure_ascii=False).encode()
    headers = [(b"content-type", b"application/json; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
