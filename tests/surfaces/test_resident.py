"""A process that stays answers for hooks: the same answer, recorded once; without it, or with a wrong one, as ever."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from axiommind.surfaces.hooks import resident_client
from axiommind.surfaces.hooks.resident_server import listening
from tests.counting import wait_for
from tests.transcripts import PROJECT, Lines, World

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no local sockets on this system")
PROMPT = "why does the quartz calibration of the weather station drift?"


@pytest.fixture
def told(world: World) -> World:
    lines = Lines("s1")
    lines.prompt("The quartz calibration of the weather station drifts, because the oven is too cold.")
    lines.answer("The quartz drifts while the oven is cold: calibration of the station has to wait.")
    world.write(lines)
    for n in range(8):
        other = Lines(f"o{n}")
        other.prompt(f"number {n}: tidy up the imports")
        world.write(other)
    world.memory().index()
    return world


def hook(world: World, session: str, prompt: str = PROMPT) -> tuple[bytes, list[str]]:
    """What a hook prints, and which modules of ours its process has loaded."""
    code = (
        "import sys, os, json; from axiommind.surfaces import hooks; hooks.serve('UserPromptSubmit'); "
        "os.write(2, json.dumps([m for m in sys.modules if m.startswith('axiommind')]).encode())"
    )
    given = {"session_id": session, "cwd": PROJECT, "hook_event_name": "UserPromptSubmit", "prompt": prompt}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=world.environ, input=json.dumps(given).encode(), capture_output=True, check=True)
    return done.stdout, json.loads(done.stderr)


def logged(world: World) -> list[dict[str, Any]]:
    lines = (world.home / "hooks" / "hooks.log").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_it_answers_for_a_hook_that_imports_nothing(told: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", told.environ["HOME"])
    alone, _ = hook(told, "alone")
    with listening(str(told.home)) as is_open:
        assert is_open
        (door,) = (told.home / "hooks" / "resident").iterdir()
        assert stat.S_IMODE(door.stat().st_mode) == 0o600 and stat.S_IMODE(door.parent.stat().st_mode) == 0o700
        given, loaded = hook(told, "together")
        wait_for(lambda: len(logged(told)) == 2, "the record")  # it is written once the hook has its answer
        assert given == alone and b"quartz" in given
        light = {
            "axiommind",
            "axiommind.consent",
            "axiommind.surfaces",
            "axiommind.surfaces.hooks",
            "axiommind.surfaces.hooks.deadlines",
        }
        assert set(loaded) == light | {"axiommind.surfaces.hooks.resident_client"}
        again, _ = hook(told, "together")
        assert again == b""  # it was told once, and that was recorded
        wait_for(lambda: len(logged(told)) == 3, "the record")
        silent, _ = hook(told, "together", "Write a haiku about the sea")
        assert silent == b""
        wait_for(lambda: len(logged(told)) == 4, "the record")
    assert [line["outcome"] for line in logged(told)] == ["served", "served", "silent", "silent"]
    assert not door.exists()


def test_left_behind_by_a_process_that_was_killed(told: World) -> None:
    folder = told.home / "hooks" / "resident"
    folder.mkdir(parents=True)
    gone = subprocess.Popen([sys.executable, "-c", "pass"])
    gone.wait()
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(folder / str(gone.pid)))
    dead.close()
    given, loaded = hook(told, "s9")
    assert b"quartz" in given and "axiommind.recall.recall" in loaded
    with listening(str(told.home)):
        assert [path.name for path in folder.iterdir()] == [str(os.getpid())]


@pytest.fixture
def stranger(told: World) -> Iterator[list[bytes]]:
    """Somebody else listens, and says whatever is in the list."""
    said: list[bytes] = []
    folder = told.home / "hooks" / "resident"
    folder.mkdir(parents=True)
    door = socket.socket(socket.AF_UNIX)
    door.bind(str(folder / "1"))
    door.listen()

    def attend() -> None:
        while True:
            try:
                line, _ = door.accept()
            except OSError:
                return
            line.recv(1 << 20)
            for part in said:
                line.sendall(part)
            line.close()

    threading.Thread(target=attend, daemon=True).start()
    yield said
    door.close()


@pytest.mark.parametrize("said", [[], [b"\0"], [b"\xff\xff\xff\xff{"], [b"\0\0\0\x09half"]])
def test_who_says_nothing_useful_is_done_without(told: World, stranger: list[bytes], said: list[bytes]) -> None:
    stranger += said
    given, _ = hook(told, "s9")
    assert b"quartz" in given


def test_another_program_is_not_asked(told: World) -> None:
    with listening(str(told.home)):
        line = socket.socket(socket.AF_UNIX)
        line.connect(str(told.home / "hooks" / "resident" / str(os.getpid())))
        parts = (b"0.0.0 1", b"UserPromptSubmit", b"", b"{}")
        line.sendall(b"".join(len(part).to_bytes(4, "big") + part for part in parts))
        assert line.recv(1) == b""
        line.close()


def test_a_home_whose_name_is_too_long_for_a_socket(tmp_path: Path) -> None:
    with listening(str(tmp_path / ("x" * 120))) as is_open:
        assert not is_open
    assert resident_client.ask(str(tmp_path), "Stop", b"{}", {}, 0.0) is None
