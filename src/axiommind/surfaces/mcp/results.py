"""Results of `tools/call`: a value as structured content and as text, or an error that tells the agent what to do.

Our own errors say what they say to a person, hint included. Of an unexpected one only the type is named, and stderr
has the rest.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

from axiommind.errors import AxmError
from axiommind.surfaces.mcp.arguments import BadArguments

__all__ = ["error_text", "failed", "succeeded"]

# Far above what clients accept (25,000 tokens): each tool has limits of its own, and this catches what they missed.
_MOST_CHARS = 400_000


def succeeded(value: Any) -> dict[str, Any]:
    text, value = _as_json(value)
    if len(text) > _MOST_CHARS:
        return failed(f"the answer has {len(text):,} characters, more than {_MOST_CHARS:,} (ask for less of it)")
    return {"content": [{"type": "text", "text": text}], "structuredContent": value}


def failed(message: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": _encodable(message)}], "isError": True}


def error_text(error: Exception, name: str, home: Path) -> str:
    """What an error says to an agent who called `name`."""
    import sqlite3

    if isinstance(error, sqlite3.Error):  # a full disk, or a lock, that arrived as SQLite raised it
        from axiommind.db import store_error

        error = store_error(error, home) or error
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
