"""Scope: which project a reading connection sees. A convenience, not a wall.

In a project's scope temporary views with the tables' own names show only that project, so a query written for one
project's index runs unchanged. Over all projects the derived tables are shown as one: counts are summed and
probabilities recomputed. The views are made before the connection is guarded.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from axiommind import db as sqlite
from axiommind.errors import IndexCorrupt, NotFound

__all__ = ["open_scoped", "project_in", "resolve_project"]

_BY_SESSION = (
    "prompts",
    "responses",
    "tool_uses",
    "file_edits",
    "commands",
    "compactions",
    "pull_requests",
    "record_counts",
    "problems",
    "records",
    "summaries",
    "session_titles",
    "segments",
    "files",
    "sidecars",
)
_BY_PROJECT = (
    "entries",
    "entities",
    "task_events",
    "build_runs",
    "pipeline_metrics",
    "learned",
    "learning_voids",
    "checks",
    "decisions",
    "served",
)
# Tables that are about entries or entities: the column that says which.
_BY_ENTRY = {
    "promotions": "entry_id",
    "rulings": "entry_id",
    "entry_uses": "entry_id",
    "entry_evidence": "entry_id",
    "rejected_claims": "entry_id",
    "conflicts": "newer_id",
}
_BY_ENTITY = {
    "entity_aliases": "entity_id",
    "entity_keys": "entity_id",
    "task_links": "src_id",
    "v_task_blockers_effective": "task_id",
}
# A workflow without a project belongs to everybody.
_BY_WORKFLOW = {"workflows": "id", "pads": "workflow_id", "pad_chunks": "workflow_id", "scratchpads": "workflow_id"}
_BY_DOCUMENT = ("chunks", "document_tags", "document_problems")
_OVER_ALL = (
    """
    create temp view tool_transitions as
    select from_tool, to_tool, n as count, cast(n as real) / sum(n) over (partition by from_tool) as probability
    from (select from_tool, to_tool, sum(count) as n from main.tool_transitions group by from_tool, to_tool)
    """,
    """
    create temp view weekly_buckets as
    select week_start, tool_name, sum(count) as count, sum(session_count) as session_count
    from main.weekly_buckets group by week_start, tool_name
    """,
    """
    create temp view file_hotspots as
    select file_path, sum(edit_count) as edit_count, sum(session_count) as session_count
    from main.file_hotspots group by file_path
    """,
    """
    create temp view session_links as
    select session_a, session_b, shared_files, overlap_ratio, time_gap_minutes from main.session_links
    """,
)
_DERIVED = {
    "tool_transitions": "from_tool, to_tool, count, probability",
    "weekly_buckets": "week_start, tool_name, count, session_count",
    "file_hotspots": "file_path, edit_count, session_count",
    "session_links": "session_a, session_b, shared_files, overlap_ratio, time_gap_minutes",
}


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
        for statement in _OVER_ALL if project is None else _of_project(project):
            db.execute(statement)
    except sqlite3.DatabaseError as error:
        db.close()
        raise IndexCorrupt(f"{path} is not an index of ours ({error})", hint="run: axm rebuild") from error
    return db


def _tool_text(name: str, given: str | None, error: str | None, output: str | None) -> str:
    from axiommind.tools.call_text import tool_text

    return tool_text(name, given, error, output)


def _of_project(project: str) -> Iterator[str]:
    # A view takes no parameters, so the one literal is written here, quoted as SQL asks.
    literal = "'" + project.replace("\x00", "").replace("'", "''") + "'"
    yield f"create temp view sessions as select * from main.sessions where project = {literal}"
    mine = f"select id from main.sessions where project = {literal}"
    for table in _BY_SESSION:
        yield f"create temp view {table} as select * from main.{table} where session_id in ({mine})"
    for table in _BY_PROJECT:
        yield f"create temp view {table} as select * from main.{table} where project = {literal}"
    for of, those in ((_BY_ENTRY, "select entry_id from entries"), (_BY_ENTITY, "select entity_id from entities")):
        for table, column in of.items():
            yield f"create temp view {table} as select * from main.{table} where {column} in ({those})"
    yield """
        create temp view edges as
        select * from main.edges
        where src_id in (select entry_id from entries) or src_id in (select entity_id from entities)
    """
    yield """
        create temp view decision_evidence as
        select * from main.decision_evidence where decision_id in (select decision_id from decisions)
    """
    yield """
        create temp view served_items as
        select * from main.served_items where served_id in (select id from served)
    """
    yield """
        create temp view vector_outbox as
        select * from main.vector_outbox
        where case item_kind
            when 'entry' then item_id in (select entry_id from entries)
            when 'task_title' then item_id in (select entity_id from entities)
            when 'summary' then item_id in (select id from sessions)
            else item_id in (select id from passages)
        end
    """
    # A folder of notes belongs to everybody, unless it lies in another project.
    yield f"""
        create temp view documents as
        select * from main.documents
        where project = {literal} or project not in (select project from main.sessions)
    """
    for table in _BY_DOCUMENT:
        yield f"create temp view {table} as select * from main.{table} where doc_id in (select id from documents)"
    flows = f"select id from main.workflows where project in ({literal}, '')"
    for table, column in _BY_WORKFLOW.items():
        yield f"create temp view {table} as select * from main.{table} where {column} in ({flows})"
    yield f"""
        create temp view passages as
        select * from main.passages
        where session_id in ({mine}) or doc_id in (select id from documents) or doc_id in (select id from pads)
           or doc_id in (select id from workflows)
    """
    yield "create temp view passage_texts as select * from main.passage_texts where id in (select id from passages)"
    yield f"""
        create temp view prompt_keywords as
        select k.* from main.prompt_keywords k join main.prompts p on p.id = k.prompt_id
        where p.session_id in ({mine})
    """
    for table, columns in _DERIVED.items():
        yield f"create temp view {table} as select {columns} from main.{table} where project = {literal}"


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
