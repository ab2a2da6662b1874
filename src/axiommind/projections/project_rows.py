"""Projects as rows: what each goes by, where it lies, and what was said of it."""

from __future__ import annotations

import json
import sqlite3
from typing import NamedTuple

from axiommind.projections.project_groups import is_of_another_machine

__all__ = [
    "PlaceRow",
    "ProjectRow",
    "RulingRow",
    "is_key",
    "key_of",
    "list_places",
    "list_projects",
    "list_rulings",
    "projects_called",
    "tombstones_of",
]

_RULINGS = ("project_aliased", "project_merged", "project_split")
_PROJECTS = """
    with worked(project, sessions, last_ts) as (
        select project, count(*), max(coalesce(last_ts, first_ts, file_mtime))
        from main.sessions
        group by project
    ),
    places(project, n) as (
        select project, count(*)
        from (
            select project, path from main.project_paths where kind <> 'inside'
            union select project, project_path from main.sessions
        )
        group by project
    )
    select w.project, p.key, p.name, w.sessions, w.last_ts, places.n
    from worked w
    join places on places.project = w.project
    left join main.projects p on p.project = w.project
    order by w.last_ts desc, w.project
"""
_PLACES = """
    select path, kind, identity, folder, (select count(*) from main.sessions where project_path = path)
    from main.project_paths
    where project = :project
    union
    select project_path, '', '', '', count(*)
    from main.sessions
    where project = :project and project_path not in (select path from main.project_paths)
    group by project_path
    order by 1
"""
_SAID = """
    select said, at, by, said_json, event_id
    from main.project_statements
    where said <> 'project_identified'
      and (not is_teammates or said in ('project_aliased', 'project_split'))
    order by at, event_id
"""


class ProjectRow(NamedTuple):
    """A project that was worked in. `project` is the path it goes by, `name` what a person called it, `key` what its
    places have in common."""

    project: str
    key: str
    name: str | None
    sessions: int
    last_ts: int | None
    places: int

    @property
    def called(self) -> str:
        """What it is called: by a person, else as its remote, else as its path."""
        return self.name or (self.key.partition(":")[2] if self.key.startswith("git:") else self.project)


class PlaceRow(NamedTuple):
    """A folder of a project, on this machine or another one, and how it was identified."""

    path: str
    kind: str
    identity: str
    folder: str
    sessions: int

    @property
    def is_here(self) -> bool:
        return not is_of_another_machine(self.path)


class RulingRow(NamedTuple):
    """What a person said of projects: that a path or a name is another one's, that some are one, or none."""

    id: str
    act: str  # alias, merge, split
    at: int
    by: str
    about: tuple[str, ...]  # paths, names and keys
    undone: bool


def list_projects(db: sqlite3.Connection) -> list[ProjectRow]:
    """Projects, the one that was worked in last first."""
    rows = db.execute(_PROJECTS).fetchall()
    return [ProjectRow(project, key or f"path:{project}", *rest) for project, key, *rest in rows]


def list_places(db: sqlite3.Connection, project: str) -> list[PlaceRow]:
    return [PlaceRow._make(row) for row in db.execute(_PLACES, {"project": project})]


def list_rulings(db: sqlite3.Connection) -> list[RulingRow]:
    """What persons said of projects, in order."""
    rows = [(said, at, by, json.loads(what)) for said, at, by, what, _ in db.execute(_SAID)]
    undone = {what["ruling"] for said, _, _, what in rows if said == "project_ruling_undone"}
    return [
        RulingRow(what["id"], _act(said), at, by, _about(what), what["id"] in undone)
        for said, at, by, what in rows
        if said in _RULINGS and "id" in what
    ]


def _act(said: str) -> str:
    return {"project_aliased": "alias", "project_merged": "merge", "project_split": "split"}[said]


def _about(what: dict[str, object]) -> tuple[str, ...]:
    given = what.get("keys") or what.get("paths") or [what.get("path") or what.get("name"), what.get("key")]
    return tuple(str(one) for one in given) if isinstance(given, list) else ()


def key_of(db: sqlite3.Connection, project: str) -> str:
    """What the places of a project have in common."""
    row = db.execute("select key from main.projects where project = ?", (project,)).fetchone()
    return str(row[0]) if row else f"path:{project}"


def is_key(text: str) -> bool:
    """Whether this is what places of a project have in common, and no place itself."""
    return text.startswith(("git:", "root:", "name:"))


def tombstones_of(db: sqlite3.Connection, project: str) -> list[str]:
    """By what a project is kept out once it is forgotten: its folders, and what new ones would be known by."""
    paths = """
        select path from main.project_paths where project = :project
        union select project_path from main.sessions where project = :project
    """
    aliases = "select alias from main.project_aliases where project = :project"
    found = {path for (path,) in db.execute(paths, {"project": project})}
    found |= {alias for (alias,) in db.execute(aliases, {"project": project}) if is_key(alias)}
    return sorted({project, *found})


def projects_called(db: sqlite3.Connection, wanted: str) -> list[str]:
    """The projects that have a folder or an alias of this name, whether or not there is anything of them."""
    path = "select project from main.project_paths where path = :wanted"
    alias = "select project from main.project_aliases where alias = :wanted"
    return [row[0] for row in db.execute(f"{path} union {alias} order by 1", {"wanted": wanted})]
