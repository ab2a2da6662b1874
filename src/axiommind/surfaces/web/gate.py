"""In front of every page: the guard of all our servers, the cookie, and the headers that keep a page to itself.

No script and no style stands in a page, so the policy allows neither: whatever a transcript smuggles in stays text.
"""

from __future__ import annotations

import html
import json
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode

from axiommind.surfaces.serving.access import Address, Asgi, headers_of
from axiommind.surfaces.web.entrance import Entrance

__all__ = ["POLICY", "Gate"]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
]
_OPEN = ("/static/",)  # files of this program, which tell nothing


class Gate:
    """Lets in who brings the code or the cookie, from this origin and no other."""

    def __init__(self, app: Asgi, address: Address, entrance: Entrance) -> None:
        self._app, self._address, self._entrance = app, address, entrance

    @property
    def cookie(self) -> str:
        """Cookies know no ports: two servers on one machine must not overwrite each other's."""
        return f"axm-{self._address.port}"

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = headers_of(scope)
        if (refused := self._address.refusal(headers)) is not None:
            await _plain(send, scope, *refused)
            return
        code, rest = _code_in(scope["query_string"])
        if code is not None:
            await self._admit(send, scope, code, rest)
            return
        is_open = scope["path"].startswith(_OPEN)
        known = (headers.get(b"cookie", b""), self.cookie, headers.get(b"authorization", b""))
        if not is_open and not self._entrance.knows(*known):
            await _plain(
                send, scope, 401, "Open the address that axm serve printed: it has the code that opens this page."
            )
            return

        async def with_headers(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}
                kept = b"no-store" if not is_open else b"no-cache"
                own = [*_HEADERS, (b"cache-control", kept)]
                message["headers"] = [*message["headers"], *(one for one in own if one[0] not in given)]
            await send(message)

        await self._app(scope, receive, with_headers)

    async def _admit(self, send: Any, scope: dict[str, Any], code: str, rest: str) -> None:
        value = self._entrance.admit(code)
        if value is None:
            await _plain(
                send, scope, 401, "That code opens nothing. It may be of an earlier run: axm serve prints the new one."
            )
            return
        jar: SimpleCookie = SimpleCookie({self.cookie: value})
        kept = {"httponly": "1", "samesite": "Strict", "path": "/"}
        jar[self.cookie].update(kept | ({"secure": "1"} if self._address.public_url.startswith("https:") else {}))
        # A path that begins with two slashes would be another host. It is no redirect, because a strict cookie does not
        # go along where another program led here.
        where = html.escape("/" + scope["path"].lstrip("/") + (f"?{rest}" if rest else ""))
        body = (
            f'<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={where}">'
            f'<title>AxiomMind</title><link rel="icon" href="/static/mark.svg"><p><a href="{where}">Open AxiomMind</a>'
        )
        headers = [
            (b"content-type", b"text/html; charset=utf-8"),
            (b"set-cookie", jar[self.cookie].OutputString().encode()),
        ]
        await _answer(send, 200, body.encode(), [*headers, *_HEADERS, (b"cache-control", b"no-store")])


def _code_in(query: bytes) -> tuple[str | None, str]:
    pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    codes = [value for name, value in pairs if name == "code"]
    return (codes[0] if codes else None), urlencode([pair for pair in pairs if pair[0] != "code"])


async def _plain(send: Any, scope: dict[str, Any], status: int, why: str) -> None:
    """A refusal: in words, and to programs in the API's form."""
    kind, body = "text/plain; charset=utf-8", f"{why}\n"
    if scope["path"].startswith("/api/"):
        kind, body = "application/json", json.dumps({"error": {"message": why, "hint": "axm serve prints the code"}})
    headers = [(b"content-type", kind.encode()), *_HEADERS, (b"cache-control", b"no-store")]
    await _answer(send, status, body.encode(), headers)


async def _answer(send: Any, status: int, body: bytes, headers: list[tuple[bytes, bytes]]) -> None:
    headers = [*headers, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
