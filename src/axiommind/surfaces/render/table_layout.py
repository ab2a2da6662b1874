"""How a table fits the terminal. Empty columns go, headings and long texts wrap, ids and paths are cut in the middle;
numbers and dates are never cut.

Where that is not enough, token and byte counts are abbreviated (12.3M), then long words of headings are hyphenated, and
as a last resort each row becomes a block with a line for each column. Widths are columns of a terminal: Han, kana and
Hangul take two.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["TableLayout", "cut_end", "cut_middle", "lay_out", "width", "wrap"]

_LINES = 3  # a text takes no more lines of a table; what is longer loses its middle
_BLOCK_LINES = 6  # the same where a row is a block of lines
_WHOLE, _COMFORTABLE, _NARROW, _TIGHT = 10_000, 24, 10, 8  # how narrow a text column may become
_CUT_ID, _CUT_PATH = 13, 18  # an id shows its first eight characters: commands take them
_SHORT_ID = 16  # an id up to this length is an abbreviation already, and has to stay whole to be typed
_LONG_WORD = 7  # of a heading; a longer one may be halved
_BREAKS = frozenset("_-/:.,")
_DATE = re.compile(r"\d{4}-\d\d(-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?Z?)?)?")
_FIGURE = re.compile(r"[-+]?\d[\d,]*(\.\d+)?( ?(%|[kMG]?B|m?s))?")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{12,}|[a-z]{2,4}_[0-9a-z]{8,}")
_PATH = re.compile(r"[~/]\S*")
_ABBREVIATED = ("tokens", "bytes")
_UNITS = ("", "k", "M", "G", "T")


class TableLayout(NamedTuple):
    """The lines of a table; without a rule, it is a list of blocks and has no heading."""

    head: list[str]
    rule: str
    body: list[str]


class _Column(NamedTuple):
    name: str
    kind: str  # number, date, id, path or text
    cells: tuple[str, ...]
    is_hyphenated: bool = False

    @property
    def is_rigid(self) -> bool:
        return self.kind in ("number", "date") or (self.kind == "id" and self.natural <= _SHORT_ID)

    @property
    def natural(self) -> int:
        return max(map(width, self.cells), default=0)

    def least(self, floor: int) -> int:
        """The narrowest that it may be, its heading wrapped."""
        pieces = _pieces(self.name)
        heading = max(map(width, _halved(pieces) if self.is_hyphenated else pieces))
        if self.is_rigid or floor >= self.natural:
            return max(heading, self.natural)
        narrow = {"id": _CUT_ID, "path": _CUT_PATH}.get(self.kind) or max(floor, self._word if floor > _TIGHT else 0)
        return max(heading, min(self.natural, narrow))

    @property
    def _word(self) -> int:
        """Words up to the length of an id are not broken."""
        return min(max((width(word) for cell in self.cells for word in cell.split()), default=0), _CUT_ID)


def lay_out(
    columns: Sequence[str], rows: Sequence[Mapping[str, Any]], texts: Sequence[Sequence[str]], room: int
) -> TableLayout:
    """`texts` are the values of the rows as they are shown."""
    every = [_column(name, [row[name] for row in rows], [line[i] for line in texts]) for i, name in enumerate(columns)]
    shown = [column for column in every if any(column.cells)] or every
    sizes = [max(column.natural, width(column.name)) for column in shown]
    if sum(sizes) + 2 * (len(sizes) - 1) <= room:
        return _table(shown, sizes, 2)
    brief = [_abbreviated(column) for column in shown]
    hyphenated = [column._replace(is_hyphenated=True) for column in brief]
    for candidates, floor, gap in (
        (shown, _WHOLE, 2),
        (shown, _COMFORTABLE, 2),
        (shown, _NARROW, 2),
        (brief, _COMFORTABLE, 2),
        (brief, _NARROW, 2),
        (brief, _NARROW, 1),
        (brief, _TIGHT, 1),
        (hyphenated, _TIGHT, 1),
    ):
        sizes = _sizes(candidates, floor, room - gap * (len(shown) - 1))
        if sizes:
            return _table(candidates, sizes, gap)
    return _blocks(shown, room)


def _column(name: str, values: Sequence[Any], cells: Sequence[str]) -> _Column:
    filled = [cell for cell in cells if cell]
    is_numeric = all(value is None or isinstance(value, (int, float)) for value in values)
    if is_numeric or (filled and all(map(_FIGURE.fullmatch, filled))):
        kind = "number"
    elif filled and all(map(_DATE.fullmatch, filled)):
        kind = "date"
    elif filled and all(map(_ID.fullmatch, filled)):
        kind = "id"
    elif filled and all(map(_PATH.fullmatch, filled)):
        kind = "path"
    else:
        kind = "text"
    return _Column(name, kind, tuple(cells))


def _abbreviated(column: _Column) -> _Column:
    if column.kind != "number" or not column.name.endswith(_ABBREVIATED):
        return column
    return column._replace(cells=tuple(map(_brief, column.cells)))


def _brief(cell: str) -> str:
    """A count as 845k, 12.3M or 1.2G."""
    if len(cell) < 5 or not cell.isdecimal():
        return cell
    value, unit = float(cell), 0
    while value >= 999.5 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{value:.0f}{_UNITS[unit]}" if value >= 99.95 else f"{value:.1f}{_UNITS[unit]}"


def _sizes(columns: Sequence[_Column], floor: int, room: int) -> list[int]:
    """How wide each column is; nothing when they do not fit. What is left over goes to the narrowest columns first, so
    that short texts stay whole."""
    least = [column.least(floor) for column in columns]
    left = room - sum(least)
    if left < 0:
        return []
    sizes = list(least)
    wants = [max(column.natural, size) - size for column, size in zip(columns, least, strict=True)]
    while left > 0 and any(wants):
        hungry = [i for i, want in enumerate(wants) if want]
        at = min(hungry, key=lambda i: sizes[i])
        sizes[at], wants[at], left = sizes[at] + 1, wants[at] - 1, left - 1
    return sizes


# --- lines -------------------------------------------------------------------------------------------------


def _table(columns: Sequence[_Column], sizes: Sequence[int], gap: int) -> TableLayout:
    head = list(
        _lines([_wrapped_name(c.name, size) for c, size in zip(columns, sizes, strict=True)], columns, sizes, gap)
    )
    body: list[str] = []
    for row in zip(*(column.cells for column in columns), strict=True):
        cells = [_fitted(column, cell, size) for column, cell, size in zip(columns, row, sizes, strict=True)]
        body += _lines(cells, columns, sizes, gap)
    return TableLayout(head, (" " * gap).join("─" * size for size in sizes), body)


def _lines(cells: Sequence[Sequence[str]], columns: Sequence[_Column], sizes: Sequence[int], gap: int) -> Iterator[str]:
    """The lines of one row, whose cells may have several."""
    for n in range(max(map(len, cells))):
        padded = []
        for cell, column, size in zip(cells, columns, sizes, strict=True):
            text = cell[n] if n < len(cell) else ""
            space = " " * (size - width(text))
            padded.append(space + text if column.kind == "number" else text + space)
        yield (" " * gap).join(padded).rstrip()


def _fitted(column: _Column, cell: str, size: int) -> list[str]:
    if width(cell) <= size or column.is_rigid:
        return [cell]
    if column.kind == "id":
        return [cut_middle(cell, size, 0.7)]
    if column.kind == "path":
        return [cut_middle(cell, size, 0.3)]
    return _wrapped(cell, size, _LINES)


def _wrapped(text: str, size: int, lines: int) -> list[str]:
    """Wrapped to at most so many lines. A word may leave the end of a line empty, so less fits than there is room."""
    found = wrap(text, size)
    room = size * lines
    while len(found) > lines:
        found = wrap(cut_middle(text, room), size)
        room -= 2
    return found


def _blocks(columns: Sequence[_Column], room: int) -> TableLayout:
    """A row as a block: the name of a column, and its value beside it."""
    label = min(max(width(column.name) for column in columns), room // 3)
    body: list[str] = []
    for row in zip(*(column.cells for column in columns), strict=True):
        body += [""] if body else []
        for column, cell in zip(columns, row, strict=True):
            if not cell:
                continue
            name = cut_middle(column.name, label)
            first, *more = _wrapped(cell, room - label - 2, _BLOCK_LINES)
            body.append(f"{name}{' ' * (label - width(name))}  {first}")
            body += [f"{' ' * label}  {line}" for line in more]
    return TableLayout([], "", body)


# --- words -------------------------------------------------------------------------------------------------


def _pieces(text: str) -> list[str]:
    """Where a heading may be broken: after an underscore, at a blank."""
    return [piece.strip() for piece in re.findall(r"[^_ ]*(?:_|\s+|$)", text) if piece.strip()] or [text]


def _halved(pieces: Sequence[str]) -> list[str]:
    """Pieces of a heading, long words in two: `crea-`, `tion_`."""
    found: list[str] = []
    for piece in pieces:
        half = (len(piece.rstrip("_")) + 1) // 2
        found += [piece] if len(piece.rstrip("_")) <= _LONG_WORD else [f"{piece[:half]}-", piece[half:]]
    return found


def _wrapped_name(name: str, size: int) -> list[str]:
    if width(name) <= size:
        return [name]
    lines = [""]
    pieces = re.findall(r"[^_ ]*(?:_|\s+|$)", name)
    for piece in _halved(pieces) if any(width(piece.strip()) > size for piece in pieces) else pieces:
        if lines[-1] and width((lines[-1] + piece).rstrip()) > size:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines if line.strip()]


def wrap(text: str, size: int) -> list[str]:
    """Lines no wider than `size`, broken at blanks, after punctuation, or where it must be."""
    lines: list[str] = []
    rest = text.strip()
    while width(rest) > size:
        end = _fitting(rest, size)
        at = next((i for i in range(end, end // 3, -1) if _may_break(rest, i)), end)
        lines.append(rest[:at].rstrip())
        rest = rest[at:].lstrip()
    return [*lines, rest] if rest or not lines else lines


def _may_break(text: str, at: int) -> bool:
    """At a blank, and after punctuation inside a word: not within `--all`."""
    if text[at] == " " or text[at - 1] == " ":
        return True
    return text[at - 1] in _BREAKS and text[at].isalnum() and (at < 2 or text[at - 2].isalnum())


def cut_middle(text: str, room: int, head: float = 0.5) -> str:
    """The beginning and the end of a text, in no more columns than there is room for."""
    if width(text) <= room:
        return text
    if room < 2:
        return "…"[:room]
    start = text[: _fitting(text, max(round((room - 1) * head), 1))]
    back = text[::-1]
    end = back[: _fitting(back, room - 1 - width(start))][::-1]
    return f"{start.rstrip()}…{end.lstrip()}"


def cut_end(text: str, room: int) -> str:
    """The beginning of a text, in no more columns than there is room for."""
    return text if width(text) <= room else f"{text[: _fitting(text, room - 1)].rstrip()}…"


def _fitting(text: str, room: int) -> int:
    """How many characters fit, at least one."""
    for i, char in enumerate(text):
        room -= width(char)
        if room < 0:
            return max(i, 1)
    return len(text)


def width(text: str) -> int:
    """Columns on a terminal: Han, kana and Hangul take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
