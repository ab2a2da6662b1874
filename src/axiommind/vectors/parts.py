"""Parts of a text: a text too long for an embedder is split at the end of a paragraph, a line or a sentence."""

from __future__ import annotations

import re

__all__ = ["MOST_PARTS", "VERSION", "parts"]

# Of a longer text the beginning and the very end have vectors: an answer says what it is about, and what came of it.
MOST_PARTS = 8
# Changes with how texts are cut: it is part of the hash by which a text is known.
VERSION = 1
# Where a text may be cut, best first.
_ENDS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"[.!?…]\s|[。！？]"), re.compile(r"\s"))


def parts(text: str, size: int, title: str = "") -> list[str]:
    """The text in parts of at most `size` characters, each after the title; none of a text without any sign."""
    size = max(size, 16)
    text, title = text.strip(), title.strip()
    if not text:
        return [title[:size]] if title else []
    head = f"{title[: size // 4]}\n" if title else ""
    if len(title) + 1 + len(text) <= size:
        return [f"{title}\n{text}" if title else text]
    room = size - len(head)
    found: list[str] = []
    while len(text) > room and len(found) < MOST_PARTS - 1:
        at = _end(text, room)
        found.append(text[:at].rstrip())
        text = text[at:].lstrip()
    if len(text) > room:
        text = text[_start(text, len(text) - room) :].lstrip()
    if text:
        found.append(text)
    return [head + part for part in found]


def _end(text: str, room: int) -> int:
    """Where the first part of a text ends: in the second half of the room there is."""
    for end in _ENDS:
        places = [match.end() for match in end.finditer(text, room // 2, room)]
        if places:
            return places[-1]
    return room


def _start(text: str, least: int) -> int:
    """Where the last part of a text begins, not before `least`."""
    for end in _ENDS:
        if (match := end.search(text, least, least + (len(text) - least) // 2)) is not None:
            return match.end()
    return least
