"""What hooks leave behind, for tests: an old session that said something, a new one that was given it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from axiommind.ids import short_id
from tests.transcripts import PROJECT, START, Lines, World

MINUTE = 60_000


def line(session: str = "now", at: float = 10, **fields: Any) -> bytes:
    given: dict[str, Any] = {
        "v": 1,
        "at": START + int(at * MINUTE),
        "hook": "UserPromptSubmit",
        "session": session,
        "project": PROJECT,
        "items": [{"id": "abc123", "kind": "prompt", "score": 0.93}],
        "tokens": 120,
        "ms": 45,
    }
    return json.dumps({**given, **fields}).encode() + b"\n"


def spool(world: World, data: bytes, session: str = "now") -> Path:
    path = world.home / "hooks" / "served" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(data)
    return path


def made(base: Path) -> World:
    """An old session decided something; a new one asks about it, and acts on what it was given."""
    world = World(base)
    old = Lines("old")
    old.prompt("How do we keep the forecast fresh?")
    old.answer("We set retry_budget to 45 s in src/forecast/refresh.py, because the API is slow.")
    now = Lines("now")
    now.prompt("The forecast is stale again, what was it?", at=10.01)
    now.answer("I raise retry_budget now.", at=11)
    now.tool("Edit", at=12, file_path=f"{PROJECT}/src/forecast/refresh.py", old_string="a", new_string="b")
    now.prompt("thanks", at=13)
    world.write(old)
    world.write(now)
    world.memory().index()
    return world


def item(world: World, session: str = "old", kind: str = "response") -> dict[str, Any]:
    number = world.one(f"select id from passages where session_id = '{session}' and kind = '{kind}' limit 1")
    return {"id": short_id(number), "kind": kind, "score": 0.97}
