"""What is in an export, read without the program, and brought back to how `index.db` holds it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import chdir, closing
from datetime import datetime
from pathlib import Path
from typing import Any

from axiommind.exports.snapshot import LEFT_OUT
from axiommind.projections.runner import tables as index_tables

__all__ = ["FORMATS", "files_of", "held", "in_index", "opened"]

FORMATS = ("duckdb", "jsonl", "parquet", "sqlite")
DERIVED = {table.name for table in index_tables() if table.over_all}
Rows = list[tuple[Any, ...]]


def in_index(home: Path) -> dict[str, Rows]:
    """Every table of an index, less what is said not to be exported."""
    with closing(sqlite3.connect(home / "index.db")) as db:
        names = [table.name for table in index_tables() if table.name not in LEFT_OUT and not table.is_cache]
        return {name: _sorted(db.execute(f'select * from "{name}"').fetchall()) for name in names}


def held(to: str, path: Path, tables: Sequence[str]) -> dict[str, Rows]:
    """The same tables of an export."""
    if to == "jsonl":
        columns = _columns(path)
        return {name: _sorted(_lines(path / name, columns[name])) for name in tables}
    with closing(opened(to, path)) as db:
        return {name: _sorted(db.execute(_query(to, name)).fetchall()) for name in tables}


def _query(to: str, name: str) -> str:
    """All rows as the index holds them. Of derived tables `as_indexed` shows the sums over all projects."""
    if to == "sqlite" or name in ("blobs", "dictionary"):
        return f'select * from "{name}"'
    if name in DERIVED:
        days = " replace (strftime(week_start, '%Y-%m-%d') as week_start)" if name == "weekly_buckets" else ""
        return f'select *{days} from main."{name}"'
    return f'select * from as_indexed."{name}"'


def opened(to: str, path: Path) -> Any:
    """An export as a database."""
    if to == "sqlite":
        return sqlite3.connect(path)
    import duckdb

    if to == "duckdb":
        return duckdb.connect(str(path), read_only=True)
    db = duckdb.connect()
    with chdir(path):  # as somebody does who runs `duckdb -init load.sql`
        db.execute((path / "load.sql").read_text())
    db.execute(f"set file_search_path = '{path}'")
    return db


def files_of(path: Path) -> dict[str, tuple[int, int]]:
    """The files of an export, with what tells whether one was written again."""
    files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
    return {str(file.relative_to(path)): (file.stat().st_ino, file.stat().st_mtime_ns) for file in files}


def _columns(path: Path) -> dict[str, list[tuple[str, str, bool]]]:
    found: dict[str, list[tuple[str, str, bool]]] = {}
    for row in json.loads((path / "manifest.json").read_text())["tables"]:
        found[row["name"]] = [(c["name"], c["kind"], c["required"]) for c in row["columns"]]
    return found


def _lines(folder: Path, columns: list[tuple[str, str, bool]]) -> Rows:
    rows = []
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_bytes().splitlines():
            said = json.loads(line)
            assert list(said) == [name for name, _, _ in columns]
            rows.append(tuple(_back(said[name], kind, required) for name, kind, required in columns))
    return rows


def _back(value: Any, kind: str, required: bool) -> Any:
    match kind:
        case "boolean":
            return None if value is None else int(value)
        case "time":
            if value is None:
                return 0 if required else None
            return round(datetime.fromisoformat(value).timestamp() * 1000)
        case "json":
            return None if value is None else json.dumps(value, sort_keys=True)
    return value


def _sorted(rows: Any) -> Rows:
    """JSON is compared by what it says."""
    return sorted((tuple(_plain(value) for value in row) for row in rows), key=repr)


def _plain(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return json.dumps(json.loads(value), sort_keys=True)
        except ValueError:
            return value
    return value
