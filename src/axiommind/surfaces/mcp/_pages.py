"""What answers of tools share: texts of the past made clean, and pages with an opaque cursor."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from axiommind.errors import UsageError
from axiommind.surfaces.mcp._schemas import Arg

_MOST = 1 << 31

__all__ = ["Cursor", "Project", "cleaned", "cursor_of", "mark_of", "start_of", "with_texts"]


Project = Annotated[str | None, Arg("A project folder, or `all`; without it, the project that is worked in.")]
Cursor = Annotated[str | None, Arg("`next_cursor` of the page before, with the same question.")]


def cleaned(value: Any, home: Path) -> Any:
    """The same value with every text in it clean, the names of fields apart."""
    from axiommind.surfaces.render.recall import clean

    return with_texts(value, lambda text: clean(text, home))


def with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """The same value with every text in it changed, the names of fields apart."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {name: with_texts(one, change) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [with_texts(one, change) for one in value]
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
