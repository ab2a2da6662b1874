"""Which project a folder is, wherever it lies: by its git remote, else by its first commit, else by its path.

The folder may be elsewhere on another machine, so the identity is recorded once, as the event `project_identified`,
while the folder is at hand. `.git/config` is read as a file; git itself is asked only for the first commit of a
repository that has no remote. Nothing is written when nothing is new.
"""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from axiommind.ids import dedupe_key
from axiommind.log import EventLog

__all__ = ["ProjectIdentity", "append_identities", "identity_of", "normalised_remote"]

ACTOR = "axm"
_KNOWN = "select project, kind, identity, folder from project_identities"
_PROJECTS = "select distinct project from sessions where project_known order by 1"
_MOST_BYTES = 1 << 20
_SECONDS = 5
_REMOTE = re.compile(r'\s*\[remote\s+"([^"]+)"\]')
_SECTION = re.compile(r"\s*\[")
_URL = re.compile(r"\s*url\s*=\s*(\S+)")
_ADDRESS = re.compile(r"(?:[a-z+]+://)(?:[^/@\s]*@)?(?P<host>[^/:\s]+)(?::\d+)?/+(?P<path>\S+)", re.IGNORECASE)
_SCP = re.compile(r"(?:[^/@\s]+@)?(?P<host>[\w.-]{2,}):(?!//|\\)(?P<path>\S+)")
# Forges whose paths are the same in any case.
_FOLDED = ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org")
_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")


class ProjectIdentity(NamedTuple):
    kind: str  # remote, root (the first commit) or path
    identity: str
    folder: str  # of the project in its repository; empty where it is all of it


def append_identities(log: EventLog, db: sqlite3.Connection, *, stop: str, again: bool) -> int:
    """Record the projects of an index that are not identified yet, and with `again` those whose identity has changed;
    only those that are on this machine. Returns how many events were appended."""
    known: dict[str, set[ProjectIdentity]] = {}
    for project, *identity in db.execute(_KNOWN):
        known.setdefault(project, set()).add(ProjectIdentity(*identity))
    appended = 0
    for (project,) in db.execute(_PROJECTS).fetchall():
        if project in known and not again:
            continue
        found = identity_of(project, known.get(project, ()), stop)
        if found is None or found in known.get(project, ()):
            continue
        event = log.append_dedup(
            "project_identified",
            actor=ACTOR,
            payload=found._asdict(),
            project=project,
            dedupe_key=dedupe_key("project_identified", project, *found),
        )
        appended += event is not None
    return appended


def identity_of(project: str, known: Collection[ProjectIdentity] = (), stop: str = "") -> ProjectIdentity | None:
    """What identifies the project at a path; None where there is no such folder here. What is known of its first commit
    is not looked for again. A repository at `stop` (the user's home, for dotfiles) is not that of everything in it."""
    top = Path(project)
    try:
        if not top.is_absolute() or not top.is_dir():
            return None
        root = next((one for one in (top, *top.parents) if os.path.lexists(one / ".git")), None)
    except (OSError, ValueError):
        return None
    if root is None or (str(root) == stop and root != top):
        return ProjectIdentity("path", project, "")
    folder = top.relative_to(root).as_posix() if root != top else ""
    remote = _remote(root)
    if remote:
        return ProjectIdentity("remote", remote, folder)
    before = next((one for one in known if one.kind == "root" and one.folder == folder), None)
    first = before.identity if before is not None else _first_commit(root)
    return ProjectIdentity("root", first, folder) if first else ProjectIdentity("path", project, "")


def normalised_remote(url: str) -> str:
    """`github.com/owner/name`, however the remote is written; empty for a folder of this machine. Nobody's name or
    password stays in it."""
    found = _ADDRESS.fullmatch(url) or _SCP.fullmatch(url)
    if found is None or url.lower().startswith("file:"):
        return ""
    host = found["host"].lower()
    path = found["path"].strip("/").removesuffix(".git").strip("/")
    return f"{host}/{path.lower() if host in _FOLDED else path}" if path else ""


def _remote(root: Path) -> str:
    """The remote of a repository: `origin`, else the first that is none of this machine's folders."""
    git = root / ".git"
    try:
        if git.is_file():  # a submodule, or a worktree: the file says where it is kept
            told = git.read_text(encoding="utf-8", errors="replace").strip().removeprefix("gitdir:").strip()
            git = root / told
            common = git / "commondir"
            git = git / common.read_text(encoding="utf-8").strip() if common.is_file() else git
        with (git / "config").open(encoding="utf-8", errors="replace") as file:
            text = file.read(_MOST_BYTES)
    except (OSError, ValueError):
        return ""
    remotes: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        if _SECTION.match(line):
            section = _REMOTE.match(line)
            name = section[1] if section else ""
        elif name and (url := _URL.match(line)) and (made := normalised_remote(url[1])):
            remotes.setdefault(name, made)
    return remotes.get("origin") or next(iter(remotes.values()), "")


def _first_commit(root: Path) -> str:
    """The oldest commit without a parent; empty where there is none, or no git."""
    environ = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    command = ["git", "-C", str(root), *_SAFE, "rev-list", "--max-parents=0", "HEAD"]
    try:
        done = subprocess.run(
            command, capture_output=True, check=False, timeout=_SECONDS, env=environ, stdin=subprocess.DEVNULL
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    commits = done.stdout.decode("ascii", "replace").split()
    return commits[-1] if done.returncode == 0 and commits else ""
