"""Pages of a long answer, with an opaque cursor that only continues the question it came from."""

from __future__ import annotations

from typing import Annotated

from axiommind.errors import UsageError
from axiommind.surfaces.mcp.schemas import Arg

__all__ = ["Cursor", "cursor_of", "mark_of", "start_of"]

_MOST = 1 << 31

Cursor = Annotated[str | None, Arg("`next_cursor` of the page before, with the same question.")]


def mark_of(*asked: object) -> str:
    """What identifies a question in its cursors."""
    from hashlib import blake2b

    return blake2b("\0".join(map(str, asked)).encode("utf-8", "replace"), digest_size=6).hexdigest()


def cursor_of(start: int, mark: str) -> str:
    from base64 import urlsafe_b64encode

    return urlsafe_b64encode(f"{start}-{mark}".encode()).decode().rstrip("=")


def start_of(cursor: str | None, mark: str) -> int:
    """Where the page of a cursor starts; 0 without a cursor."""
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
