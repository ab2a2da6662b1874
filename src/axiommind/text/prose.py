"""Prose: the sentences of a Markdown text as they stand, each with the heading above it and its place in a list.

Code blocks, tables and rules are no prose. A sentence is a substring of the text, so that it can be quoted; a list
item's continuation lines belong to it. Four languages: sentences end at `.!?` before a blank, and at `。！？`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from axiommind.text.patterns import lazy

__all__ = ["ProseSentence", "sentences"]

_FENCE = lazy(r"^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_HEADING = lazy(r"[ \t]*#{1,6}[ \t]+(\S.*)$")
_BOLD_HEADING = lazy(r"[ \t]*(?:\d{1,2}[.)][ \t]+)?\*\*([^*\n]{2,120})\*\*[ \t]*[:：]?[ \t]*$")
_ITEM = lazy(r"[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_NO_PROSE = lazy(r"[ \t]*(?:\||[-=*_]{3,}[ \t]*$|<[!/a-zA-Z]|>)")
# A full stop ends a sentence only before a blank: `v1.2`, `file.py` and `e.g.` do not.
_END = lazy(
    r"(?<![ (][a-zA-Z])(?<!\b(?:vs|eg|ie|cf))(?<!\be\.g)(?<!\bi\.e)(?<!\betc)[.!?]+[\"')\]*`]{0,3}(?=\s|$)"
    r"|[。！？]+[」』）)*]{0,3}"
)
_LETTER = lazy(r"[^\n]")
_CODE = lazy(r"`[^`\n]{1,300}`")
_LONGEST = 100_000


class ProseSentence(NamedTuple):
    """A sentence and where it stands."""

    text: str  # as it stands, without the mark of its list item
    start: int  # in the text
    heading: str  # the nearest one above; empty where there is none
    paragraph: int  # sentences with the same number belong together
    in_list: bool
    first: bool  # of its paragraph or list item


def sentences(text: str) -> Iterator[ProseSentence]:
    text = text[:_LONGEST]
    masked = _FENCE.sub(lambda block: _LETTER.sub(" ", block[0]), text)
    for start, end, form in _pieces(masked):
        yield from _split(text, start, end, form)


def _pieces(masked: str) -> Iterator[tuple[int, int, ProseSentence]]:
    """Paragraphs and list items: where each begins and ends, and what its sentences have in common."""
    form = ProseSentence("", 0, "", 0, False, True)
    begin: int | None = None
    at = 0
    for line in [*masked.split("\n"), ""]:
        title = _HEADING.match(line) or _BOLD_HEADING.match(line)
        item = _ITEM.match(line)
        ends = title is not None or item is not None or not line.strip() or _NO_PROSE.match(line) is not None
        if ends:
            if begin is not None:
                yield begin, at - 1, form
            begin = None
            form = form._replace(paragraph=form.paragraph + 1)
        if title is not None:
            form = form._replace(heading=title[1].strip().strip("*"))
        elif begin is None and (item is not None or not ends):
            indent = item.end() if item is not None else len(line) - len(line.lstrip())
            begin, form = at + indent, form._replace(in_list=item is not None)
        at += len(line) + 1


def _split(text: str, start: int, end: int, form: ProseSentence) -> Iterator[ProseSentence]:
    piece = text[start:end]
    masked = _CODE.sub(lambda code: "x" * len(code[0]), piece)
    at = 0
    for stop in [*(match.end() for match in _END.finditer(masked)), len(piece)]:
        said = piece[at:stop]
        if said.strip():
            begin = start + at + len(said) - len(said.lstrip())
            yield form._replace(text=said.strip(), start=begin, first=at == 0)
        at = stop
