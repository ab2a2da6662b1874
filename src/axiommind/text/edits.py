"""The text of a scratchpad: its lines, the edits between versions, its outline, its blocks and its chunks.

Lines are counted from 1 and end with `\\n`; the last one need not. Everything here is a pure function of text, so that
the projection and the history of a scratchpad arrive at the same text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

__all__ = [
    "SEPARATOR",
    "Edit",
    "OutlineHeading",
    "apply",
    "blocks",
    "clean",
    "count",
    "cut",
    "lines_of",
    "outline",
    "section_end",
    "with_separator",
]

# Separates what is appended from the text before it; `blocks` finds it again.
SEPARATOR = "\n---\n<!--- block start --->\n"
_BLOCK = re.compile(r"(?:^|\n)\n?---\n(?:<!--- block start --->\n|(?=\n))")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
# About as long as the chunks of documents: what fits a reader and a vector.
_CHUNK_CHARS = 1_600
# A heading begins a new chunk only if the chunk before it has some content.
_LEAST_CHARS = 200
_TITLE_CHARS = 120


class Edit(NamedTuple):
    """What makes the next version of a text. `start` and `end` are lines, for `inserted` and `lines` only; for
    `chopped`, `end` is how many lines are removed."""

    mode: str  # created, replaced, restored, appended, inserted, lines, chopped, renamed
    piece: str = ""
    start: int = 0
    end: int = 0


class OutlineHeading(NamedTuple):
    """A heading and the last line of its section, sections of lower headings included."""

    line: int
    last: int
    level: int
    title: str


def clean(text: str) -> str:
    """A text as it is stored: lines end in `\\n`, and every character can be stored and printed."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\ufffd")
    return text.encode("utf-8", "replace").decode("utf-8")


def lines_of(text: str) -> list[str]:
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def count(text: str) -> int:
    """How many lines a text has."""
    return text.count("\n") + (not text.endswith("\n") and bool(text))


def with_separator(text: str, content: str) -> str:
    """What has to be appended to a text to make the content a block of its own."""
    if not text:
        return content
    return f"{'' if text.endswith(chr(10)) else chr(10)}{SEPARATOR}{content}"


def apply(text: str, edit: Edit) -> str:
    """The next version of a text."""
    if edit.mode in ("created", "replaced", "restored"):
        return edit.piece
    if edit.mode == "appended":
        return text + edit.piece
    if edit.mode == "renamed":
        return text
    lines = lines_of(text)
    if edit.mode == "chopped":
        kept = lines[: max(len(lines) - edit.end, 0)]
    elif edit.mode == "inserted":
        at = edit.start - 1
        kept = [*lines[:at], *lines_of(edit.piece or "\n"), *lines[at:]]
    else:
        kept = [*lines[: edit.start - 1], *lines_of(edit.piece), *lines[edit.end :]]
    ends = "\n" if text.endswith("\n") and kept else ""
    return "\n".join(kept) + ends


def outline(text: str) -> list[OutlineHeading]:
    """The headings of a text in Markdown, outside of fenced code."""
    found: list[tuple[int, int, str]] = []
    fence = ""
    lines = lines_of(text)
    for number, line in enumerate(lines, start=1):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1][0] == fence[0] and len(mark[1]) >= len(fence) and not line.strip(f" {fence[0]}"):
                fence = ""
        elif mark:
            fence = mark[1]
        elif heading := _HEADING.fullmatch(line):
            found.append((number, len(heading[1]), (heading[2] or "")[:_TITLE_CHARS]))
    headings = []
    nearest = [len(lines) + 1] * 7  # by level, the next heading below the current one
    for at, level, title in reversed(found):
        headings.append(OutlineHeading(at, min(nearest[: level + 1]) - 1, level, title))
        nearest[level] = at
    return headings[::-1]


def section_end(text: str, heading: str) -> int | None:
    """The last line that is not blank of the section with this heading; None if there is no such section."""
    wanted = heading.lstrip("# ").strip().casefold()
    for one in outline(text):
        if one.title.strip().casefold() == wanted:
            lines = lines_of(text)
            last = one.last
            while last > one.line and not lines[last - 1].strip():
                last -= 1
            return last
    return None


def blocks(text: str) -> list[str]:
    """The blocks as they were appended, oldest first."""
    return [block for block in _BLOCK.split(text) if block.strip()] if text.strip() else []


def cut(lines: Sequence[str]) -> list[list[str]]:
    """Lines in chunks, none of them lost. Where a chunk begins depends only on what is before it, so appending changes
    the last chunk and no other."""
    found: list[list[str]] = []
    size = 0
    for line in lines:
        begins = (size >= _LEAST_CHARS and _is_start(line)) or size + len(line) > _CHUNK_CHARS
        if not found or (begins and size and line.strip()):
            found.append([])
            size = 0
        found[-1].append(line)
        size += len(line) + 1
    return found or [[""]]


def _is_start(line: str) -> bool:
    return line == "---" or _HEADING.fullmatch(line) is not None
