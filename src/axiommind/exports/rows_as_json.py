"""Rows as lines of JSON: with JSON inside for people, as texts for a program that reads them with our types."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from axiommind.exports.columns import Column, typed

__all__ = ["lines"]

_ENCODER = msgspec.json.Encoder()
_RAW = msgspec.json.Decoder(msgspec.Raw)


def lines(columns: tuple[Column, ...], rows: Iterable[tuple[Any, ...]], *, nested: bool) -> Iterator[bytes]:
    """A line for each row. With `nested`, what is JSON in a row is JSON in the line."""
    readers = [(column.name, _reader(column, nested)) for column in columns]
    for row in rows:
        said = {name: read(value) for (name, read), value in zip(readers, row, strict=True)}
        yield _ENCODER.encode(said) + b"\n"


def _reader(column: Column, nested: bool) -> Callable[[Any], Any]:
    if nested and column.kind == "json":
        return _inside
    return lambda value: typed(column, value)


def _inside(text: Any) -> Any:
    """JSON as it was written, on one line; what is none, as a text."""
    if text is None:
        return None
    try:
        _RAW.decode(text.encode())
        return msgspec.Raw(text.encode() if "\n" not in text else json.dumps(json.loads(text)).encode())
    except (ValueError, RecursionError, UnicodeEncodeError):
        return text
