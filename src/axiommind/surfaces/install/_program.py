"""Which program an agent has to start: named absolutely, so that it needs no shell, no PATH and no shim.

A shim (pyenv, asdf) looks for a Python every time, which takes longer than a hook may, and finds another one in
another folder.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from axiommind.errors import AxmError
from axiommind.private import make_private

__all__ = ["HOOKS", "axm", "hook", "is_passing", "note_for_plugin"]

HOOKS = "axiommind.surfaces.hooks"


def hook(python: str | None = None) -> tuple[str, ...]:
    """`axm-hook` beside this Python, or this Python and the module."""
    here = _python(python)
    script = _beside(here, "axm-hook")
    return (script,) if script else (here, "-P", "-m", HOOKS)  # -P: a repository may hold modules named as ours


def axm(python: str | None = None) -> tuple[str, ...]:
    here = _python(python)
    script = _beside(here, "axm")
    return (script,) if script else (here, "-P", "-m", "axiommind")


def is_passing(program: str) -> bool:
    """Whether it is in a cache that may be emptied (uvx, pipx run)."""
    parts = Path(program).parts
    return "archive-v0" in parts or ("pipx" in parts and ".cache" in parts)


def note_for_plugin(home: Path, python: str | None = None) -> Path:
    """Record which program the plugin's scripts start, in `hooks/program` of our home."""
    file = home / "hooks" / "program"
    text = hook(python)[0] + "\n"
    make_private(file.parent)
    if not file.is_file() or file.read_text(encoding="utf-8") != text:
        temporary = file.with_name(f"program.axm-{os.getpid()}")
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(file)
    return file


def _python(python: str | None) -> str:
    found = sys.executable if python is None else python
    if not found:
        raise AxmError("this Python does not know where it is", hint="install axiommind into a virtual environment")
    if Path(found).parent.name == "shims":
        found = os.path.realpath(Path(sys.prefix) / "bin" / "python")
    return str(Path(found).absolute())


def _beside(python: str, name: str) -> str | None:
    for script in (Path(python).with_name(name), Path(python).with_name(f"{name}.exe")):
        if script.is_file() and os.access(script, os.X_OK):
            return str(script)
    return None
