"""Which project a folder is, wherever it lies: by its git remote, else by its first commit, else by its path.

The folder may be elsewhere on another machine, so the identity is recorded once, as the event `project_identified`,
while the folder is at hand, and before the first lines of its sessions. `.git/config` is read as a file; git itself is
asked once for the first commit of a repository, and not where the clone is shallow: its oldest commit is not the first.
Nothing is written when nothing is new.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from axiommind.ids import dedupe_key
from axiommind.log import EventLog
from axiommind.model import Event
from axiommind.projects import git_folder, remote_of, repository_around

__all__ = ["ProjectIdentities", "ProjectIdentity", "append_identities", "identity_of"]

ACTOR = "axm"
_SAID = "select path, said_json from project_statements where said = 'project_identified' order by at, event_id"
_PROJECTS = "select distinct project_path from sessions where project_known order by 1"
_SECONDS = 5
_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")


class ProjectIdentity(NamedTuple):
    kind: str  # remote, root (the first commit) or path
    identity: str
    folder: str  # of the project in its repository; empty where it is all of it
    root: str = ""  # its first commit; empty where nobody knows

    @property
    def key(self) -> str:
        """What two places of one project have in common; empty where that is nothing but the path."""
        return {"remote": f"git:{self.identity}", "root": f"root:{self.identity}"}.get(self.kind, "")


class _Identified(NamedTuple):
    """What was said of a path so far: its identity now, and how many there were."""

    now: ProjectIdentity
    times: int


def _identified(db: sqlite3.Connection) -> dict[str, _Identified]:
    """What is known of each path, from an index."""
    found: dict[str, _Identified] = {}
    for path, said in db.execute(_SAID):
        times = found[path].times if path in found else 0
        found[path] = _Identified(_read(json.loads(said)), times + 1)
    return found


def _read(payload: dict[str, Any]) -> ProjectIdentity:
    made = ProjectIdentity(**{name: str(payload.get(name, "")) for name in ProjectIdentity._fields})
    return made._replace(root=made.identity) if made.kind == "root" else made


def append_identities(log: EventLog, db: sqlite3.Connection, *, stop: str, again: bool) -> int:
    """Record the projects of an index that are not identified yet, and with `again` those whose identity has changed;
    only those that are on this machine. Returns how many events were appended."""
    projects = ProjectIdentities(log, db, stop)
    paths = [path for (path,) in db.execute(_PROJECTS) if again or path not in projects.known]
    projects.look(paths)
    return sum(projects.append(path) is not None for path in paths)


class ProjectIdentities:
    """Which projects paths are, while their sessions are read."""

    def __init__(self, log: EventLog, db: sqlite3.Connection, stop: str) -> None:
        self.known = _identified(db)
        self._log, self._stop = log, stop
        self._seen: dict[str, ProjectIdentity | None] = {}

    def look(self, paths: Iterable[str]) -> None:
        """See what is on this machine. Not inside a transaction: git may be asked."""
        for path in paths:
            if path not in self._seen:
                before = self.known.get(path)
                self._seen[path] = identity_of(path, before.now if before else None, self._stop)

    def key(self, path: str) -> str:
        """What this place of a project has in common with others, as far as it was looked at."""
        made = self._seen.get(path)
        return made.key if made is not None else ""

    def append(self, path: str) -> Event | None:
        """Record what was seen of a path, where that is new."""
        before, made = self.known.get(path), self._seen.get(path)
        if made is None or (before is not None and made == before.now):
            return None
        times = before.times if before else 0
        self.known[path] = _Identified(made, times + 1)
        return self._log.append_dedup(
            "project_identified",
            actor=ACTOR,
            payload=made._asdict(),
            project=path,
            # It may be again what it was before.
            dedupe_key=dedupe_key("project_identified", path, *made, times),
        )


def identity_of(project: str, before: ProjectIdentity | None = None, stop: str = "") -> ProjectIdentity | None:
    """What identifies the project at a path; None where there is no such folder here. What is known of its first commit
    is not looked for again. A repository at `stop` (the user's home, for dotfiles) is not that of everything in it."""
    top = Path(project)
    try:
        if not top.is_absolute() or not top.is_dir():
            return None
    except (OSError, ValueError):
        return None
    root = repository_around(project, stop)
    if root is None:
        return ProjectIdentity("path", project, "")
    folder = top.relative_to(root).as_posix() if root != top else ""
    remote = remote_of(root)
    is_asked = before is not None and (before.kind == "root" or (before.kind, before.identity) == ("remote", remote))
    first = before.root if before is not None and is_asked else _first_commit(root)
    if remote:
        return ProjectIdentity("remote", remote, folder, first)
    return ProjectIdentity("root", first, folder, first) if first else ProjectIdentity("path", project, "")


def _first_commit(root: Path) -> str:
    """The oldest commit without a parent; empty where there is none, or no git."""
    git = git_folder(root)
    if git is None or (git / "shallow").exists():
        return ""
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}  # of a git hook's caller
    environ = {**own, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    command = ["git", "-C", str(root), *_SAFE, "rev-list", "--max-parents=0", "HEAD"]
    try:
        done = subprocess.run(
            command, capture_output=True, check=False, timeout=_SECONDS, env=environ, stdin=subprocess.DEVNULL
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    commits = done.stdout.decode("ascii", "replace").split()
    return commits[-1] if done.returncode == 0 and commits else ""
