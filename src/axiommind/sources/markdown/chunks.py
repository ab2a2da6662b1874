"""Chunks: a page's blocks gathered into pieces that an embedder can take, each verbatim the lines that it cites."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from axiommind.sources.markdown.blocks import PageBlock, covering

__all__ = ["MAX_TOKENS", "OVERLAP_TOKENS", "TARGET_TOKENS", "DocumentChunk", "cut_chunks"]

# A token is three bytes of UTF-8: too many for English, about right for Korean, never too few for an embedder.
TARGET_TOKENS = 500
OVERLAP_TOKENS = 80
MAX_TOKENS = 4000


class DocumentChunk(NamedTuple):
    """Lines of a document, 1-based and inclusive, under the headings that lead to them."""

    heading: tuple[str, ...]
    line_start: int
    line_end: int
    text: str


class _Sizes:
    """Tokens of any range of lines, in one step."""

    def __init__(self, lines: Sequence[str]) -> None:
        sizes = ((len(line) if line.isascii() else len(line.encode())) + 1 for line in lines)
        self._ends = list(accumulate(sizes, initial=0))

    def tokens(self, start: int, end: int) -> int:
        return -(-(self._ends[end] - self._ends[start] - 1) // 3)


class _LineSpan(NamedTuple):
    """A chunk before its text is cut out."""

    heading: tuple[str, ...]
    start: int
    end: int


def cut_chunks(lines: Sequence[str], blocks: Iterable[PageBlock]) -> Iterator[DocumentChunk]:
    """The chunks of a page, in order; together they hold every line that is not blank."""
    sizes = _Sizes(lines)
    for span in _spans(_units(lines, blocks, sizes), sizes):
        if sizes.tokens(span.start, span.end) <= MAX_TOKENS:
            yield DocumentChunk(span.heading, span.start + 1, span.end, "\n".join(lines[span.start : span.end]))
        else:
            yield from _pieces(lines, span, sizes)


def _units(lines: Sequence[str], blocks: Iterable[PageBlock], sizes: _Sizes) -> Iterator[PageBlock]:
    """The blocks, with those of running text that are over the target taken apart: a list into items, an item or a
    quote into what it holds, a paragraph into lines. Code and tables stay whole."""
    for block in blocks:
        if block.kind != "text" or sizes.tokens(block.start, block.end) <= TARGET_TOKENS:
            yield block
        elif block.inner:
            yield from _units(lines, covering(lines, block.inner, block.start, block.end), sizes)
        else:
            for i in range(block.start, block.end):
                if lines[i].strip():
                    yield PageBlock("text", i, i + 1)


def _spans(units: Iterable[PageBlock], sizes: _Sizes) -> Iterator[_LineSpan]:
    """Units gathered into chunks. A heading opens a chunk and is never left alone while what follows is its own."""
    path: list[PageBlock] = []
    gathered: list[PageBlock] = []
    headed = filled = False  # whether a heading is among the gathered, and anything but headings and rules
    last: _LineSpan | None = None  # held back, because a rule may still end it

    def closed() -> _LineSpan:
        titles = tuple(block.title for block in path if block.title)
        return _LineSpan(titles, gathered[0].start, gathered[-1].end)

    for unit in units:
        if unit.kind == "rule" and (gathered or last) and sizes.tokens(unit.start, unit.end) < OVERLAP_TOKENS:
            # A line across the page says nothing by itself: it goes with what it ends.
            if gathered:
                gathered.append(unit)
            elif last:
                last = last._replace(end=unit.end)
            continue
        alone = unit.kind in ("code", "table")
        heading = unit.kind == "heading"
        if heading:
            leave = filled or (headed and unit.level <= path[-1].level)
        else:
            leave = filled and (alone or sizes.tokens(gathered[0].start, unit.end) > TARGET_TOKENS)
        if leave:
            if last:
                yield last
            last = closed()
            gathered = [] if heading or alone else _overlap(gathered, unit, sizes)
            headed = filled = False
        if heading:
            while path and path[-1].level >= unit.level:
                path.pop()
            path.append(unit)
        gathered.append(unit)
        headed, filled = headed or heading, filled or unit.kind not in ("heading", "rule")
        if alone:
            if last:
                yield last
            last, gathered, headed, filled = closed(), [], False, False
    if last:
        yield last
    if gathered:
        yield closed()


def _overlap(units: Sequence[PageBlock], following: PageBlock, sizes: _Sizes) -> list[PageBlock]:
    """The last units of a chunk, to begin the next with: never its heading, and no more than fits."""
    room = min(OVERLAP_TOKENS, TARGET_TOKENS // 2)
    tail: list[PageBlock] = []
    for unit in reversed(units):
        fits = sizes.tokens(unit.start, units[-1].end) <= room
        if unit.kind == "heading" or not fits or sizes.tokens(unit.start, following.end) > TARGET_TOKENS:
            break
        tail.insert(0, unit)
    return tail


def _pieces(lines: Sequence[str], span: _LineSpan, sizes: _Sizes) -> Iterator[DocumentChunk]:
    """A chunk too large for any embedder, cut at line ends; a line that is too large by itself is cut inside."""
    start = span.start
    for i in range(span.start, span.end + 1):
        long = i < span.end and sizes.tokens(i, i + 1) > MAX_TOKENS
        if i == span.end or long or sizes.tokens(start, i + 1) > MAX_TOKENS:
            yield from _trimmed(lines, span.heading, start, i)
            start = i
        if long:
            yield from (DocumentChunk(span.heading, i + 1, i + 1, part) for part in _parts(lines[i]) if part.strip())
            start = i + 1


def _trimmed(lines: Sequence[str], heading: tuple[str, ...], start: int, end: int) -> Iterator[DocumentChunk]:
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    if start < end:
        yield DocumentChunk(heading, start + 1, end, "\n".join(lines[start:end]))


def _parts(line: str) -> Iterator[str]:
    """A line in pieces of at most MAX_TOKENS, cut after a blank where there is one near the end."""
    data = line.encode()
    limit = MAX_TOKENS * 3
    at = 0
    while len(data) - at > limit:
        cut = data.rfind(b" ", at + limit // 2, at + limit) + 1
        if not cut:
            cut = at + limit
            while data[cut] & 0xC0 == 0x80:  # inside a character
                cut -= 1
        yield data[at:cut].decode()
        at = cut
    yield data[at:].decode()
