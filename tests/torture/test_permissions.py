"""Permission denied, as somebody whom permissions bind (also where the tests run as root): said with what to do, and
nothing is lost. A hook stays silent and exits 0."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.shell import as_nobody, axm
from tests.transcripts import World, session

PROMPT = '{"session_id": "s", "cwd": "/home/dev/weather", "prompt": "where is the test of the parser?"}'
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="permissions of Unix")


@pytest.fixture
def indexed(world: World) -> World:
    for n in range(3):
        world.write(session(f"s{n}"))
    world.memory().index()
    return world


def sealed_off(path: Path, mode: int) -> None:
    """Take permissions away from a file, or a folder with everything in it."""
    for one in [*path.rglob("*"), path] if path.is_dir() else [path]:
        os.chmod(one, mode if one.is_dir() else mode & ~0o111)


@pytest.mark.parametrize(
    ("what", "mode"), [("log.db", 0o400), ("index.db", 0o400), ("log.db", 0), ("index.db", 0), (".", 0o500), (".", 0)]
)
def test_a_home_that_may_not_be_used(indexed: World, what: str, mode: int) -> None:
    indexed.write(session("new"))
    first = as_nobody(indexed, "doctor")  # hands everything over to nobody, where the tests run as root
    assert first.returncode in (0, 1, 3), first.stderr
    sealed_off(indexed.home / what, mode)
    try:
        for command in (
            ("index",),
            ("search", "parser"),
            ("pad", "list"),
            ("verify",),
            ("doctor",),
            ("learn",),
            ("rebuild",),
        ):
            done = as_nobody(indexed, *command)
            assert done.returncode in (0, 1, 3) and "Traceback" not in done.stderr, (command, done.stderr)
            assert done.returncode != 3 or done.stdout or "axm:" in done.stderr, command
        hook = as_nobody(indexed, "UserPromptSubmit", stdin=PROMPT, program="axiommind.surfaces.hooks")
        assert (hook.returncode, hook.stderr) == (0, "")
    finally:
        for path in [indexed.home, *indexed.home.rglob("*")]:
            os.chmod(path, 0o700 if path.is_dir() else 0o600)
    assert axm(indexed, "index").returncode == 0
    assert indexed.memory().verify(deep=True) == []
    assert indexed.one("select count(*) from sessions") == 4


def test_a_transcript_that_may_not_be_read(indexed: World) -> None:
    """It is said, the others are read, and nothing of it is taken for deleted."""
    as_nobody(indexed, "doctor")
    kept = indexed.one("select count(*) from prompts")
    closed = indexed.path("s1")
    indexed.append(session("s1").data(), "s1")
    indexed.write(session("other"))
    os.chown(indexed.path("other"), closed.stat().st_uid, -1)
    os.chmod(closed, 0)
    done = as_nobody(indexed, "index")
    assert done.returncode in (0, 3) and "Traceback" not in done.stderr, done.stderr
    assert "s1" in done.stdout + done.stderr
    assert indexed.one("select count(*) from sessions") == 4
    assert indexed.one("select count(*) from prompts") > kept
    os.chmod(closed, 0o600)
    assert as_nobody(indexed, "index").returncode == 0
    assert indexed.memory().verify() == []
