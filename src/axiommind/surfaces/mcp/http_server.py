"""The server over HTTP, at /mcp: the SDK's, behind a guard.

A page in a browser can reach a port of this machine, and can point a host name of its own at it (DNS rebinding). So a
request has to name the host that we listen on, come from no other origin, and bring the token if one is set. Other
machines are never served without a token.
"""

from __future__ import annotations

import hmac
import json
import socket
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.distribution import extra_command
from axiommind.errors import AxmError, MissingExtra, UsageError
from axiommind.surfaces.mcp.sdk_server import server_of

if TYPE_CHECKING:
    from axiommind.config import Config
    from axiommind.surfaces.mcp.answers import Answers

__all__ = ["AccessGuard", "Address", "serve_http"]

PATH = "/mcp"
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_EVERYWHERE = ("0.0.0.0", "::", "")
_GRACE = 2  # seconds that running requests get to finish when the server is stopped

Asgi = Callable[[dict[str, Any], Any, Any], Awaitable[None]]


class Address(NamedTuple):
    """Where to listen, and the token a client has to bring."""

    host: str
    port: int
    token: str

    @classmethod
    def checked(cls, host: str, port: int, config: Config) -> Address:
        host = host.strip("[]")
        if not 0 <= port <= 65_535:
            raise UsageError(f"there is no port {port}", hint="--port takes 0 to 65535; 0 = any that is free")
        made = cls(host, port, config.mcp_token)
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
        own = f"[{self.host}]" if ":" in self.host else self.host or "localhost"
        return f"http://{own}:{self.port}{PATH}"

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


class AccessGuard:
    """In front of the SDK's app: refuses another host, another origin, and a missing or wrong token."""

    def __init__(self, app: Asgi, address: Address) -> None:
        self._app, self._address = app, address

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "http" and (refused := self.refusal(_headers(scope))) is not None:
            status, why = refused
            await _refuse(send, status, why)
        else:
            await self._app(scope, receive, send)

    def refusal(self, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        """The status and the reason, or None if the request may pass. A header given twice counts as wrong."""
        host, origin = headers.get(b"host", b"").decode("latin-1").lower(), headers.get(b"origin")
        port = self._address.port
        names = [f"{name}:{port}" for name in self._address.names] + [*(self._address.names if port == 80 else ())]
        if not host or (names and host not in names):
            return 421, "this server does not answer for that host"
        if origin is not None and origin.decode("latin-1").lower() != f"http://{host}":
            return 403, "requests from another origin are refused"
        if self._address.token:
            kind, _, token = headers.get(b"authorization", b"").partition(b" ")
            is_right = hmac.compare_digest(token.strip(), self._address.token.encode())
            if kind.lower() != b"bearer" or not is_right:
                what = "the token is wrong" if kind.lower() == b"bearer" else "a token is needed"
                return 401, f"{what}: send the one of mcp.token as Authorization: Bearer …"
        return None


def serve_http(answers: Answers, address: Address) -> int:
    """Serve until Ctrl-C, then return 0."""
    answers.features.context.is_shared = True
    made = server_of(answers)
    try:
        from mcp.server.transport_security import TransportSecuritySettings

        from axiommind.surfaces.mcp.http_connections import ConnectionLimits, limited_server
    except ImportError as error:
        raise MissingExtra("serving HTTP needs the package uvicorn", hint=extra_command("mcp")) from error
    listener, address = address.bind()
    # The guard checks the same, and says it in JSON; this is the SDK's own check.
    hosts = [f"{name}:{address.port}" for name in address.names]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=bool(hosts) and address.port != 80,
        allowed_hosts=hosts,
        allowed_origins=[f"http://{host}" for host in hosts],
    )
    app = made.streamable_http_app(streamable_http_path=PATH, json_response=True, transport_security=security)
    server = limited_server(AccessGuard(app, address), ConnectionLimits(), grace=_GRACE)
    sys.stderr.write(f"axm: serving MCP at {address.url}{' (with a token)' if address.token else ''}\n")
    sys.stderr.flush()
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        pass
    finally:
        listener.close()
    return 0


def _headers(scope: dict[str, Any]) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        found[name] = value if name not in found else found[name] + b", " + value
    return found


async def _refuse(send: Any, status: int, why: str) -> None:
    body = json.dumps({"error": why}, ensure_ascii=False).encode()
    headers = [(b"content-type", b"application/json; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
