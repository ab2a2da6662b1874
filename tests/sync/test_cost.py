"""What syncing costs: nothing where there is no remote, and little where nothing is new."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from axiommind.sync import run as sync_run
from axiommind.sync.remotes import open_remote
from tests.counting import statements
from tests.shell import axm_process
from tests.sync.homes import paired, said, session, sync
from tests.transcripts import PERSON, World

TABLES = ("spaces", "chain", "sync_outbox", "session_keys", "quarantine", "forget_acks")


def test_a_home_without_a_remote_loads_nothing_of_it_and_asks_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(world, "s1", "make the radar show rain")
    for words in (["index"], ["search", "radar"], ["query", "--sql", "select 1"]):
        command = [sys.executable, "-X", "importtime", "-m", "axiommind", *words]
        done = subprocess.run(command, env=world.environ, capture_output=True, text=True, check=True)
        loaded = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line]
        assert "axiommind.memory" in loaded
        assert not [name for name in loaded if name.startswith(("axiommind.sync", "axiommind.log.syncing", "nacl"))]
    with statements(monkeypatch) as seen:
        session(world, "s2", "teach the barometer to fall")
        world.memory().forget(session="s1", caller=PERSON)
    asked = [one for one in seen if any(f" {table}" in one for table in TABLES)]
    assert all("create table" in one or one.split()[0] == "delete" for one in asked), asked


def test_with_nothing_new_little_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the remote: its heads, and no texts, keys or segments. Of the log: nothing that grows with it."""
    desk, laptop = paired(tmp_path, str(tmp_path / "remote"), "desk", "laptop")
    session(desk, "s1", *(f"remark {n}" for n in range(50)))
    sync(desk, laptop, desk, laptop)
    calls: list[str] = []
    monkeypatch.setattr(sync_run, "open_remote", lambda *given: Counting(open_remote(*given), calls))
    with statements(monkeypatch) as few:
        sync(laptop)
    assert sorted(set(calls)) == ["close", "heads", "problems"]
    for n in range(6):
        session(desk, f"more{n}", "and on")
    sync(desk, laptop, laptop)
    with statements(monkeypatch) as many:
        sync(laptop)
    assert len(many) <= len(few) + 2


class Counting:
    """A remote, and what is asked of it."""

    def __init__(self, remote: object, calls: list[str]) -> None:
        self._remote, self._calls = remote, calls

    def __getattr__(self, name: str) -> object:
        found = getattr(self._remote, name)
        if callable(found):
            self._calls.append(name)
        return found


def test_the_index_of_a_hook_syncs_too_when_it_is_told_to(tmp_path: Path) -> None:
    desk, laptop = paired(tmp_path, str(tmp_path / "remote"), "desk", "laptop")
    session(desk, "s1", "make the radar show rain")

    def index(world: World, minutes: str) -> str:
        pending = world.home / "hooks" / "pending"
        pending.parent.mkdir(exist_ok=True)
        pending.touch()
        environ = {"AXM_HOOK_PENDING": str(pending), "AXM_SYNC_MINUTES": minutes, "AXM_PERSON_TOKEN": ""}
        return axm_process(world, "index", **environ).stderr

    assert "Synced" not in index(desk, "0")
    assert "Synced" in index(desk, "5")
    assert "Synced" not in index(desk, "5"), "not again so soon"
    assert "Synced" in index(laptop, "5")
    assert said(laptop) == {"make the radar show rain"}
