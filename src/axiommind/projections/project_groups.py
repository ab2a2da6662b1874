"""Which folders are one project: a function of everything that was said of them, in whatever order it came.

A *key* is what places of one project have in common: the git remote (`git:github.com/owner/name`), else the first
commit (`root:SHA`), else the path itself (`path:/home/ana/notes`). A person may give a path another key, give names,
and join keys; what was said last of a path holds. A first commit alone joins the one remote that has it, and none where
several do: those are forks. A project goes by the path of its folder that was known first, on this machine if it is
here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

__all__ = [
    "Groups",
    "ProjectGroup",
    "ProjectPath",
    "ProjectStatement",
    "group",
    "is_of_another_machine",
    "without_machine",
]

_MACHINE = re.compile(r"[^/\\]{2,}:(?:[/\\]|[A-Za-z]:)")
_KINDS = ("git", "root", "name", "split", "path")


class ProjectStatement(NamedTuple):
    """Something that was said of paths or keys."""

    event_id: str
    at: int
    said: str  # the type of the event
    path: str
    what: Mapping[str, Any]
    is_teammates: bool = False


class ProjectPath(NamedTuple):
    """A path and its project."""

    path: str
    project: str
    key: str
    kind: str
    identity: str
    folder: str


class ProjectGroup(NamedTuple):
    """A project: the path it goes by, the key and the names it is known by."""

    project: str
    key: str
    names: tuple[str, ...]  # that a person gave, the last first
    aliases: tuple[str, ...]  # everything else that means it


class Groups(NamedTuple):
    paths: tuple[ProjectPath, ...]
    projects: tuple[ProjectGroup, ...]


def group(statements: Iterable[ProjectStatement]) -> Groups:
    """The projects that these statements amount to."""
    return _Grouping(sorted(statements, key=lambda one: (one.at, one.event_id))).groups()


class _Grouping:
    def __init__(self, statements: list[ProjectStatement]) -> None:
        undone = {one.what["ruling"] for one in statements if one.said == "project_ruling_undone" and _is_own(one)}
        self._said = [one for one in statements if one.what.get("id") not in undone]
        self._identified: dict[str, ProjectStatement] = {}
        self._first: dict[str, int] = {}  # when it was spoken of first
        self._given: dict[str, str] = {}  # keys that a person gave to paths
        self._joined: dict[str, str] = {}
        for one in self._said:
            self._take(one)
        self._folders = self._roots()
        self._inside: dict[str, str] = {}  # of a folder that nobody spoke of, the first path inside it
        for path in sorted(self._folders, key=lambda one: (self._first[one], one)):
            self._inside.setdefault(self._folders[path], path)
        for one in self._said:
            if one.said == "project_merged" and _is_own(one):
                self._join(*(self._current(key) for key in one.what["keys"]))
            elif one.said == "project_aliased" and "name" in one.what and _is_own(one):
                key = self._current(one.what["key"])
                if key.startswith("path:"):  # nothing else would make it the same elsewhere
                    self._join(f"name:{one.what['name']}", key)
        self._join_first_commits()

    def _take(self, one: ProjectStatement) -> None:
        if one.said == "project_identified":
            self._identified[one.path] = one
            self._see(one.path, one)
        elif one.said == "project_aliased" and "path" in one.what:
            self._given[one.what["path"]] = one.what["key"]
            self._see(one.what["path"], one)
        elif one.said == "project_split":
            for path in one.what["paths"]:
                self._given[path] = f"split:{one.what['id']}"
                self._see(path, one)

        for key in one.what.get("keys", [one.what.get("key", "")]):
            kind, _, path = key.partition(":")
            if kind == "path":  # it may be nowhere else that this path is spoken of
                self._see(path, one)

    def _see(self, path: str, one: ProjectStatement) -> None:
        self._first.setdefault(path, one.at)

    def _roots(self) -> dict[str, str]:
        """Of paths inside a repository the folder of that, which is a place of the project too."""
        folders: dict[str, str] = {}
        for path, one in self._identified.items():
            folder, plain = one.what["folder"], path.replace("\\", "/")
            if folder and plain.endswith(f"/{folder}") and path not in self._given:
                folders[path] = path[: -len(folder) - 1]
        for path, top in folders.items():
            if top not in self._identified and top not in self._given:
                self._first[top] = min(self._first.get(top, self._first[path]), self._first[path])
        return folders

    # --- keys ------------------------------------------------------------------------------------------

    def _key(self, path: str) -> str:
        """The key of a path, before keys are joined."""
        if path in self._given:
            return self._current(self._given[path], {path})
        one = self._identified.get(path) or self._identified.get(self._inside.get(path, ""))
        kind = "path" if one is None else one.what["kind"]
        if one is None or kind == "path":
            return f"path:{path}"
        return f"{'git' if kind == 'remote' else 'root'}:{one.what['identity']}"

    def _current(self, key: str, seen: frozenset[str] | set[str] = frozenset()) -> str:
        """What a path is known by now, where it is meant by its path."""
        kind, _, path = key.partition(":")
        if kind != "path" or path in seen:
            return key
        if path in self._given:
            return self._current(self._given[path], {*seen, path})
        return self._key(path)

    def _find(self, key: str) -> str:
        while key in self._joined:
            key = self._joined[key]
        return key

    def _join(self, *keys: str) -> None:
        roots = sorted({self._find(key) for key in keys}, key=_rank)
        for other in roots[1:]:
            self._joined[other] = roots[0]

    def _join_first_commits(self) -> None:
        remotes: dict[str, set[str]] = {}
        for one in self._identified.values():
            if one.what["kind"] == "remote" and one.what.get("root"):
                remotes.setdefault(one.what["root"], set()).add(self._find(f"git:{one.what['identity']}"))
        for root, found in sorted(remotes.items()):
            if len(found) == 1:
                self._join(f"root:{root}", *found)

    # --- projects --------------------------------------------------------------------------------------

    def groups(self) -> Groups:
        members: dict[str, list[str]] = {}
        keys: dict[str, set[str]] = {}
        for path in sorted(self._first):
            key = self._key(path)
            members.setdefault(self._find(key), []).append(path)
            keys.setdefault(self._find(key), set()).add(key)
        for key in self._joined:
            keys.setdefault(self._find(key), set()).add(key)
        paths: list[ProjectPath] = []
        projects: list[ProjectGroup] = []
        for top, inside in sorted(members.items()):
            project = self._main(inside)
            projects.append(self._project(project, keys[top] | {top}))
            paths += [self._path(path, project) for path in inside]
        return Groups(tuple(sorted(paths)), tuple(sorted(projects)))

    def _main(self, paths: list[str]) -> str:
        """The path that a project goes by."""
        tops = [(self._folders.get(path, path), path) for path in paths]
        known = set(paths)
        return min(
            (top if top in known else path for top, path in tops),
            key=lambda path: (_distance(path), self._first[path], path),
        )

    def _path(self, path: str, project: str) -> ProjectPath:
        one = self._identified.get(path)
        given = ("given", "", "") if path in self._given else ("inside", "", "")
        what = (
            given
            if one is None or path in self._given
            else (one.what["kind"], one.what["identity"], one.what["folder"])
        )
        return ProjectPath(path, project, self._key(path), *what)

    def _project(self, project: str, keys: set[str]) -> ProjectGroup:
        names = [
            one.what["name"]
            for one in self._said
            if one.said == "project_aliased"
            and "name" in one.what
            and _is_own(one)
            and self._find(self._current(one.what["key"])) in {self._find(key) for key in keys}
        ]
        best = min(keys, key=_rank)
        aliases = {key for key in keys if not key.startswith(("split:", "path:"))}
        aliases |= {key.partition(":")[2] for key in keys if key.startswith("git:")}
        return ProjectGroup(project, best, tuple(dict.fromkeys(reversed(names))), tuple(sorted(aliases)))


def _is_own(one: ProjectStatement) -> bool:
    """What a team mate says of keys is about projects that are not theirs alone."""
    return not one.is_teammates


def _rank(key: str) -> tuple[int, str]:
    return _KINDS.index(key.partition(":")[0]), key


def is_of_another_machine(path: str) -> bool:
    return _MACHINE.match(path) is not None


def without_machine(path: str) -> str:
    """A path as it is written on its own machine."""
    return path.partition(":")[2] if is_of_another_machine(path) else path


def _distance(path: str) -> int:
    """0 for a path of this machine, 1 for one of another machine, 2 for one of a team mate's."""
    found = _MACHINE.match(path)
    return 0 if found is None else 2 if "@" in found[0] else 1
