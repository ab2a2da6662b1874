"""What a new user stumbles on: nothing indexed, nothing found, something damaged; and what is said about it."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from tests.shell import axm
from tests.transcripts import Lines, World, session


@pytest.mark.parametrize("command", ["doctor", "verify"])
def test_doctor_and_verify_say_what_is_damaged(world: World, command: str) -> None:
    world.write(session())
    world.memory().index()
    (world.home / "index.db").write_bytes(b"garbage" * 1000)
    done = axm(world, command)
    assert done.returncode == 3 and "axm rebuild" in done.stdout + done.stderr
    assert "internal" not in done.stderr
    (world.home / "log.db").write_bytes(b"")
    done = axm(world, command)
    assert done.returncode == 3 and "internal" not in done.stderr, done.stderr
    assert "axm restore" in done.stdout + done.stderr


def test_a_path_that_looks_like_a_secret_still_verifies(world: World) -> None:
    name = "AK" + "IA" + "Q3EGZ7XK2LPWN5TD"
    world.write(session("a", cwd=f"/p/{name}"), folder=f"-p-{name}")
    world.memory().index()
    assert world.memory().verify() == []


def test_the_sample_never_mixes_with_real_sessions(world: World) -> None:
    assert axm(world, "start").returncode == 0  # nothing there: shows the sample
    world.write(session("mine"))
    inside = world.environ | {"AXM_HOME": str(world.home / "sample")}
    for command in (["index"], ["start"], ["start", "--sample"]):
        done = subprocess.run(
            [sys.executable, "-m", "axiommind", *command], env=inside, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    with closing(sqlite3.connect(world.home / "sample" / "index.db")) as db:
        assert db.execute("select count(*) from sessions where id = 'mine'").fetchone() == (0,)
        assert db.execute("select count(*) > 0 from sessions").fetchone() == (1,)
    assert not (world.home / "sample" / "sample").exists()


def test_no_rows_are_explained_where_it_helps(world: World) -> None:
    world.write(session())
    world.memory().index()
    said = axm(world, "query", "--perspective", "tool-frequency", "--tool", "Bash").stderr
    assert "Bash:test" in said
    assert "No session" in axm(world, "query", "--perspective", "usage", "--session", "zzz").stderr
    assert axm(world, "query", "--perspective", "usage", "--since", "2099-01-01").stderr == ""


def test_an_index_of_nothing_says_where_to_look(world: World) -> None:
    assert "axm doctor" in axm(world, "index").stderr
    assert "axm index" in axm(world, "query", "--perspective", "usage").stderr


@pytest.mark.skipif(shutil.which("script") is None, reason="needs script, which has a terminal")
def test_tables_fit_the_terminal(world: World) -> None:
    lines = Lines("s", cwd="/p/" + "deep/" * 30)
    lines.tool("Edit", "e", file_path="/p/" + "deep/" * 30 + "file.py")
    world.write(lines)
    world.memory().index()
    piped = axm(world, "query", "--perspective", "hotfiles", "--format", "table").stdout
    assert all(len(line) <= 80 for line in piped.splitlines()) and "deep/file.py" in piped
    ask = f"{sys.executable} -m axiommind query --perspective hotfiles --format table"
    environ = world.environ | {"COLUMNS": "80", "TERM": "xterm", "NO_COLOR": "1"}
    shown = subprocess.run(
        ["script", "-qec", ask, "/dev/null"], env=environ, capture_output=True, text=True, check=False
    )
    assert all(len(line.rstrip()) <= 80 for line in shown.stdout.splitlines()) and "file.py" in shown.stdout


def test_verify_without_an_index(world: World) -> None:
    world.write(session())
    world.memory().index()
    (world.home / "index.db").unlink()
    done = axm(world, "verify")
    assert done.returncode == 3 and "not there" in done.stdout
