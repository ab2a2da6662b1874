"""The kinds of remotes. One file each, and the folder is the registry: a module has `SCHEMES`, the schemes of the URLs
that it takes, and `open(address)`. A third party's remote is a module of the same shape, under the entry point group
`axiommind.remotes` and the name of its scheme.

A URL of a remote holds no secret, because it is kept: who may enter is asked where each kind always asks it (ssh's own
keys, the cloud's profile or environment, PostgreSQL's password file).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import NamedTuple, Protocol
from urllib.parse import parse_qsl, unquote, urlsplit

from axiommind.errors import UsageError
from axiommind.registry import Registry
from axiommind.sync.remote import Remote

__all__ = ["GROUP", "RemoteUrl", "open_remote", "parse_url", "schemes"]

GROUP = "axiommind.remotes"

# A drive of Windows (C:\\memory) is no scheme: a scheme has two letters or more.
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
_SECRETS = re.compile(r"password|passwd|secret|token|access_?key", re.IGNORECASE)


class RemoteUrl(NamedTuple):
    """Where a remote is: a URL, parsed, and the environment in which to look for the rest."""

    url: str
    scheme: str
    user: str
    host: str
    port: int | None
    path: str  # unquoted
    options: dict[str, str]
    environ: Mapping[str, str]

    def only(self, *known: str) -> None:
        """Options that a kind does not know are mistakes, and may be secrets."""
        unknown = sorted(set(self.options) - set(known))
        if unknown:
            raise UsageError(
                f"a URL of {self.scheme}:// has no option {unknown[0]!r}",
                hint=f"known: {', '.join(known) or 'none'}",
            )


class RemoteModule(Protocol):
    SCHEMES: tuple[str, ...]

    def open(self, address: RemoteUrl) -> Remote: ...


_REGISTRY: Registry[RemoteModule] = Registry(__name__, requires=("SCHEMES", "open"), group=GROUP)


def schemes() -> list[str]:
    """Every scheme that a URL of a remote may have."""
    found: set[str] = set()
    for name in _REGISTRY.names():
        module = _REGISTRY.find(name)
        if module is not None:
            found.update(module.SCHEMES)
    return sorted(found)


def open_remote(url: str, environ: Mapping[str, str] | None = None) -> Remote:
    """The remote at a URL, or in a folder named by its path. Close it yourself.

    Nothing is connected to yet, and nothing heavy is imported that this kind does not need. Where the place is new,
    call `probe` first.
    """
    address = parse_url(url, os.environ if environ is None else environ)
    module = _module(address.scheme)
    if module is None:
        raise UsageError(
            f"no kind of remote has URLs that begin with {address.scheme}://",
            hint=f"the path of a folder, or one of: {', '.join(f'{scheme}://' for scheme in schemes())}",
        )
    return module.open(address)


def _module(scheme: str) -> RemoteModule | None:
    for name in _REGISTRY.own():
        module = _REGISTRY.find(name)
        if module is not None and scheme in module.SCHEMES:
            return module
    return _REGISTRY.find(scheme)


def parse_url(url: str, environ: Mapping[str, str]) -> RemoteUrl:
    """A URL or a path, in its parts; one that holds a secret is refused."""
    found = _SCHEME.match(url)
    if found is None:
        if not url.strip():
            raise UsageError("a remote is a folder or a URL", hint="for example: axm sync add /media/stick/memory")
        return RemoteUrl(url, "file", "", "", None, url, {}, environ)
    try:
        parts = urlsplit(url)
        port = parts.port
        options = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
    except ValueError as error:
        raise UsageError(f"this is no URL: {error}", hint="for example: ssh://host/home/me/memory") from error
    if parts.password is not None or any(_SECRETS.search(name) for name in options):
        raise UsageError(
            "this URL holds a secret, and URLs of remotes are kept and shown",
            hint="leave it out: docs/team.md says where each kind of remote looks for it",
        )
    if parts.fragment:
        raise UsageError("a URL of a remote has no part after #", hint="write %23 where a name contains one")
    user, host, path = unquote(parts.username or ""), parts.hostname or "", unquote(parts.path)
    return RemoteUrl(url, found[1].lower(), user, host, port, path, options, environ)
