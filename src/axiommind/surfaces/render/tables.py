"""Rows and figures as text: JSON, CSV, tables that know wide characters, colours only where they are wanted."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from axiommind.surfaces.render.terminal import has_colours

__all__ = [
    "as_csv",
    "as_json_rows",
    "as_table",
    "bold",
    "coloured",
    "counted",
    "day",
    "dim",
    "plain",
    "printable",
    "terminal_width",
]

_COLOURS = {"red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_UNKNOWN = 80
_NO_TERMINAL = 10_000
_NARROWEST = 20  # a terminal that says it is narrower says nothing


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


def as_table(
    columns: Sequence[str], rows: Sequence[Mapping[str, Any]], stream: TextIO | None = None, *, whole: bool = False
) -> str:
    """Columns side by side, numbers to the right, as wide as the terminal at most; without columns that are empty.
    With `whole`, as wide as it is where there is no terminal: what is piped is searched, and read elsewhere."""
    from axiommind.surfaces.render.table_layout import lay_out

    texts = [[_shown(row[c]) for c in columns] for row in rows]
    found = lay_out(columns, rows, texts, terminal_width(stream, _NO_TERMINAL if whole else _UNKNOWN))
    if not found.rule and len(kinds := _by_kind(rows)) > 1:
        return "\n\n".join(as_table(columns, part, stream, whole=whole) for part in kinds)
    head = [bold(line, stream) for line in found.head]
    return "\n".join([*head, *([dim(found.rule, stream)] if found.rule else []), *found.body])


def _by_kind(rows: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Rows of one kind together: each kind has columns of its own, and the others are empty."""
    found: list[list[Mapping[str, Any]]] = []
    for row in rows:
        if not found or found[-1][0].get("kind") != row.get("kind"):
            found.append([])
        found[-1].append(row)
    return found


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


def terminal_width(stream: TextIO | None = None, unknown: int = _UNKNOWN) -> int:
    """How many columns there are; so many where nobody says."""
    try:
        target = stream or sys.stdout
        columns = int(os.environ.get("COLUMNS") or 0) or os.get_terminal_size(target.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return columns if columns >= _NARROWEST else unknown


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


def counted(count: int, noun: str) -> str:
    """`1 session`, `2 sessions`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def day(milliseconds: int | None) -> str:
    if not milliseconds:
        return "–"
    from datetime import UTC, datetime

    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d")


def bold(text: str, stream: TextIO | None = None) -> str:
    return _marked("1", text, stream)


def dim(text: str, stream: TextIO | None = None) -> str:
    return _marked("2", text, stream)


def coloured(colour: str, text: str, stream: TextIO | None = None) -> str:
    """In one of a few colours: red, green, yellow or cyan."""
    return _marked(_COLOURS[colour], text, stream)


def _marked(code: str, text: str, stream: TextIO | None) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if text and has_colours(stream or sys.stdout) else text
