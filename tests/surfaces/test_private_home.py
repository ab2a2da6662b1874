"""Whatever runs first, the home is for its owner alone, and so are its files."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys

import pytest

from tests.counting import PATIENCE_S
from tests.transcripts import World, session

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
FIRST = {
    "mcp": (["axiommind", "mcp"], json.dumps(HELLO) + "\n"),
    "index": (["axiommind", "index"], ""),
    "doctor": (["axiommind", "doctor"], ""),
    "workflow": (["axiommind", "workflow", "create", "first"], ""),
    "hook": (["axiommind.surfaces.hooks", "SessionStart"], json.dumps({"session_id": "s", "cwd": "/p"})),
    "prompt": (
        ["axiommind.surfaces.hooks", "UserPromptSubmit"],
        json.dumps({"session_id": "s", "prompt": "hello you"}),
    ),
    "stop": (["axiommind.surfaces.hooks", "Stop"], json.dumps({"session_id": "s", "cwd": "/p"})),
}


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are another matter there")
@pytest.mark.parametrize("first", FIRST)
def test_the_home_is_private_whatever_comes_first(world: World, first: str) -> None:
    world.write(session())
    command, given = FIRST[first]
    before = os.umask(0o022)
    try:
        subprocess.run(
            [sys.executable, "-m", *command],
            env=world.environ | {"AXM_HOME": str(world.base / "deep" / "home")},
            input=given,
            text=True,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
    finally:
        os.umask(before)
    home = world.base / "deep" / "home"
    assert home.is_dir() or first == "doctor"
    if home.is_dir():
        loose = [str(path) for path in (home, *home.rglob("*")) if stat.S_IMODE(path.lstat().st_mode) & 0o077]
        assert loose == []
