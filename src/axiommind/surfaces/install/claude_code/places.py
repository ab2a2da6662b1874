"""Where Claude Code keeps its settings: the files of a scope, and every file that counts in a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from axiommind.errors import AxmError
from axiommind.surfaces.install import Machine, _files
from axiommind.surfaces.install._files import Json

__all__ = ["Places", "all_settings", "glance", "places", "project_root"]


class Places(NamedTuple):
    """The files of a scope."""

    settings: Path
    mcp: Path


def places(machine: Machine, scope: str) -> Places:
    if scope == "project":
        root = project_root(machine)
        return Places(root / ".claude" / "settings.json", root / ".mcp.json")
    own = machine.environ.get("CLAUDE_CONFIG_DIR")
    folder = Path(own).expanduser().absolute() if own else machine.user / ".claude"
    # With a folder of its own, the client keeps this file in it, else beside it.
    return Places(folder / "settings.json", (folder if own else machine.user) / ".claude.json")


def project_root(machine: Machine) -> Path:
    """The repository that the current folder is in, or this folder. The user's own folder is no project, though it may
    be under version control."""
    user = os.path.realpath(machine.user)
    for folder in (machine.cwd, *machine.cwd.parents):
        if os.path.realpath(folder) == user:
            break
        if (folder / ".git").exists():
            return folder
    return machine.cwd


def all_settings(machine: Machine) -> list[Path]:
    """Every settings file that counts in the current folder; in the user's own folder two of them are one."""
    found = [places(machine, "user").settings]
    for folder in (project_root(machine), machine.cwd):
        found += [folder / ".claude" / "settings.json", folder / ".claude" / "settings.local.json"]
    return list(dict.fromkeys(Path(os.path.realpath(path)) for path in found))


def glance(path: Path) -> Json:
    """A file that is only looked at: one that cannot be read counts as empty."""
    try:
        return _files.read(path).data
    except AxmError:
        return {}
