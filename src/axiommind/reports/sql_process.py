"""A user's select in a process of its own: `run_apart` asks, `answer` is what the process does.

The guard of `db.py` is the first line: one select, read only, limits on length, rows, bytes and, where SQLite looks at
its clock, time. A single call of a function (`instr(printf(…))`) can go on for minutes without such a look, so the
process is killed when its time is up, and its memory is limited.
"""

from __future__ import annotations

import base64
import json
import sqlite3
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from axiommind import db as sqlite
from axiommind import errors
from axiommind.killable import StoppedProcess, answers_of
from axiommind.projections.scope import open_scoped

if TYPE_CHECKING:
    from axiommind.prices.dollars import Pricing

__all__ = ["answer", "pricing_for", "run_apart"]

# What a query may use in all, beside the interpreter; SQLite itself is held to less, so that it can say so.
_MEMORY = 1 << 30
_HEAP = 256 << 20
_GRACE_S = 1.0  # for SQLite to notice by itself, and for the process to start
_BATCH = 200
_CODE = """
sys.path[:] = given["path"]
from axiommind.reports.sql_process import answer
answer(given)
"""


def run_apart(
    path: Path, project: str | None, sql: str, *, seconds: float, rows: int, dollars: bool = True
) -> sqlite.Rows:
    """The rows of one select statement. A `sqlite3.DatabaseError` is the index's own."""
    given = {"path": sys.path, "index": str(path), "project": project, "sql": sql, "limit": seconds, "rows": rows}
    given["dollars"] = dollars
    found: list[tuple[Any, ...]] = []
    columns: list[str] = []
    notes: list[str] = []
    try:
        for said in answers_of(_CODE, given, seconds=seconds + _GRACE_S, memory=_MEMORY):
            if "error" in said:
                raise _error(said)
            columns = said.get("columns", columns)
            notes += said.get("notes", ())
            found += [tuple(map(_value, row)) for row in said.get("rows", ())]
    except StoppedProcess as stopped:
        if stopped.too_late:
            raise sqlite.too_long(seconds) from stopped
        raise errors.QueryLimit(
            "the query needs more memory than it may use", hint="ask for fewer or shorter values"
        ) from stopped
    rows_found = sqlite.Rows(columns, found)
    rows_found.notes = tuple(notes)
    return rows_found


def pricing_for(db: sqlite3.Connection, sql: str, is_on: bool) -> Pricing | None:
    """`dollars` and `sum_dollars` on a connection, if a statement asks for them: most do not, and load no prices."""
    if "dollars" not in sql.lower():
        return None
    from axiommind.prices.dollars import Pricing

    pricing = Pricing(is_on)
    pricing.register(db)
    return pricing


def answer(given: dict[str, Any]) -> None:
    """In the process: print the columns and the rows, or what went wrong."""
    try:
        db = open_scoped(Path(given["index"]), given["project"], copies_apart=True)
        db.execute(f"pragma hard_heap_limit={_HEAP}")
        pricing = pricing_for(db, given["sql"], given["dollars"])
        sqlite.guard(db)
        found = sqlite.run_guarded(db, given["sql"], seconds=given["limit"], rows=given["rows"])
        _say({"columns": found.columns, "notes": [] if pricing is None else pricing.notes})
        for at in range(0, len(found), _BATCH):
            _say({"rows": [[_plain(value) for value in row] for row in found[at : at + _BATCH]]})
    except errors.AxmError as error:
        _say({"error": type(error).__name__, "message": error.message, "hint": error.hint})
    except MemoryError:
        _say({"error": "QueryLimit", "message": "the query needs more memory than it may use", "hint": ""})
    except sqlite3.DatabaseError as error:
        _say({"error": "", "message": str(error), "name": getattr(error, "sqlite_errorname", "")})


def _say(said: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(said) + "\n")


def _plain(value: Any) -> Any:
    return {"bytes": base64.b64encode(value).decode()} if isinstance(value, bytes) else value


def _value(said: Any) -> Any:
    return base64.b64decode(said["bytes"]) if isinstance(said, dict) else said


def _error(said: dict[str, Any]) -> Exception:
    if said["error"]:
        kind: type[errors.AxmError] = getattr(errors, said["error"])
        return kind(said["message"], hint=said["hint"])
    error = sqlite3.DatabaseError(said["message"])
    error.sqlite_errorname = said["name"]
    return error
