r"""Secrets in tables: in the column below a telling head, and beside a telling name in a row of two.

Tables of Markdown, psql and MySQL, and values separated by commas or tabs. A value counts if it looks generated; how
many cells a row has decides whether it belongs to the table. Refuses: tables that are aligned by blanks alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from axiommind.text import secret_values as values
from axiommind.text.patterns import lazy
from axiommind.text.secret_assignments import SecretSpan
from axiommind.text.secret_names import CJK_HEAD, Telling, telling_key
from axiommind.text.secret_prefilter import head_scanner
from axiommind.text.secret_shapes import MARK_START, PASSWORD, SECRET, compiled

__all__ = ["find_in_tables"]

_MOST_ROWS = 500
_MOST_HEADS = 50
_LINE_END = lazy(r"\r?\n|\\+r?\\*n")
_RULE = lazy(r"[-+|: =\t]+")
_WRAPPED = " \t*`\"'\\"
_PREFIX = lazy(r"[+>]?\s*(?:\d{1,6}(?:\t|→))?")  # of a diff, a quotation, or lines with numbers


class _Cell(NamedTuple):
    start: int
    text: str


def find_in_tables(text: str, raw: bytes) -> Iterator[SecretSpan]:
    heads = [found.span() for found in islice(head_scanner().finditer(raw), _MOST_HEADS)]
    if not text.isascii() and "|" in text:
        heads += [found.span() for found in islice(compiled(CJK_HEAD, 0).finditer(text), _MOST_HEADS)]
    read_to = -1
    for first, last in sorted(heads):
        last -= 1
        while text[last - 1] == "\\":  # an escaped end of the line, or tab
            last -= 1
        if last <= read_to:
            continue
        start, end = _line_around(text, last)
        read_to = end
        mark = _mark_at(text, last) or _mark_at(text, first)
        if mark:
            yield from _below(text, start, end, mark)


def _mark_at(text: str, at: int) -> str:
    """What separates the cells, if it stands here."""
    return next((mark for mark in ("|", ",", "\t") if text.startswith(mark, at)), "") or (
        "\\t" if compiled(r"\\+t").match(text, at) else ""
    )


def _line_around(text: str, at: int) -> tuple[int, int]:
    start = max((found.end() for found in _LINE_END.finditer(text, max(0, at - 500), at)), default=max(0, at - 500))
    after = _LINE_END.search(text, at)
    return start, after.start() if after is not None else len(text)


def _below(text: str, start: int, end: int, mark: str) -> Iterator[SecretSpan]:
    head = _cells(text, start, end, mark)
    told = {n: named[0] for n, cell in enumerate(head) if (named := telling_key(_bare(cell.text))) is not None}
    told = {n: one for n, one in told.items() if one != Telling.PERHAPS}
    if not told or len(head) < 2 or (mark == "," and any(" " in _bare(cell.text) for cell in head[1:])):
        return
    if mark == "|" and len(head) == 2 and 0 in told:  # a row of a name and its value
        yield from _judged(head[1], told[0])
    at = end
    for _ in range(_MOST_ROWS):
        gap = _LINE_END.match(text, at)
        if gap is None:
            return
        start = gap.end()
        after = _LINE_END.search(text, start)
        at = after.start() if after is not None else len(text)
        prefix = _PREFIX.match(text, start, at)
        if _RULE.fullmatch(text[prefix.end() if prefix is not None else start : at].strip(_WRAPPED)):
            continue
        row = _cells(text, start, at, mark)
        if len(row) != len(head):
            return
        for n, one in told.items():
            yield from _judged(row[n], one)


def _cells(text: str, start: int, end: int, mark: str) -> list[_Cell]:
    """The cells of a row, without the marks at its ends."""
    if mark == "|":
        prefix = _PREFIX.match(text, start, end)
        start = prefix.end() if prefix is not None else start
    found = []
    for piece in text[start:end].split(mark):
        found.append(_Cell(start, piece))
        start += len(piece) + len(mark)
    if mark == "|":
        found = found[_is_outside(found[0].text.rstrip()[-1:]) :]
        found = found[: len(found) - (bool(found) and _is_outside(found[-1].text.lstrip()[:1]))]
    return found


def _is_outside(beside: str) -> bool:
    """Whether what stands beside the first or the last mark is the end of the row, or of the string that it is in."""
    return not beside or beside in "\"'`\\"


def _bare(cell: str) -> str:
    return cell.strip(_WRAPPED)


def _judged(cell: _Cell, told: Telling) -> Iterator[SecretSpan]:
    value = _bare(cell.text)
    if MARK_START in value or not values.is_generated(value, values.ValueContext.QUOTED):
        return
    if told == Telling.PASSWORD or (len(value) >= 12 and not (values.is_hash(value) and "-" in value)):
        start = cell.start + cell.text.index(value)
        yield SecretSpan(start, start + len(value), PASSWORD if told == Telling.PASSWORD else SECRET, 2)
