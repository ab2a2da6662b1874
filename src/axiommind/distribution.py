"""How this program was installed, and the command that adds an extra to it or upgrades it from the same place.

No registry need have the package: a checkout, a folder, a wheel and a git URL are read from the `direct_url.json` that
installers leave behind (PEP 610). Everything is looked up when a hint is printed, never at import.
"""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Origin", "extra_command", "origin", "upgrade_command"]

_NAME = "axiommind"


class Origin(NamedTuple):
    """Where the installed package came from; `where` is a path or URL, empty for a registry."""

    kind: str  # editable, folder, archive, vcs or registry
    where: str = ""
    installer: str = "pip"


def origin() -> Origin:
    """Where this installation came from. Code that runs without being installed counts as a checkout of its own."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        found = distribution(_NAME)
    except PackageNotFoundError:
        return Origin("editable", str(Path(__file__).parents[2]))
    installer = (found.read_text("INSTALLER") or "pip").strip()
    try:
        direct = json.loads(found.read_text("direct_url.json") or "null")
    except ValueError:
        direct = None
    return _origin_of(direct, installer) if isinstance(direct, dict) else Origin("registry", "", installer)


def extra_command(extra: str) -> str:
    """The command that installs the program again with this extra, from where it came from."""
    kind, where, installer = came = origin()
    if kind == "editable":
        return f"{_install(installer)} -e {shlex.quote(f'{where}[{extra}]')}"
    if kind == "folder" or (kind == "archive" and "://" not in where):
        return f"{_install(installer)} {shlex.quote(f'{where}[{extra}]')}"
    return f"{_install(installer)} {shlex.quote(_requirement(came, f'[{extra}]'))}"


def upgrade_command() -> str:
    """The command that brings a newer version, from where this one came from."""
    kind, where, installer = came = origin()
    if kind == "editable":
        return f"git -C {shlex.quote(where)} pull"
    if kind == "folder":
        return f"git -C {shlex.quote(where)} pull && {_install(installer)} {shlex.quote(where)}"
    if kind == "archive":
        return f"{_install(installer)} NEWER-FILE (this version came from {where})"
    return f"{_install(installer)} --upgrade {shlex.quote(_requirement(came, ''))}"


def _origin_of(direct: dict[str, Any], installer: str) -> Origin:
    url = str(direct.get("url", ""))
    inside = direct.get("subdirectory")
    if "dir_info" in direct:
        where = _path(url) if not inside else str(Path(_path(url)) / inside)
        return Origin("editable" if direct["dir_info"].get("editable") else "folder", where, installer)
    if "vcs_info" in direct:
        vcs = direct["vcs_info"]
        revision = vcs.get("requested_revision")
        where = f"{vcs.get('vcs', 'git')}+{url}" + (f"@{revision}" if revision else "")
        return Origin("vcs", where + (f"#subdirectory={inside}" if inside else ""), installer)
    if "archive_info" in direct:
        return Origin("archive", _path(url), installer)
    return Origin("registry", "", installer)


def _path(url: str) -> str:
    """The path that a file URL names; any other URL as it is."""
    if not url.startswith("file:"):
        return url
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    return url2pathname(urlsplit(url).path)


def _requirement(came: Origin, extra: str) -> str:
    return f"{_NAME}{extra} @ {came.where}" if came.where else f"{_NAME}{extra}"


def _install(installer: str) -> str:
    """`pip install` for the environment that this runs in, activated or not, with pip in it or not."""
    from shutil import which

    python = shlex.quote(sys.executable or "python3")
    if installer == "uv":
        return f"uv pip install --python {python}"
    pip = which("pip")
    if pip is not None and Path(pip).parent == Path(sys.executable).parent:
        return "pip install"
    return f"{python} -m pip install"
