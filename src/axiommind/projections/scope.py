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
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from axiommind import db as sqlite
from axiommind.errors import IndexCorrupt, NotFound, TooNew

if TYPE_CHECKING:
    from axiommind.projections import Table

__all__ = [
    "META_KEY",
    "SCHEMA_VERSION",
    "file_in_project",
    "folders_in",
    "open_scoped",
    "project_in",
    "require_schema",
    "resolve_project",
    "views_of",
]

# The row of `meta` that holds the views: which projections there are is known when the index is written, and a question
# need not import them all to find out.
META_KEY = "scope"
# Of the index as a whole; `meta` names the one that it was made with. Readers go by it, too.
SCHEMA_VERSION = 3
_SQLITE = b"SQLite format 3\0"
# What a reader sees of `meta`: the project that it looks at, and not these views.
_META = f"""
    create temp view meta as
    select key, case key when 'project_path' then :project else value end as value
    from main.meta
    where key <> '{META_KEY}'
"""


def views_of(tables: Iterable[Table]) -> str:
    """The statements that make the views of a scope, as text to be kept in the index."""
    over_all = [f"create temp view {t.name} as {t.over_all}" for t in tables if t.over_all]
    of_project = [
        f"create temp view {t.name} as select {t.columns} from main.{t.name} where {t.scope}" for t in tables if t.scope
    ]
    return json.dumps({"over_all": [*map(_on_one_line, over_all)], "of_project": [*map(_on_one_line, of_project)]})


def _on_one_line(sql: str) -> str:
    return " ".join(sql.split())


def open_scoped(path: Path, project: str | None, *, copies_apart: bool = False) -> sqlite3.Connection:
    """A reading connection that sees one project, or all of them. With `copies_apart`, as a person counts: what forks
    and resumed sessions copied is not in `tool_uses` and its like, but in `tool_uses_copies`."""
    try:
        db = sqlite.open_read(path)
    except FileNotFoundError:
        raise NotFound(f"there is no index at {path} yet", hint="run: axm index") from None
    except sqlite3.DatabaseError as error:
        raise _no_index(path, error) or sqlite.store_error(error, path) or error from error
    try:
        db.create_function("axm_tool_text", 4, _tool_text, deterministic=True)  # the view passage_texts calls it
        for statement in list(_views(path, db, project)):
            db.execute(statement)
        if copies_apart:
            for statement in list(_views_of_copies(db, project)):
                db.execute(statement)
    except sqlite3.DatabaseError as error:
        db.close()
        raise _no_index(path, error) or error from error
    return db


def _no_index(path: Path, error: sqlite3.DatabaseError) -> IndexCorrupt | None:
    """What a file is that is no index; None where it is one, and something else is wrong."""
    another = "name the index.db of a home; if this is yours, run: axm rebuild"
    if path.is_dir():
        return IndexCorrupt(f"{path} is a folder, not an index", hint="name the index.db in it")
    with path.open("rb") as file:
        begins = file.read(len(_SQLITE))
    if not begins:
        return IndexCorrupt(f"{path} is empty, and no index", hint=another)
    if begins != _SQLITE:
        return IndexCorrupt(f"{path} is no index: it is not a SQLite database", hint=another)
    if sqlite.is_damage(error):
        return IndexCorrupt(f"{path} is damaged ({error})", hint="run: axm rebuild")
    if not str(error).startswith("no such table"):
        return None
    with closing(sqlite.open_read(path)) as db:
        names = {name for (name,) in db.execute("select name from sqlite_master")}
    if "events" in names:
        return IndexCorrupt(
            f"{path} is a log, not an index", hint=f"the index of that home is {path.parent / 'index.db'}"
        )
    if "meta" in names:
        return IndexCorrupt(f"{path} is not an index of ours ({error})", hint=another)
    return IndexCorrupt(f"{path} is a database of something else, not an index", hint=another)


def _tool_text(name: str, given: str | None, error: str | None, output: str | None) -> str:
    from axiommind.tools.call_text import tool_text

    return tool_text(name, given, error, output)


def require_schema(path: Path, said: str | None) -> None:
    """Refuse an index whose schema is another one than this program reads, as `meta` says: what it would answer nobody
    knows."""
    if said == str(SCHEMA_VERSION):
        return
    if said is not None and said.isdecimal() and int(said) > SCHEMA_VERSION:
        from axiommind.distribution import upgrade_command

        raise TooNew(
            f"{path} was written by a newer version of this program (schema {said}, this one reads {SCHEMA_VERSION})",
            hint=f"upgrade: {upgrade_command()}",
        )
    was = "without a schema version" if said is None else f"with schema {said[:20]!r}"
    raise IndexCorrupt(f"{path} was made {was}, and this program reads {SCHEMA_VERSION}", hint="run: axm index")


def _views(path: Path, db: sqlite3.Connection, project: str | None) -> Iterator[str]:
    said = dict(db.execute("select key, value from meta where key in (?, 'schema_version')", (META_KEY,)).fetchall())
    require_schema(path, said.get("schema_version"))
    stored = said.get(META_KEY)
    if stored is None:  # written before there was such a row
        from axiommind.projections import load_all

        stored = views_of([table for projection in load_all() for table in projection.TABLES])
    kept = json.loads(stored)
    literal = _literal(project or "*")
    yield _META.replace(":project", literal)
    if project is None:
        yield from kept["over_all"]
        return
    for statement in kept["of_project"]:
        yield statement.replace(":project", literal)


def _views_of_copies(db: sqlite3.Connection, project: str | None) -> Iterator[str]:
    scope = "1"
    if project is not None:
        scope = f"session_id in (select id from main.sessions where project = {_literal(project)})"
    copied = """
        select m.name
        from main.sqlite_master m
        join pragma_table_info(m.name) c on c.name = 'canonical'
        where m.type = 'table'
        order by m.name
    """
    for (table,) in db.execute(copied).fetchall():
        yield f"drop view if exists temp.{table}"
        yield f"create temp view {table} as select * from main.{table} where canonical and {scope}"
        yield f"create temp view {table}_copies as select * from main.{table} where not canonical and {scope}"


def _literal(text: str) -> str:
    """A view takes no parameters, so the one literal is written into it, quoted as SQL asks."""
    return "'" + text.replace("\x00", "").replace("'", "''") + "'"


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
    """The project of an index that a path or a name means: a folder of it on this machine or another one, its
    repository, or the nearest folder above it, below `stop` (a home folder that is a project itself is not the project
    of everything in it). None when there is none, or several are called that."""
    known = {str(row[0]) for row in db.execute("select distinct project from main.sessions")}
    if wanted in known:
        return wanted
    found = _of_path(db, wanted) or _only(_named(db, wanted, known))
    if found in known:
        return found
    from axiommind.projects import project_of, remote_of  # most often the folder itself is the project

    try:
        folder = project_of(os.path.realpath(wanted))
    except ValueError:  # a NUL in it: no path at all
        return None
    while True:
        found = folder if folder in known else _of_path(db, folder)
        if found not in known and os.path.lexists(os.path.join(folder, ".git")):  # noqa: PTH118
            remote = remote_of(Path(folder))  # a clone that was not worked in yet
            found = _only(_aliased(db, f"git:{remote}")) if remote else None
        if found in known:
            return found
        folder = os.path.dirname(folder)  # noqa: PTH120 - a string, whatever the separator
        if folder == os.path.dirname(folder) or folder == stop:  # noqa: PTH120
            return None


def folders_in(path: Path, project: str) -> list[str]:
    """The folders of a project of an index, also those of other machines."""
    with closing(sqlite.open_read(path)) as db:
        found = db.execute("select path from main.project_paths where project = ? order by 1", (project,)).fetchall()
    return [row[0] for row in found] or [project]


def file_in_project(db: sqlite3.Connection, project: str, file: str) -> str:
    """Where a file of any clone on this machine is in the folder that its project goes by."""
    try:
        rows = db.execute("select path, folder from main.project_paths where project = ?", (project,)).fetchall()
    except sqlite3.OperationalError:  # an index from before there was such a table
        return file
    roots: dict[str, str] = {path: path.removesuffix(f"/{folder}") if folder else path for path, folder in rows}
    for root in sorted(set(roots.values()), key=len, reverse=True):
        if file.startswith(f"{root}/"):
            return roots.get(project, project) + file[len(root) :]
    return file


def _of_path(db: sqlite3.Connection, path: str) -> str | None:
    try:
        row = db.execute("select project from main.project_paths where path = ?", (path,)).fetchone()
    except sqlite3.OperationalError:  # an index from before there was such a table, until it is made anew
        return None
    return str(row[0]) if row else None


def _aliased(db: sqlite3.Connection, alias: str) -> set[str]:
    try:
        return {str(row[0]) for row in db.execute("select project from main.project_aliases where alias = ?", (alias,))}
    except sqlite3.OperationalError:
        return set()


def _named(db: sqlite3.Connection, name: str, known: set[str]) -> set[str]:
    """The projects that are called that: by a person, by their remote as far as it is written, or as their folder is
    (a folder's name will do, if only one project has it)."""
    if found := _aliased(db, name):
        return found
    if name.startswith(("/", ".", "~")) or "\\" in name:
        return set()
    if "@" in name or "://" in name:
        from axiommind.projects import normalised_remote

        return _aliased(db, normalised_remote(name))
    ending = f"/{name.lower()}"
    try:
        rows = db.execute(
            """
            select project from main.project_aliases
            where alias glob 'git:*' and substr(lower(alias), -length(:ending)) = :ending
            """,
            {"ending": ending},
        )
        found = {str(row[0]) for row in rows}
    except sqlite3.OperationalError:
        found = set()
    return (found | {one for one in known if "/" not in name and os.path.basename(one) == name}) & known  # noqa: PTH119


def _only(found: set[str]) -> str | None:
    return next(iter(found)) if len(found) == 1 else None
