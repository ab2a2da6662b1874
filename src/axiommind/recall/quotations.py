"""Quotations: the excerpts of an answer below the sessions that they are from, each session named once.

How they are laid out, and how many of them fit a budget: the best first, as many as there is room for, and the next
one as far as it goes. What is behind it waits, even if it is shorter: so more budget never gives less. Pure.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from axiommind.model import QUOTED_AS
from axiommind.recall.disclosure import (
    FENCE_CHARS,
    FENCE_SPARE,
    FENCE_UNITS,
    MOST_CHARS,
    SESSION_CHARS,
    IndexItem,
    client_chars,
)
from axiommind.text.estimate import UNITS, chars_within, weigh

__all__ = ["by_session", "fitting", "quotation"]

# What stands above and below them.
_AROUND = weigh("## Related Memories (10 matches)\n\n\n_~1000 of 10000 tokens; 10 more left out; ")
_AROUND += weigh("axm show ID opens one, axm timeline ID what was around it_")
_AROUND_CHARS = 160
_LEAST = 60  # characters of an excerpt that is cut; less says nothing
_WORD = 30  # characters of a word that is not cut


def by_session(items: Iterable[IndexItem]) -> dict[str, list[IndexItem]]:
    """Items below what names their session or document, in the order of the best of each."""
    found: dict[str, list[IndexItem]] = {}
    for item in items:
        found.setdefault(_place(item), []).append(item)
    return found


def quotation(item: IndexItem) -> str:
    """One line of it: the id that opens it, what it says, and what is to be known about that."""
    about = []
    if item.entry is not None and item.entry.stage not in ("verified", "certified"):
        about.append(f"{item.entry.type.replace('_', ' ')}, {item.entry.stage}")
    if item.provenance in QUOTED_AS:
        about.append(QUOTED_AS[item.provenance])
    if item.changed:
        about.append(item.changed)
    return f"- [{item.id}] {item.said}" + (f" ({'; '.join(about)})" if about else "")


def fitting(items: Sequence[IndexItem], budget: int, *, fenced: bool = True) -> list[IndexItem]:
    """As many of them as a budget allows and the client takes, the best first; the last of them may be cut."""
    units = budget * UNITS - _AROUND - (FENCE_UNITS + FENCE_SPARE if fenced else 0)
    chars = MOST_CHARS - _AROUND_CHARS - (FENCE_CHARS if fenced else 0)
    named: set[str] = set()
    kept = []
    for item in items:
        place = _place(item)
        above = "" if place in named else f"{place}\n"
        lines = f"{above}{quotation(item)}\n"
        if weigh(lines) > units or client_chars(lines) > chars:
            around = f"{above}{quotation(item._replace(excerpt='…'))}\n"
            end = _end(item.said, units - weigh(around), chars - client_chars(around))
            if end >= _LEAST:
                kept.append(item._replace(excerpt=f"{item.said[:end].rstrip()}…"))
            break
        kept.append(item)
        named.add(place)
        units -= weigh(lines)
        chars -= client_chars(lines)
    return kept


def _end(text: str, units: int, chars: int) -> int:
    """Where a text that is too long is cut: between words where it has blanks, and with more room never earlier."""
    most = min(chars_within(text, units), chars if client_chars(text) == len(text) else chars // 2)
    blank = text.rfind(" ", max(most - _WORD, 0), max(most, 0))
    return blank if blank >= 0 else most


def _place(item: IndexItem) -> str:
    if item.session_id is None:
        return item.citation.text if item.citation is not None else "a document"
    return f"{_day(item.timestamp)} session {item.session_id[:SESSION_CHARS]}".strip()


def _day(milliseconds: int | None) -> str:
    try:
        return time.strftime("%Y-%m-%d", time.gmtime(milliseconds / 1000)) if milliseconds else ""
    except (OverflowError, OSError, ValueError):  # a transcript may say any number
        return ""
