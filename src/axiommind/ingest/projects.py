"""Which folders are one project, as a person has it: shown, and corrected. What git says is recorded while indexing;
here a person says otherwise, by events that can be undone. An agent's request makes a proposal (`NeedsPerson`).
"""

from __future__ import annotations

import builtins
import os
import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from axiommind.approval.proposing import require_person
from axiommind.approval.requests import PersonRequest
from axiommind.callers import Caller
from axiommind.errors import BadQuery, NotFound
from axiommind.home import Home, Scope, now
from axiommind.ids import dedupe_key, one_of, ulid
from axiommind.projections.project_groups import is_of_another_machine
from axiommind.projections.project_rows import (
    PlaceRow,
    ProjectRow,
    RulingRow,
    key_of,
    list_places,
    list_projects,
    list_rulings,
)
from axiommind.projections.scope import project_in

__all__ = ["ProjectShown", "Projects"]

_NAME = re.compile(r"[^\W_][\w.-]{0,63}")
_SEE = "axm project list shows them"


class ProjectShown(NamedTuple):
    """A project, where it lies, and what persons said of its places."""

    project: ProjectRow
    places: tuple[PlaceRow, ...]
    rulings: tuple[RulingRow, ...]


class Projects:
    """Shows which folders are one project, and corrects it."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def list(self) -> builtins.list[ProjectRow]:
        """Projects that were worked in, the latest first."""
        if not self.home.config.index_path.exists():
            return []
        with self.home.reading(Scope(None), None) as db:
            return list_projects(db)

    def show(self, project: str) -> ProjectShown:
        """A project, by its name, one of its folders, or its remote."""
        with self.home.reading(Scope(None), None) as db:
            return _shown(db, self._meant(db, project))

    def alias(self, project: str, alias: str, *, caller: Caller | None = None) -> ProjectShown:
        """Say that a folder is a place of a project, or that a name means it. A name of what is in no repository is the
        same project on every machine."""
        with self.home.writing([]) as (log, key, index):
            name = self._meant(index.db, project)
            given = self._place(alias) if _is_path(alias) else alias
            args = {"project": project if is_of_another_machine(project) else name, "alias": given}
            what: dict[str, Any] = {"key": key_of(index.db, name)}
            if _is_path(alias):
                if project_in(index.db, given) == name and given in _paths(index.db, name):
                    raise BadQuery(f"{given} is a folder of {name} already", hint=f"axm project show {name}")
                what["path"] = given
            else:
                _check_name(index.db, given, name)
                what["name"] = given
            self._rule(log, key, index, caller, PersonRequest("alias-project", args, given, None, name), what)
            return _shown(index.db, self._meant(index.db, name))

    def merge(self, project: str, others: Sequence[str], *, caller: Caller | None = None) -> ProjectShown:
        """Say that some projects are one."""
        with self.home.writing([]) as (log, key, index):
            names = [self._meant(index.db, one) for one in (project, *others)]
            if len(set(names)) < 2:
                raise BadQuery(f"these are one project already: {names[0]}", hint=f"axm project show {names[0]}")
            if len(set(names)) < len(names):
                raise BadQuery("one of these projects is named twice", hint=_SEE)
            args = {"project": names[0], "others": names[1:]}
            what = {"keys": [key_of(index.db, name) for name in names]}
            self._rule(log, key, index, caller, PersonRequest("merge-projects", args, names[0], None, names[0]), what)
            return _shown(index.db, self._meant(index.db, names[0]))

    def split(self, paths: Sequence[str], *, caller: Caller | None = None) -> ProjectShown:
        """Say that some folders of a project are another one, of their own."""
        with self.home.writing([]) as (log, key, index):
            places = [self._place(path) for path in paths]
            whose = {place: _project_of(index.db, place) for place in places}
            for place, name in whose.items():
                if name is None:
                    raise NotFound(f"{place} is a folder of no project", hint="axm project show PROJECT lists folders")
            name = whose[places[0]] or ""
            if not any(place.sessions for place in list_places(index.db, name) if place.path in places):
                raise BadQuery(f"no session was in {places[0]}", hint=f"axm project show {name}")
            if len(set(whose.values())) > 1:
                raise BadQuery("these folders are of several projects", hint="name folders of one of them")
            if _paths(index.db, name) <= set(places):
                raise BadQuery(f"there is nothing else in {name} to split this from", hint=f"axm project show {name}")
            request = PersonRequest("split-project", {"paths": places}, places[0], None, name)
            self._rule(log, key, index, caller, request, {"paths": places})
            return _shown(index.db, self._meant(index.db, places[0]))

    def undo(self, ruling: str | None = None, *, caller: Caller | None = None) -> RulingRow:
        """Take back what a person said of projects: this, or the last that was not taken back."""
        with self.home.writing([]) as (log, key, index):
            rulings = {one.id: one for one in list_rulings(index.db) if not one.undone}
            if not rulings:
                raise NotFound("nothing was said of projects that could be undone", hint=_SEE)
            name = next(reversed(rulings))
            if ruling is not None:
                name = one_of(ruling.strip(), set(rulings), "ruling", "axm project show PROJECT lists them")
            request = PersonRequest("undo-project-ruling", {"ruling": name}, name)
            self._rule(log, key, index, caller, request, {"ruling": name})
            return rulings[name]._replace(undone=True)

    def _rule(
        self, log: Any, key: bytes, index: Any, caller: Caller | None, request: PersonRequest, what: dict[str, Any]
    ) -> None:
        """Append what a person says, once everything else was checked."""
        from axiommind.projections.runner import Segments

        who = caller or self.home.caller
        require_person(log, key, index, who, request)
        named = ulid(now())
        if request.act != "undo-project-ruling":
            what = {"id": f"prl_{dedupe_key('ruling', named)[:12]}", **what}
        log.append_dedup(
            _EVENTS[request.act],
            actor=who.actor,
            payload=what,
            project=request.project,
            dedupe_key=dedupe_key(request.act, named),
        )
        index.catch_up(log, Segments(log))

    def _meant(self, db: sqlite3.Connection, wanted: str) -> str:
        found = project_in(db, wanted, stop=str(self.home.user))
        if found is None:
            raise NotFound(f"no project is called {wanted!r}, or several are", hint=_SEE)
        return found

    def _place(self, path: str) -> str:
        """A folder as it is named in the index."""
        from axiommind.projects import project_of

        if is_of_another_machine(path):
            return path
        return project_of(os.path.realpath(Path(path).expanduser()))


_EVENTS = {
    "alias-project": "project_aliased",
    "merge-projects": "project_merged",
    "split-project": "project_split",
    "undo-project-ruling": "project_ruling_undone",
}


def _is_path(text: str) -> bool:
    return "/" in text or "\\" in text or text in (".", "..") or text.startswith("~")


def _check_name(db: sqlite3.Connection, name: str, project: str) -> None:
    if _NAME.fullmatch(name) is None:
        raise BadQuery(
            f"{name!r} cannot be the name of a project",
            hint="up to 64 letters, digits, dots and dashes; a folder is given with a slash, such as ./notes",
        )
    whose = project_in(db, name)
    if whose is not None and whose != project:
        raise BadQuery(f"{name} means {whose} already", hint=f"axm project merge {whose} {project} makes them one")


def _paths(db: sqlite3.Connection, project: str) -> set[str]:
    return {place.path for place in list_places(db, project)}


def _project_of(db: sqlite3.Connection, path: str) -> str | None:
    row = db.execute(
        """
        select project from main.project_paths where path = :path
        union all select project from main.sessions where project_path = :path
        limit 1
        """,
        {"path": path},
    ).fetchone()
    return str(row[0]) if row else None


def _shown(db: sqlite3.Connection, project: str) -> ProjectShown:
    row = next(one for one in list_projects(db) if one.project == project)
    places = tuple(list_places(db, project))
    meant = {f"path:{one.path}" for one in places} | {one.path for one in places} | {row.key}
    meant |= {alias for (alias,) in db.execute("select alias from project_aliases where project = ?", (project,))}
    rulings = tuple(one for one in list_rulings(db) if meant.intersection(one.about))
    return ProjectShown(row, places, rulings)
