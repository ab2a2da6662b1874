"""After how many seconds a hook ends without an answer: each event has its own, the settings may say another.

Counted from the start of the process. Read before anything else is imported, so the settings are opened only where
they say something about it; a test holds the defaults here equal to theirs.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # importing typing takes longer than all of this
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SECONDS", "configured", "default"]

SECONDS = "AXM_HOOK_SECONDS"  # for every event, for a slow machine
_DEFAULT_S = 0.39  # the rest of 400 ms is for ending the process
_PATIENT = {"SessionStart": 1.5}  # nobody has typed yet, and the client itself is starting
_LEAST_S, _MOST_S = 0.05, 20.0


def default(event: str) -> float:
    return _PATIENT.get(event, _DEFAULT_S)


def configured(event: str, environ: Mapping[str, str], home: str) -> float:
    """The deadline of an event, as the environment and the settings have it; the default where they are broken."""
    try:
        if environ.get(SECONDS):
            every = float(environ[SECONDS])
            return _bounded(every) if every > 0 else default(event)
        if not _is_set(environ, os.path.join(home, "config.toml")):  # noqa: PTH118 - a hook has no time for pathlib
            return default(event)
        from pathlib import Path

        from axiommind.config import Config
        from axiommind.surfaces.hooks.events import module_name

        seconds = getattr(Config.load(environ, Path(home)).hooks, f"{module_name(event)}_seconds", None)
        return default(event) if seconds is None else _bounded(seconds)
    except Exception:  # noqa: BLE001 - what is wrong with the settings is said when the call is answered
        return default(event)


def _bounded(seconds: float) -> float:
    return min(max(seconds, _LEAST_S), _MOST_S)


def _is_set(environ: Mapping[str, str], path: str) -> bool:
    if any(name.startswith("AXM_HOOK_") and name.endswith("_SECONDS") for name in environ):
        return True
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return b"seconds" in file.read()
    except OSError:
        return False
