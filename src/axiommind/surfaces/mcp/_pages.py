"""What answers of tools share: texts of the past made clean, and pages with an opaque cursor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from axiommind.errors import UsageError

_MOST = 1 << 31

__all__ = ["cleaned", "cursor_of", "mark_of", "start_of"]


def cleaned(value: Any, home: Path) -> Any:
    """The same value with every text in it clean, the names of fields apart."""
    from axiommind.surfaces.disclosed import clean

    if isinstance(value, str):
        return clean(value, home)
    if isinstance(value, dict):
        return {name: cleaned(one, home) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [cleaned(one, home) for one in value]
    return value


def mark_of(*asked: object) -> str:
    """What a cursor is of: it does not go on with another question."""
    from hashlib import blake2b

    return blake2b("\0".join(map(str, asked)).encode("utf-8", "replace"), digest_size=6).hexdigest()


def cursor_of(start: int, mark: str) -> str:
    from base64 import urlsafe_b64encode

    return urlsafe_b64encode(f"{start}-{mark}".encode()).decode().rstrip("=")


def start_of(cursor: str | None, mark: str) -> int:
    """Where the page of a cursor begins; without one, at the beginning."""
    if not cursor:
        return 0
    from base64 import urlsafe_b64decode

    try:
        start, _, of = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii").partition("-")
        at = int(start)
        if at > _MOST:
            raise ValueError(start)
    except ValueError:
        raise UsageError(f"{cursor[:40]!r} is no cursor", hint="pass next_cursor of the page before as it is") from None
    if of != mark:
        raise UsageError("the cursor is of another question", hint="ask again without a cursor")
    return max(at, 0)
