"""DuckDB, which writes Parquet files and its own: rows go to it as lines of JSON, part by part, and come out with real
types.

Only inside a process that exports: it is an extra. It is told to fetch nothing from anywhere.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from axiommind.distribution import extra_command
from axiommind.errors import MissingExtra
from axiommind.exports.columns import Column
from axiommind.exports.rows_as_json import lines
from axiommind.exports.snapshot import ExportedTable

__all__ = ["INDEXED", "TYPES", "connect", "error_types", "indexed_view", "literal", "staged", "typed_value"]

INDEXED = "as_indexed"
TYPES = {
    "boolean": "BOOLEAN",
    "integer": "BIGINT",
    "real": "DOUBLE",
    "decimal": "DECIMAL(18,9)",
    "text": "VARCHAR",
    "time": "TIMESTAMP",
    "moment": "TIMESTAMP",
    "day": "DATE",
    "json": "JSON",
    "bytes": "BLOB",
}
# How a kind is read from a line; the rest as it is to be.
_READ = {"moment": "VARCHAR", "day": "VARCHAR", "json": "VARCHAR", "bytes": "VARCHAR", "decimal": "DOUBLE"}
_USUAL_LINE = 16 << 20  # DuckDB makes room for two of the longest lines it is told of
_SETTINGS: dict[str, str | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "default_block_size": 16384,  # sixty tables, most of them small: of the usual 256 KB, 10 MB are empty
    "memory_limit": "1GB",
    "threads": 2,
}


def connect(path: Path | None = None) -> Any:
    """DuckDB, on a file of its own or in memory."""
    try:
        import duckdb
    except ImportError as error:
        raise MissingExtra("this needs duckdb, which is not installed", hint=extra_command("export")) from error
    beside = tempfile.gettempdir() if path is None else str(path.parent)
    return duckdb.connect(str(path or ":memory:"), config={**_SETTINGS, "temp_directory": f"{beside}/.axm-duckdb"})


def error_types() -> tuple[type[Exception], ...]:
    """What DuckDB raises; nothing where it is not installed."""
    try:
        import duckdb
    except ImportError:
        return ()
    return (duckdb.Error,)


def staged(file: Path, table: ExportedTable, rows: Iterable[tuple[Any, ...]]) -> str:
    """Write rows as lines, and give a query that reads them with their types."""
    longest = _USUAL_LINE
    with file.open("wb") as out:
        for line in lines(table.columns, rows, nested=False):
            longest = max(longest, len(line) + 1)
            out.write(line)
    return _selected(file, table, longest)


def _selected(file: Path, table: ExportedTable, longest: int) -> str:
    read = ", ".join(f"'{c.name}': '{_READ.get(c.kind, TYPES[c.kind])}'" for c in table.columns)
    shown = ", ".join(f"{typed_value(c, _quoted(c.name))} as {_quoted(c.name)}" for c in table.columns)
    options = f"format = 'newline_delimited', columns = {{{read}}}, maximum_object_size = {longest}"
    return f"select {shown} from read_json({literal(str(file))}, {options})"


def typed_value(column: Column, value: str) -> str:
    """The SQL of a value as its kind is held, from what was read."""
    match column.kind:
        case "moment":
            return f"try_cast({value} as timestamp)"
        case "day":
            return f"try_cast({value} as date)"
        case "json":  # what is none is kept as a text
            return f"case when json_valid({value}) then {value}::json else to_json({value}) end"
        case "bytes":
            return f"from_base64({value})"
        case "decimal":
            return f"{value}::decimal(18,9)"
    return value


def indexed_view(table: ExportedTable) -> str:
    """A view that shows a table as `axm query` does over all projects: times in milliseconds, booleans as 0 and 1,
    JSON as text, and counts of all projects summed."""
    wanted = set(table.shown.split(", ")) if table.over_all else {column.name for column in table.columns}
    columns = [column for column in table.columns if column.name in wanted]
    shown = ", ".join(f"{_indexed(c, _quoted(c.name))} as {_quoted(c.name)}" for c in columns)
    rows = (
        f"({table.over_all.replace(' as real)', ' as double)')})" if table.over_all else f"main.{_quoted(table.name)}"
    )
    return f"create or replace view {INDEXED}.{_quoted(table.name)} as select {shown} from {rows}"


def _indexed(column: Column, value: str) -> str:
    match column.kind:
        case "boolean":
            return f"{value}::bigint"
        case "time":
            return f"coalesce(epoch_ms({value}), 0)" if column.required else f"epoch_ms({value})"
        case "moment":
            return f"strftime({value}, '%Y-%m-%dT%H:%M:%S.%gZ')"
        case "day":
            return f"strftime({value}, '%Y-%m-%d')"
        case "json":
            return f"{value}::varchar"
        case "decimal":
            return f"{value}::double"
    return value


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _quoted(name: str) -> str:
    return f'"{name}"'
