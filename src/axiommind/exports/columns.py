"""What a column of a table really holds.

SQLite has integers and texts; elsewhere there are times, booleans, days, JSON and decimals. What a column means follows
from its declared type and its name, as everywhere in the schema (docs/schema.md).
"""

from __future__ import annotations

import sqlite3
from typing import Any, NamedTuple

__all__ = ["Column", "columns_of", "typed"]

_BOOLEANS = frozenset(
    {
        "agree",
        "aligned",
        "canonical",
        "forked",
        "known",
        "live",
        "ok",
        "project_known",
        "pruned",
        "success",
        "withdrawn",
    }
)
_TIMES = frozenset({"at", "file_mtime", "mtime", "timestamp", "ts"})
_MOMENTS = frozenset({"at", "missing_since", "ts"})
_DAYS = frozenset({"day", "week_start"})
_JSON = frozenset({"payload", "context"})
_DECIMALS = frozenset({"usd"})
# What DuckDB and Parquet can hold; a time outside is a mistake of whoever wrote it, and is left out.
_EARLIEST, _LATEST = -62_135_596_800_000, 253_402_300_799_999


class Column(NamedTuple):
    """`kind` is boolean, integer, real, decimal, text, time (epoch milliseconds), moment (ISO 8601), day, json or
    bytes."""

    name: str
    kind: str
    key: int = 0  # its place in the key, from 1; 0 where it is not part of it
    required: bool = False
    declared: str = "text"


def columns_of(db: sqlite3.Connection, schema: str, table: str, wanted: tuple[str, ...] = ()) -> tuple[Column, ...]:
    """The columns of a table or a view, in their order."""
    rows = db.execute("select name, type, pk, [notnull] from pragma_table_info(?, ?)", (table, schema)).fetchall()
    return tuple(
        Column(name, _kind(name, declared.lower()), key, bool(required or key), declared.lower() or "text")
        for name, declared, key, required in rows
        if not wanted or name in wanted
    )


def _kind(name: str, declared: str) -> str:
    if declared == "integer":
        if name in _BOOLEANS or name.startswith("is_"):
            return "boolean"
        return "time" if name in _TIMES or name.endswith(("_ts", "_at")) else "integer"
    if declared == "real":
        return "decimal" if name in _DECIMALS else "real"
    if name in _JSON or name.endswith("_json"):
        return "json"
    if name in _DAYS:
        return "day"
    return "moment" if name in _MOMENTS or name.endswith("_at") else "text"


def typed(column: Column, value: Any) -> Any:
    """A value of SQLite as JSON says it. JSON text stays a text here: whoever writes it knows how to put it in."""
    if value is None:
        return None
    if column.kind == "boolean":
        return bool(value)
    if column.kind == "time":
        return _moment(value, column.required)
    return value


def _moment(milliseconds: Any, required: bool) -> str | None:
    """ISO 8601 in UTC. Where a column cannot be empty, 0 means that no time is known."""
    from datetime import UTC, datetime

    if not isinstance(milliseconds, int) or not _EARLIEST <= milliseconds <= _LATEST or (required and not milliseconds):
        return None
    seconds, rest = divmod(milliseconds, 1000)
    at = datetime.fromtimestamp(seconds, UTC)
    return f"{at.year:04d}-{at.month:02d}-{at.day:02d}T{at.hour:02d}:{at.minute:02d}:{at.second:02d}.{rest:03d}Z"
