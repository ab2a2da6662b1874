"""What is remembered between two runs and may be lost: a file beside the log. It belongs to one log; another one that
takes its place begins anew.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from axiommind.private import make_private
from axiommind.sync.admission import Admission
from axiommind.sync.machine import sync_folder

__all__ = ["RunState", "read_admission", "read_state", "write_admission"]

_FILE = "state.json"
_ADMITTED = "team-"


class RunState:
    """For each space: when it was synced last (`at`), when this home last said how far it is (`said_at`), up to which
    position its own events were looked at (`scanned`), and what did not work (`error`)."""

    def __init__(self, path: Path, log: str, spaces: dict[str, dict[str, Any]]) -> None:
        self._path, self._log = path, log
        self._spaces = spaces

    def number(self, space: str, name: str) -> int:
        value = self._spaces.get(space, {}).get(name, 0)
        return value if isinstance(value, int) else 0

    def text(self, space: str, name: str) -> str:
        value = self._spaces.get(space, {}).get(name, "")
        return value if isinstance(value, str) else ""

    def put(self, space: str, **values: int | str) -> None:
        self._spaces[space] = self._spaces.get(space, {}) | values

    def drop(self, space: str) -> None:
        self._spaces.pop(space, None)

    def save(self) -> None:
        make_private(self._path.parent)
        mine = self._path.with_name(f"{_FILE}.{os.getpid()}")
        mine.write_text(json.dumps({"log": self._log, "spaces": self._spaces}))
        mine.replace(self._path)


def write_admission(home: Path, space: str, origin: str, admission: Admission) -> None:
    """Keep who let this machine into a team: it stands in its card."""
    folder = sync_folder(home)
    make_private(folder)
    mine = folder / f"{_ADMITTED}{space}.json.{os.getpid()}"
    mine.write_text(json.dumps({"origin": origin, "admission": admission.as_json()}))
    mine.replace(folder / f"{_ADMITTED}{space}.json")


def read_admission(home: Path, space: str, origin: str) -> Admission | None:
    """Who let this machine into a team; None for its founder, and where it has another name now."""
    try:
        said = json.loads((sync_folder(home) / f"{_ADMITTED}{space}.json").read_bytes())
        return Admission.of(said["admission"]) if said["origin"] == origin else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def read_state(home: Path, log: str) -> RunState:
    """What was remembered of this log."""
    path = sync_folder(home) / _FILE
    try:
        said = json.loads(path.read_bytes())
        spaces = {str(name): dict(one) for name, one in said["spaces"].items()} if said["log"] == log else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        spaces = {}
    return RunState(path, log, spaces)
