"""How ids are made: canonical JSON, checksums, ULIDs, content hashes. Ids derive from content where possible."""

from __future__ import annotations

import json
from typing import Any

from axiommind.errors import BadQuery, NotFound

__all__ = [
    "canonical_json",
    "checksum",
    "content_hash",
    "dedupe_key",
    "document_id",
    "number_of",
    "one_of",
    "short_id",
    "ulid",
]

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def canonical_json(value: Any) -> str:
    """One text for one value: sorted keys, no blanks, no NaN, Unicode as it is."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def checksum(value: Any) -> str:
    """SHA-256 of the canonical JSON (R2.34)."""
    return _sha256(canonical_json(value).encode("utf-8", "surrogatepass"))


def content_hash(data: bytes) -> str:
    """The tagged hash that names a blob, so that it says how it was made."""
    return "sha256:" + _sha256(data)


def dedupe_key(*parts: str | int) -> str:
    """A key that says nothing about its parts; a length before each keeps ("ab","c") and ("a","bc") apart."""
    text = "".join(f"{len(str(p))}:{p}" for p in parts)
    return _sha256(text.encode("utf-8", "surrogatepass"))


def document_id(path: str) -> str:
    """The id of the document at an absolute path: the same on every run, and apart from a session's."""
    digest = _sha256(b"document:" + path.encode("utf-8", "surrogatepass"))
    return f"doc-{digest[:20]}"


def _sha256(data: bytes) -> str:
    from hashlib import sha256  # loads OpenSSL, which a hook has no time for

    return sha256(data).hexdigest()


_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def short_id(number: int) -> str:
    """A row's number as people type it."""
    digits: list[str] = []
    while number or not digits:
        number, digit = divmod(number, 36)
        digits.append(_DIGITS[digit])
    return "".join(reversed(digits))


def number_of(text: str) -> int | None:
    """The number that `short_id` wrote; None when it wrote nothing like this."""
    if not text.isascii() or not text.isalnum() or len(text) > 13:
        return None
    number = int(text, 36)
    return number if number < 1 << 63 else None


def ulid(milliseconds: int) -> str:
    """26 characters: 48 bits of time, then 80 random bits; sorts by time."""
    import secrets  # only what writes needs it

    number = (milliseconds & ((1 << 48) - 1)) << 80 | secrets.randbits(80)
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))


def one_of(
    start: str, known: set[str], what: str, hint: str = "axm query --perspective sessions lists the sessions"
) -> str:
    """The id that was meant: itself, or the only one that begins so."""
    matches = [start] if start in known else sorted(s for s in known if start and s.startswith(start))
    if not matches:
        raise NotFound(f"there is no {what} {start!r}", hint=hint)
    if len(matches) > 1:
        raise BadQuery(f"{start!r} fits {len(matches)} of them", hint="give more characters of the id")
    return matches[0]
