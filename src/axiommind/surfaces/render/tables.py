"""Rows and figures as text: JSON, CSV, tables that know wide characters, colours only where they are wanted."""

from __future__ import annotations

import json
import math
import os
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

__all__ = ["as_csv", "as_json_rows", "as_table", "bold", "counted", "day", "dim", "plain", "printable", "width"]

_NARROW = 9  # a column is not made narrower than this to fit the terminal


def plain(value: Any) -> Any:
    """A value as JSON can hold it: bytes as hexadecimal, no NaN."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def as_json_rows(rows: Sequence[Mapping[str, Any]]) -> str:
    """An array, one row a line: easy on the eye, on grep, and on a token budget."""
    if not rows:
        return "[]"
    lines = [json.dumps({k: plain(v) for k, v in row.items()}, ensure_ascii=False) for row in rows]
    return "[\n" + ",\n".join(lines) + "\n]"


def as_csv(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(plain(row[c])) for c in columns])
    return out.getvalue().rstrip("\n")


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else value


def as_table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]], stream: TextIO | None = None) -> str:
    """Columns side by side, numbers to the right, cut to fit a terminal."""
    cells = [[_shown(row[c]) for c in columns] for row in rows]
    right = [all(isinstance(row[c], (int, float)) or row[c] is None for row in rows) for c in columns]
    wide = [max([width(c), *(width(line[i]) for line in cells)]) for i, c in enumerate(columns)]
    room = _terminal(stream)
    while room and sum(wide) + 2 * len(wide) - 2 > room and max(wide) > _NARROW:
        at = wide.index(max(wide))
        wide[at] = max(wide[at] - (sum(wide) + 2 * len(wide) - 2 - room), _NARROW)
    cells = [[_cut(text, size) for text, size in zip(line, wide, strict=True)] for line in cells]
    columns = [_cut(name, size) for name, size in zip(columns, wide, strict=True)]

    def line(texts: Sequence[str]) -> str:
        padded = []
        for text, size, to_right in zip(texts, wide, right, strict=True):
            space = " " * (size - width(text))
            padded.append(space + text if to_right else text + space)
        return "  ".join(padded).rstrip()

    rule = "  ".join("─" * size for size in wide)
    return "\n".join([bold(line(columns), stream), dim(rule, stream), *(line(c) for c in cells)])


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        if 0 < abs(value) < 0.001:
            return f"{value:.1e}"
        return f"{value:.3f}".rstrip("0").rstrip(".")
    if isinstance(value, (list, dict)):
        value = json.dumps(value, ensure_ascii=False)
    return printable(" ".join(str(plain(value)).split()))


def _cut(text: str, room: int) -> str:
    if width(text) <= room:
        return text
    if text.startswith("/") and " " not in text:  # of a path the end says more
        return "…" + _fitting(text[::-1], room - 1)[::-1]
    return _fitting(text, room - 1) + "…"


def _terminal(stream: TextIO | None) -> int:
    """How many columns there are, 0 when it is not a terminal: what is piped is not cut."""
    target = stream or sys.stdout
    if not target.isatty():
        return 0
    try:
        return int(os.environ.get("COLUMNS") or 0) or os.get_terminal_size(target.fileno()).columns
    except (OSError, ValueError):
        return 80


def _fitting(text: str, room: int) -> str:
    for i, char in enumerate(text):
        room -= width(char)
        if room < 0:
            return text[:i]
    return text


# Not printable by Python's word, and harmless: blanks of other widths, and what joins emoji and letters.
_HARMLESS = frozenset("\n\t\u00a0\u00ad\u1680\u200c\u200d\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B))))


def printable(text: str) -> str:
    """Without colours and control characters: what a transcript says must not steer the terminal."""
    if text.isprintable():
        return text
    if "\x1b" in text:
        from axiommind.text.summary import without_colours

        text = without_colours(text)
    return "".join(c if c.isprintable() or c in _HARMLESS else "\ufffd" for c in text)


def width(text: str) -> int:
    """Columns on a terminal: Han, kana and Hangul take two, combining marks none."""
    if text.isascii():
        return len(text)
    total = 0
    for char in text:
        if unicodedata.combining(char):
            continue
        total += 2 if unicodedata.east_asian_width(char) in "WF" else 1
    return total


def counted(count: int, noun: str) -> str:
    """`1 session`, `2 sessions`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def day(milliseconds: int | None) -> str:
    if not milliseconds:
        return "–"
    from datetime import UTC, datetime

    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d")


def _coloured(stream: TextIO | None) -> bool:
    target = stream or sys.stdout
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and target.isatty()


def bold(text: str, stream: TextIO | None = None) -> str:
    return f"\x1b[1m{text}\x1b[0m" if _coloured(stream) else text


def dim(text: str, stream: TextIO | None = None) -> str:
    return f"\x1b[2m{text}\x1b[0m" if _coloured(stream) else text
