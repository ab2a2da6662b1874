"""Scope: which project a reading connection sees. A convenience, not a wall.

In a project's scope temporary views with the tables' own names show only that project, so a query written for one
project's index runs unchanged. Over all projects the derived tables are shown as one: counts are summed and
probabilities recomputed. Each table says itself what a project sees of it (`Table.scope`), and the index keeps the
views that follow from that. They are made before the connection is guarded.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from axiommind import db as sqlite
from axiommind.errors import IndexCorrupt, NotFound

if TYPE_CHECKING:
    from axiommind.projections import Table

__all__ = ["META_KEY", "open_scoped", "project_in", "resolve_project", "views_of"]

# The row of `meta` that holds the views: which projections there are is known when the index is written, and a question
# need not import them all to find out.
META_KEY = "scope"


def views_of(tables: Iterable[Table]) -> str:
    """The statements that make the views of a scope, as text to be kept in the index."""
    over_all = [f"create temp view {t.name} as {t.over_all}" for t in tables if t.over_all]
    of_project = [
        f"create temp view {t.name} as select {t.columns} from main.{t.name} where {t.scope}" for t in tables if t.scope
    ]
    return json.dumps({"over_all": [*map(_on_one_line, over_all)], "of_project": [*map(_on_one_line, of_project)]})


def _on_one_line(sql: str) -> str:
    return " ".join(sql.split())


def open_scoped(path: Path, project: str | None) -> sqlite3.Connection:
    """A reading connection that sees one project, or all of them."""
    try:
        db = sqlite.open_read(path)
    except FileNotFoundError:
        raise NotFound(f"there is no index at {path} yet", hint="run: axm index") from None
    except sqlite3.DatabaseError as error:
        if sqlite.is_damage(error):
            raise IndexCorrupt(f"{path} is damaged ({error})", hint="run: axm rebuild") from error
        raise sqlite.store_error(error, path) or error from error
    try:
        db.create_function("axm_tool_text", 4, _tool_text, deterministic=True)  # the view passage_texts calls it
        for statement in list(_views(db, project)):
            db.execute(statement)
    except sqlite3.DatabaseError as error:
        db.close()
        raise IndexCorrupt(f"{path} is not an index of ours ({error})", hint="run: axm rebuild") from error
    return db


def _tool_text(name: str, given: str | None, error: str | None, output: str | None) -> str:
    from axiommind.tools.call_text import tool_text

    return tool_text(name, given, error, output)


def _views(db: sqlite3.Connection, project: str | None) -> Iterator[str]:
    row = db.execute("select value from meta where key = ?", (META_KEY,)).fetchone()
    if row is None:  # written before there was such a row
        from axiommind.projections import load_all

        row = (views_of([table for projection in load_all() for table in projection.TABLES]),)
    kept = json.loads(row[0])
    if project is None:
        yield from kept["over_all"]
        return
    # A view takes no parameters, so the one literal is written here, quoted as SQL asks.
    literal = "'" + project.replace("\x00", "").replace("'", "''") + "'"
    for statement in kept["of_project"]:
        yield statement.replace(":project", literal)


def resolve_project(path: Path, wanted: str, stop: str = "") -> str | None:
    """The indexed project that a path (or a project's name) means; None when there is none, or no index."""
    try:
        db = sqlite.open_read(path)
    except (FileNotFoundError, sqlite3.DatabaseError):
        return None
    try:
        return project_in(db, wanted, stop)
    except sqlite3.DatabaseError:
        return None
    finally:
        db.close()


def project_in(db: sqlite3.Connection, wanted: str, stop: str = "") -> str | None:
    """The project of an index that a path (or a project's name) means: itself, its repository, or the nearest folder
    above it, below `stop` (a home folder that is a project itself is not the project of everything in it). None when
    there is none."""
    known = {str(row[0]) for row in db.execute("select distinct project from main.sessions")}
    if wanted in known:
        return wanted
    if "/" not in wanted and "\\" not in wanted:  # a folder's name will do, if only one project has it
        named = [p for p in known if os.path.basename(p) == wanted]  # noqa: PTH119
        if len(named) == 1:
            return named[0]
    from axiommind.projects import project_of  # most often the folder itself is the project

    try:
        folder = project_of(os.path.realpath(wanted))
    except ValueError:  # a NUL in it: no path at all
        return None
    while folder not in known:
        folder = os.path.dirname(folder)  # noqa: PTH120 - a string, whatever the separator
        if folder == os.path.dirname(folder) or folder == stop:  # noqa: PTH120
            return None
    return folder
