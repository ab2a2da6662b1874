"""Results of `tools/call`: a value as structured content and as text, or an error that tells the agent what to do.

Our own errors say what they say to a person, hint included. Of an unexpected one only the type is named, and stderr
has the rest.
"""

from __future__ import annotations

import functools
import json
import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from axiommind.errors import AxmError
from axiommind.surfaces.mcp.arguments import BadArguments
from axiommind.surfaces.mcp.pages import MOST_TOKENS
from axiommind.text.estimate import estimate_tokens
from axiommind.text.patterns import lazy

__all__ = ["error_text", "failed", "short", "succeeded"]

_MOST_ERROR = 2_000  # characters
_MOST_SHOWN = 60  # characters of an argument in an error
_LONG_WORD = lazy(rf"\w{{{_MOST_SHOWN + 1},}}")


def succeeded(value: Any) -> dict[str, Any]:
    """The result of a call that went well. Tools keep to the ceiling by themselves; this catches what they missed."""
    text, value = _as_json(value)
    if (tokens := estimate_tokens(text)) > MOST_TOKENS:
        return failed(f"the answer has {tokens:,} tokens, more than {MOST_TOKENS:,} (ask for less of it)")
    return {"content": [{"type": "text", "text": text}], "structuredContent": value}


def failed(message: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": _encodable(short(message))}], "isError": True}


def short(message: str, arguments: Any = None) -> str:
    """A message in which no argument is repeated at length: whoever sent it has it."""
    for value in _texts(arguments):
        if len(value) > _MOST_SHOWN:
            # As it is or as a command reads it, and quoted with its escapes.
            for text in dict.fromkeys((value, value.strip(), value.strip().lower(), " ".join(value.split()))):
                for written in (text, repr(text)[1:-1]):
                    if written:
                        message = message.replace(written, f"{written[: _MOST_SHOWN - 1]}…")
            message = _LONG_WORD.sub(functools.partial(_cut_if_in, value), message)
    return message if len(message) <= _MOST_ERROR else f"{message[: _MOST_ERROR - 1]}…"


def _cut_if_in(value: str, word: re.Match[str]) -> str:
    """A word of a message, cut where it is part of an argument: SQLite names the column that it does not know."""
    return f"{word[0][: _MOST_SHOWN - 1]}…" if word[0] in value else word[0]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def error_text(error: Exception, name: str, home: Path) -> str:
    """What an error says to an agent who called `name`."""
    import sqlite3

    if isinstance(error, sqlite3.Error):  # a full disk, or a lock, that arrived as SQLite raised it
        from axiommind.db import store_error

        error = store_error(error, home) or error
    elif isinstance(error, OSError):
        from axiommind.disk import os_error

        error = os_error(error, Path(error.filename or home)) or error
    if isinstance(error, BadArguments):
        return str(error)
    if isinstance(error, AxmError):
        return f"{error.message}{error.hint and f' ({error.hint})'}"
    import traceback

    traceback.print_exception(error, file=sys.stderr)
    return f"Internal error in {name}: {type(error).__name__}"


def _as_json(value: Any) -> tuple[str, Any]:
    """A value as compact JSON, and the value; without what JSON or UTF-8 cannot represent."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        text.encode()
    except ValueError:  # NaN, infinity, or a lone surrogate
        value = _writable(value)
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text, value


def _writable(value: Any) -> Any:
    if isinstance(value, dict):
        return {_writable(key): _writable(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_writable(one) for one in value]
    if isinstance(value, str):
        return _encodable(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
