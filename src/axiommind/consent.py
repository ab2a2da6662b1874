"""What a repository may set: nothing, until a person has seen it and allowed it.

Settings come from the home's `config.toml` and from the environment; no file of a repository is read for them. But a
repository reaches the environment: by an agent's project settings, direnv, dotenv files, mise or an editor. A variable
of ours that such a file names is not obeyed until the file was allowed as it is; neither is a home that lies inside of
the repository. Consent is kept by the hash of the content in the user's own folder, which no variable moves. Hooks
import this, so it imports little.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, MutableMapping
from contextlib import suppress
from typing import NamedTuple

__all__ = ["RepositoryFile", "allow", "drop_unasked", "is_news", "repository_files", "revoke"]

_OURS = "AXM_"
_HOME = "AXM_HOME"
# Where tools look for variables in the folder that is worked in.
_FILES = (
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".mcp.json",
    ".envrc",
    ".env",
    ".env.local",
    ".env.development",
    "mise.toml",
    ".mise.toml",
    ".vscode/settings.json",
    ".devcontainer/devcontainer.json",
    "devbox.json",
    "flake.nix",
    "shell.nix",
)
_MOST_BYTES = 1_000_000
_A_HOME = "home"  # what is kept of a home inside of a repository: it has no one content


class RepositoryFile(NamedTuple):
    """A file of a repository that sets something of ours, or a home that lies in it."""

    path: str
    names: tuple[str, ...]  # of the variables
    digest: str  # of the content, as it is now
    is_allowed: bool


def drop_unasked(environ: MutableMapping[str, str], folder: str) -> list[RepositoryFile]:
    """Take out of the environment what the repository of a folder sets and nobody allowed; the files that set it."""
    mine = [name for name in environ if name.startswith(_OURS)]
    if not mine:
        return []
    found = []
    for file in repository_files(folder, environ.get(_HOME)):
        named = [name for name in file.names if name in environ]
        if named and not file.is_allowed:
            found.append(file._replace(names=tuple(named)))
    for file in found:
        for name in file.names:
            environ.pop(name, None)
    return found


def repository_files(folder: str, home: str | None = None) -> list[RepositoryFile]:
    """The files around a folder that name variables of ours, and the home, where that lies in the repository."""
    allowed = _kept()["allowed"]
    found = []
    folders = list(_folders(folder))
    for place in folders:
        for name in _FILES:
            path = os.path.join(place, *name.split("/"))  # noqa: PTH118 - pathlib is not worth its import here
            content = _content(path)
            if content is not None and _OURS.encode() in content:
                digest = _digest(content)
                found.append(RepositoryFile(path, _names(content), digest, allowed.get(path) == digest))
    root = folders[-1] if folders else ""
    if home and root and os.path.isdir(os.path.join(root, ".git")):  # noqa: PTH112, PTH118
        path = os.path.realpath(os.path.expanduser(home))  # noqa: PTH111
        if path.startswith(os.path.realpath(root) + os.sep):
            found.append(RepositoryFile(path, (_HOME,), _A_HOME, allowed.get(path) == _A_HOME))
    return found


def allow(files: Iterable[RepositoryFile]) -> None:
    """Obey these files, as long as they are what they are now."""
    _keep("allowed", {file.path: file.digest for file in files})


def revoke(files: Iterable[RepositoryFile]) -> None:
    """Obey these files no more."""
    _keep("allowed", {file.path: "" for file in files})


def is_news(files: Iterable[RepositoryFile]) -> bool:
    """Whether a person was not told yet that these files, as they are, are not obeyed; they are from now on."""
    told = {file.path: file.digest for file in files}
    if all(_kept()["told"].get(path) == digest for path, digest in told.items()):
        return False
    with suppress(OSError):  # then it is said again
        _keep("told", told)
    return True


def _folders(folder: str) -> Iterator[str]:
    """The folder and those above it, up to the root of its repository; never the user's own, whose files are theirs."""
    user = os.path.realpath(os.path.expanduser("~"))  # noqa: PTH111
    place = os.path.realpath(folder)
    found = []
    while place not in (user, os.path.dirname(place)):  # noqa: PTH120
        found.append(place)
        if os.path.exists(os.path.join(place, ".git")):  # noqa: PTH110, PTH118
            yield from found
            return
        place = os.path.dirname(place)  # noqa: PTH120
    yield from found[:1]  # no repository: what lies in the folder itself


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read(_MOST_BYTES)
    except OSError:
        return None


def _names(content: bytes) -> tuple[str, ...]:
    import re

    return tuple(dict.fromkeys(name.decode() for name in re.findall(rb"AXM_[A-Z0-9_]+", content)))


def _digest(content: bytes) -> str:
    import hashlib

    return hashlib.sha256(content).hexdigest()


# --- what was allowed ---------------------------------------------------------------------------------------------


def _path() -> str:
    """In the user's own home: a repository may set any other."""
    return os.path.join(os.path.expanduser("~"), ".axiommind", "allowed.json")  # noqa: PTH111, PTH118


def _kept() -> dict[str, dict[str, str]]:
    try:
        said = json.loads(_content(_path()) or b"{}")
    except ValueError:
        said = {}
    return {part: dict(said[part]) if isinstance(said.get(part), dict) else {} for part in ("allowed", "told")}


def _keep(part: str, values: dict[str, str]) -> None:
    kept = _kept()
    kept[part] |= values
    kept[part] = {path: digest for path, digest in kept[part].items() if digest}
    path = _path()
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)  # noqa: PTH103, PTH120
    temporary = f"{path}.{os.getpid()}"
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump(kept, file, indent=1)
    os.replace(temporary, path)  # noqa: PTH105
