"""Posts one JSON document and receives one: all that calling a model over HTTP needs, with its safety checks.

No redirect is followed, because the key and the text would go where nobody decided; no proxy stands between us and
this machine; no message contains the key.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import os
import re
import time
import urllib.request
from typing import Any, NamedTuple
from urllib.parse import SplitResult, urlsplit, urlunsplit

from axiommind.errors import UsageError
from axiommind.text.summary import preview

__all__ = ["Endpoint", "NoReply", "Purpose", "Reply", "endpoint"]

_REPLY_BYTES = 20_000_000
_SHOWN_CHARS = 300
# Capitals only: what looks otherwise may be the key itself, and is not repeated in a message.
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,63}")
_REFUSES_FORMAT = re.compile(
    r"response.?format|schema|json_object|structured|grammar|guided|output_config|effort", re.I
)


class Purpose(NamedTuple):
    """What a model is asked for, so that a message can say which setting to look at."""

    settings: str  # the group: `extract` has extract.url, extract.key_env, extract.seconds, extract.model
    done: str  # what is … by a model elsewhere leaves this machine
    too_long: str  # of a request that is too large, and what to do about it


class NoReply(Exception):
    """Nothing usable came back; the message is for people. `status` is what the server answered with, 0 for nothing."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class Reply(NamedTuple):
    """A JSON object that came with status 200, or why the request's format was not accepted."""

    body: dict[str, Any]
    refuses_format: bool = False
    why: str = ""


class Endpoint(NamedTuple):
    """Where a model is asked. `variable` names where the key is from; `key` is empty for a server without one."""

    purpose: Purpose
    url: str
    host: str
    local: bool
    variable: str
    key: str
    seconds: float

    def __repr__(self) -> str:
        return f"Endpoint({self.url!r})"  # a key does not belong in a traceback

    def post(self, headers: dict[str, str], body: dict[str, Any]) -> Reply:
        status, location, content = self._exchanged(headers, json.dumps(body).encode())
        if 300 <= status < 400:
            to = preview(location, _SHOWN_CHARS) or "nowhere"
            url = f"{self.purpose.settings}.url"
            raise NoReply(self._safe(f"{self.host} redirects to {to}, which is not followed: set {url} to it"), status)
        if status == 200:
            return Reply(self._object(content))
        said = self._safe(_message(content))
        if status in (400, 422) and _REFUSES_FORMAT.search(said):
            return Reply({}, True, f"{self.host} does not take the format of the request ({status}): {said}")
        raise NoReply(f"{self.host} {self._meaning(status)} ({status}){': ' + said if said else ''}", status)

    def _exchanged(self, headers: dict[str, str], body: bytes) -> tuple[int, str, bytes]:
        request = urllib.request.Request(
            self.url, body, {"content-type": "application/json", "user-agent": "axiommind", **headers}, method="POST"
        )
        proxies = [urllib.request.ProxyHandler({})] if self.local else []
        opener = urllib.request.build_opener(_EveryStatus, *proxies)
        deadline = time.monotonic() + self.seconds
        try:
            with opener.open(request, timeout=self.seconds) as response:
                return response.status, response.headers.get("location") or "", _content(response, deadline)
        except (OSError, http.client.HTTPException, UnicodeError) as error:
            reason = getattr(error, "reason", error)  # urllib wraps what happened
            group = self.purpose.settings
            if isinstance(reason, TimeoutError):
                raise NoReply(f"{self.host} did not answer within {self.seconds:g} seconds ({group}.seconds)") from None
            if isinstance(reason, ConnectionRefusedError):
                raise NoReply(f"nothing listens at {self.host}: is the server running, is {group}.url right?") from None
            shown = preview(f"{type(reason).__name__}: {reason}", _SHOWN_CHARS)
            raise NoReply(self._safe(f"{self.host} could not be asked: {shown}")) from None

    def _object(self, content: bytes) -> dict[str, Any]:
        try:
            value = json.loads(content)
        except (ValueError, RecursionError):
            value = None
        shown = self._safe(_message(content)) or "nothing"
        if not isinstance(value, dict):
            raise NoReply(f"{self.host} did not answer with a JSON object, but with: {shown}")
        if value.get("error"):
            raise NoReply(f"{self.host} answered with an error: {shown}")  # some do, with status 200
        return value

    def _meaning(self, status: int) -> str:
        group = self.purpose.settings
        if status in (401, 403):
            asks = f"wants a key: name its variable by {group}.key_env"
            return f"refused the key in {self.variable}" if self.key else asks
        if status == 404:
            return f"knows no such model or path: see {group}.model and {group}.url"
        if status == 413:
            return self.purpose.too_long
        if status == 429:
            return "takes no more requests now, or has no credit left"
        return "has a problem of its own" if status >= 500 else "did not accept the request"

    def _safe(self, text: str) -> str:
        return text.replace(self.key, "[key]") if self.key else text


class _EveryStatus(urllib.request.HTTPErrorProcessor):
    """Errors and redirects come back like any reply; without this they are raised, or followed."""

    def http_response(self, request: Any, response: Any) -> Any:  # noqa: ARG002
        return response

    https_response = http_response


def endpoint(
    purpose: Purpose, *, url: str, usual_url: str, key_env: str, usual_key_env: str, path: str, seconds: float
) -> Endpoint:
    """Where to ask, checked: `url` and `key_env` are the settings, which win over what is usual."""
    group = purpose.settings
    parts = _parts(group, url or usual_url)
    host = parts.hostname or ""
    local = _is_local(host)
    name = key_env or usual_key_env
    if not _VARIABLE.fullmatch(name):
        raise UsageError(
            f"{group}.key_env is not the name of an environment variable",
            hint=f"in capitals, such as {usual_key_env}; the key itself belongs in the environment, not in a file",
        )
    # The usual variable holds the key of the usual service, which is nothing to a server on this machine.
    key = os.environ.get(name, "").strip() if key_env or not local else ""
    if not key and not local:
        raise UsageError(
            f"there is no key for {host}: the environment variable {name} is not set",
            hint=f"set it, or name another by {group}.key_env; "
            f"what is {purpose.done} by a model there leaves this machine",
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise UsageError(f"the environment variable {name} holds something that cannot be a key")
    full = urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/") + path, parts.query, ""))
    return Endpoint(purpose, full, parts.netloc, local, name, key, seconds)


def _parts(group: str, url: str) -> SplitResult:
    hint = "such as https://api.openai.com/v1 or http://localhost:11434/v1"
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise UsageError(f"{group}.url is not a URL", hint=hint) from None
    if parts.username is not None or parts.password is not None:
        raise UsageError(f"{group}.url contains a user or a password", hint=f"a key is named by {group}.key_env")
    if not good or not url.isascii() or not url.isprintable() or " " in url:
        raise UsageError(f"{group}.url = {preview(url)!r} is not an http or https URL", hint=hint)
    return parts


def _is_local(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _content(response: http.client.HTTPResponse, deadline: float) -> bytes:
    """All of a reply. The socket's own time limit is one of silence; some servers send blanks while they think."""
    pieces: list[bytes] = []
    size = 0
    while piece := response.read1(1 << 16):
        pieces.append(piece)
        size += len(piece)
        if size > _REPLY_BYTES:
            raise NoReply(f"the reply has more than {_REPLY_BYTES // 1_000_000} MB")
        if time.monotonic() > deadline:
            raise TimeoutError
    return b"".join(pieces)


def _message(content: bytes) -> str:
    """What a server says is wrong, wherever it puts that."""
    text = content[:20_000].decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    for name in ("error", "message", "detail"):
        if isinstance(value, dict) and name in value:
            value = value[name]
    return preview(value if isinstance(value, str) else text, _SHOWN_CHARS)
