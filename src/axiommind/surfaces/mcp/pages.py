"""Pages: how much one answer may cost, and an opaque cursor that only continues the question it came from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

from axiommind.errors import UsageError
from axiommind.surfaces.mcp.schemas import Arg
from axiommind.text.estimate import estimate_tokens

__all__ = [
    "MOST_TOKENS",
    "PAGE_TOKENS",
    "Cursor",
    "chars_fitting",
    "clipped",
    "cost",
    "count_fitting",
    "cursor_of",
    "lines_fitting",
    "mark_of",
    "places_of",
    "start_of",
]

# The ceiling of every answer: clients warn at so many tokens, and refuse 25,000.
MOST_TOKENS = 10_000
# What a tool fills an answer to: an estimate errs, and a redaction mark may be longer than what it hides.
PAGE_TOKENS = 8_000
_AROUND = 80  # names, an id and a cursor beside the items of a list
_MOST_START = 1 << 31
_CHARS_A_TOKEN = 8  # more than there ever are, on average

Cursor = Annotated[str | None, Arg("`next_cursor` of the page before.")]


# --- what fits ---------------------------------------------------------------------------------------------------


def cost(value: Any) -> int:
    """Tokens of a value in an answer."""
    return estimate_tokens(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str))


def count_fitting(items: Sequence[Any], room: int = PAGE_TOKENS) -> int:
    """How many of these, from the first, fit into so many tokens, with the names and the cursor around them: at least
    one, or a cursor would never move."""
    room -= _AROUND
    for n, item in enumerate(items):
        room -= cost(item)
        if room < 0:
            return max(n, 1)
    return len(items)


def chars_fitting(text: str, tokens: int) -> int:
    """How many characters of a text, from its beginning, fit into so many tokens of an answer."""
    most = min(len(text), max(tokens, 0) * _CHARS_A_TOKEN)
    if cost(text[:most]) <= tokens:
        return most
    least = 0
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if cost(text[:middle]) <= tokens else (least, middle)
    return least


def clipped(text: str, tokens: int) -> str:
    """The text, or as much of its beginning as fits, marked as a part."""
    return text if (fitting := chars_fitting(text, tokens)) >= len(text) else f"{text[: max(fitting - 2, 0)]}…"


def lines_fitting(text: str, tokens: int, more: str) -> str:
    """The text, or as many of its lines as fit; `more` says how to get the rest."""
    if (most := chars_fitting(text, tokens)) >= len(text):
        return text
    most = chars_fitting(text, max(tokens - cost(more) - 20, 0))
    cut = text.rfind("\n", most // 2, most)
    at = cut if cut > 0 else most
    return f"{text[:at]}\n\n… {len(text) - at:,} more characters: {more}"


# --- cursors -----------------------------------------------------------------------------------------------------


def mark_of(*asked: object) -> str:
    """What identifies a question in its cursors."""
    from hashlib import blake2b

    return blake2b("\0".join(map(str, asked)).encode("utf-8", "replace"), digest_size=6).hexdigest()


def cursor_of(start: int | Sequence[int], mark: str) -> str:
    """A cursor for a page that starts there: a place in one list, or one in each of several texts."""
    from base64 import urlsafe_b64encode

    places = (start,) if isinstance(start, int) else start
    return urlsafe_b64encode(f"{'.'.join(map(str, places))}-{mark}".encode()).decode().rstrip("=")


def places_of(cursor: str | None, mark: str, count: int = 1) -> list[int]:
    """Where the page of a cursor starts in each of so many; at the beginning without a cursor."""
    if not cursor:
        return [0] * count
    from base64 import urlsafe_b64decode

    try:
        starts, _, of = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii").partition("-")
        places = [int(start) for start in starts.split(".")]
        if max(places) > _MOST_START:
            raise ValueError(starts)
    except ValueError:
        raise UsageError(f"{cursor[:40]!r} is no cursor", hint="pass next_cursor of the page before as it is") from None
    if of != mark or len(places) != count:
        raise UsageError("the cursor is of another question", hint="ask again without a cursor")
    return [max(place, 0) for place in places]


def start_of(cursor: str | None, mark: str) -> int:
    """Where the page of a cursor starts; 0 without a cursor."""
    return places_of(cursor, mark)[0]
