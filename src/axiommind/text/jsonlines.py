"""One line of JSON, parsed strictly first and leniently if that fails.

msgspec is fast and strict; real files also hold halves of surrogate pairs (a preview cut inside an emoji), NaN,
byte order marks. `parse` accepts those and raises ValueError for the rest, never anything else.
"""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

__all__ = ["encode", "parse"]

_LONE_SURROGATE = re.compile(
    rb"\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f][0-9a-f]{2})|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}",
    re.IGNORECASE,
)
_decode = msgspec.json.Decoder().decode


def parse(line: bytes) -> Any:
    try:
        return _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _forgiving(line)


def _forgiving(line: bytes) -> Any:
    text = _LONE_SURROGATE.sub(rb"\\ufffd", line.removeprefix(b"\xef\xbb\xbf")).decode("utf-8")
    try:
        return json.loads(text, parse_constant=lambda _name: None)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def encode(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except (UnicodeEncodeError, OverflowError, RecursionError):
        return json.dumps(value).encode()
