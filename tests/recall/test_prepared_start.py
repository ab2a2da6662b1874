"""A start that was prepared says what the index would say, or nothing: it is used only while that is certain."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from axiommind.config import Config
from axiommind.recall.packets import session_start
from axiommind.recall.packets.prepared_start import PreparedStart, read_prepared
from axiommind.surfaces import hooks
from axiommind.surfaces.hooks.answers import HookAnswer
from axiommind.surfaces.hooks.call import HookCall
from tests.learning.sessions import Session
from tests.recall.packets import NOW, learned
from tests.transcripts import PROJECT, World

SECRET_PLAN = "Please add quokka rates to the invoices"


@pytest.fixture
def ready(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A home whose next start is prepared, at a time when that is news."""
    monkeypatch.setattr("axiommind.recall.recall.now", lambda: NOW)
    monkeypatch.setattr("time.time_ns", lambda: NOW * 1_000_000)
    session = Session("s1")
    session.prompt(SECRET_PLAN)
    session.ask("Which store should invoices use?", "SQLite")
    session.task("Write the docs")
    session.answer("Rates are in.")
    learned(world, session)
    assert world.memory().recall.prepare_starts() == 1
    return world


def config(world: World) -> Config:
    return Config.load(world.environ, world.home)


def prepared(world: World, *, session: str = "new", now: int = NOW) -> PreparedStart | None:
    return read_prepared(config(world), PROJECT, session=session, now=now)


def start(world: World, source: str = "startup", session: str = "new") -> HookAnswer:
    given = {"session_id": session, "cwd": PROJECT, "hook_event_name": "SessionStart", "source": source}
    return hooks.answer("SessionStart", json.dumps(given).encode(), world.environ)


@pytest.mark.parametrize("source", ["startup", "resume", "clear"])
def test_a_prepared_start_says_what_the_index_says_and_does_not_read_it(
    ready: World, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reading(_call: HookCall) -> None:
        raise AssertionError("the index is read")

    with monkeypatch.context() as patched:
        patched.setattr(HookCall, "reading", reading)
        told = start(ready, source)
    assert told.outcome == "served" and ("quokka" in told.text) == (source == "startup")
    (path,) = config(ready).starts_path.iterdir()
    path.unlink()
    assert start(ready, source) == told


def test_it_holds_only_for_the_index_that_it_was_made_from(ready: World) -> None:
    assert prepared(ready) is not None
    memory = ready.memory()
    memory.entries.rule(ready.one("select entry_id from entries where kind = 'decision'"), "deprecated", "a mistake")
    assert prepared(ready) is None and "SQLite" not in start(ready).text
    assert memory.recall.prepare_starts() == 1
    assert prepared(ready) is not None and "SQLite" not in start(ready).text


def test_it_does_not_hold_for_another_project_session_or_time(ready: World) -> None:
    assert prepared(ready, session="s1") is None, "a session is not told about itself"
    assert prepared(ready, now=NOW + 31 * 86_400_000) is None, "old news"
    assert read_prepared(config(ready), "/elsewhere", session="new", now=NOW) is None
    (path,) = config(ready).starts_path.iterdir()
    said = json.loads(path.read_bytes())
    for broken in (b"", b"{}", b"[1]", json.dumps(said | {"made": [0, "0"]}).encode(), b"x" * 200_000):
        path.write_bytes(broken)
        assert prepared(ready) is None and start(ready).outcome == "served"


def test_what_is_told_of_code_is_compared_with_it_again(ready: World, tmp_path: Path) -> None:
    code = tmp_path / "rates.py"
    code.write_text("RATES = 1\n")
    (path,) = config(ready).starts_path.iterdir()
    said = json.loads(path.read_bytes())
    found = code.stat()
    said["files"] = [[str(code), [found.st_ino, found.st_size, found.st_mtime_ns]], [str(tmp_path / "gone.py"), None]]
    path.write_text(json.dumps(said))
    assert prepared(ready) is not None
    code.write_text("RATES = 22\n")
    assert prepared(ready) is None


def test_forgetting_removes_it_at_once(ready: World) -> None:
    folder = config(ready).starts_path
    assert any(b"quokka" in path.read_bytes() for path in folder.iterdir())
    ready.memory().forget(session="s1")
    assert not list(folder.iterdir()) and "quokka" not in start(ready).text
    assert ready.memory().recall.prepare_starts() == 0 and not list(folder.iterdir())


def test_what_is_forgotten_while_it_is_prepared_does_not_stay(ready: World, monkeypatch: pytest.MonkeyPatch) -> None:
    write = session_start.write_prepared

    def forgotten_meanwhile(*given: object) -> int:
        ready.memory().forget(session="s1")
        return write(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(session_start, "write_prepared", forgotten_meanwhile)
    assert ready.memory().recall.prepare_starts() == 0
    assert not list(config(ready).starts_path.iterdir())


def test_only_its_owner_can_read_it(ready: World) -> None:
    folder = config(ready).starts_path
    assert [os.stat(path).st_mode & 0o077 for path in (folder, *folder.iterdir())] == [0, 0]
