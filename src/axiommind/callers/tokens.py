"""Tokens of persons: made at a terminal, shown once, and kept as hashes only.

A token is 256 random bits, so its plain SHA-256 cannot be guessed back. The file is readable by its owner alone and is
replaced as a whole.
"""

from __future__ import annotations

import builtins
import contextlib
import hashlib
import hmac
import json
import os
import secrets
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from axiommind.errors import NotFound, NotWritable, StoreError, UsageError

__all__ = ["PREFIX", "TOKEN_VARIABLE", "PersonToken", "PersonTokens"]

TOKEN_VARIABLE = "AXM_PERSON_TOKEN"
PREFIX = "axmp_"
_FILE = "person-tokens.json"
_MOST_NAME = 60


class PersonToken(NamedTuple):
    """A token as the home knows it. `expires_at` is 0 where it does not expire."""

    name: str
    hash: str
    created_at: int
    expires_at: int = 0

    def is_expired(self, at: int) -> bool:
        return bool(self.expires_at) and at >= self.expires_at


class PersonTokens:
    """The tokens of one home."""

    def __init__(self, home: Path) -> None:
        self.path = home / _FILE

    def list(self) -> builtins.list[PersonToken]:
        try:
            given = json.loads(self.path.read_text(encoding="utf-8"))
            return [
                PersonToken(str(one["name"]), str(one["hash"]), int(one["created_at"]), int(one["expires_at"]))
                for one in given["tokens"]
            ]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreError(
                f"{self.path} cannot be read ({error})", hint="remove it, and make new tokens: axm person token"
            ) from error

    def find(self, token: str) -> PersonToken | None:
        """The token that this is, if the home knows it and it has not expired. A damaged file knows none."""
        given = _hash(token.strip())
        try:
            known = self.list()
        except StoreError:
            return None
        found = [one for one in known if hmac.compare_digest(one.hash, given)]
        return found[0] if found and not found[0].is_expired(_now()) else None

    def make(self, name: str = "", *, expires_at: int = 0) -> tuple[str, PersonToken]:
        """A new token, in full for the only time, and what is kept of it."""
        known = self.list()
        taken = {one.name for one in known}
        name = " ".join(name.split()) or next(
            f"token-{n}" for n in range(1, len(taken) + 2) if f"token-{n}" not in taken
        )
        if len(name) > _MOST_NAME or not name.isprintable():
            raise UsageError(f"a token's name has at most {_MOST_NAME} printable characters")
        if name in taken:
            raise UsageError(f"there is a token {name!r} already", hint=f"axm person revoke {name} makes room for it")
        token = PREFIX + secrets.token_urlsafe(32)
        made = PersonToken(name, _hash(token), _now(), expires_at)
        self._write([*known, made])
        return token, made

    def revoke(self, names: Sequence[str]) -> builtins.list[PersonToken]:
        """Forget tokens; whoever holds them is an agent from now on."""
        known = self.list()
        missing = [name for name in names if name not in {one.name for one in known}]
        if missing:
            raise NotFound(f"there is no token {missing[0]!r}", hint="axm person list shows them")
        self._write([one for one in known if one.name not in names])
        return [one for one in known if one.name in names]

    def _write(self, tokens: Sequence[PersonToken]) -> None:
        content = json.dumps({"version": 1, "tokens": [one._asdict() for one in tokens]}, indent=1)
        folder = self.path.parent
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=f".{_FILE}-", dir=folder)  # readable by its owner alone
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    file.write(content + "\n")
                    file.flush()
                    os.fsync(file.fileno())
                Path(name).replace(self.path)
            except BaseException:
                with contextlib.suppress(OSError):
                    Path(name).unlink()
                raise
        except OSError as error:
            raise NotWritable(f"{self.path} cannot be written ({error.strerror})", hint="check its folder") from error


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _now() -> int:
    return time.time_ns() // 1_000_000
