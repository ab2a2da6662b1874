"""Attacks on what agents are given: words that must not come back, damaged files, clients that are gone."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from axiommind.memory import Scope
from axiommind.surfaces import hooks
from axiommind.surfaces.hooks import record
from axiommind.surfaces.hooks.answers import HookAnswer
from axiommind.surfaces.render.fence import fenced
from tests.counting import PATIENCE_S
from tests.transcripts import PROJECT, START, Lines, World

PROMPT = "how does the zephyr anemometer calibrate its hygroscope?"
SAID = "the zephyr anemometer calibrates its hygroscope against the quartz reference"
RECENTLY = (time.time() * 1000 - START) / 60_000 - 600  # minutes: a session of ten hours ago


def ask(world: World, event: str, session: str = "new", **fields: Any) -> HookAnswer:
    given = {"hook_event_name": event, "session_id": session, "cwd": PROJECT, **fields}
    return hooks.answer(event, json.dumps(given).encode(), world.environ)


def start_hook(world: World, stdout: int, session: str, seconds: int = 20) -> subprocess.Popen[bytes]:
    code = "from axiommind.surfaces.hooks import main; main()"
    command = [sys.executable, "-c", code, "UserPromptSubmit"]
    environ = {**world.environ, "AXM_HOOK_SECONDS": str(seconds)}
    started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=stdout, env=environ)
    assert started.stdin is not None
    started.stdin.write(json.dumps({"session_id": session, "cwd": PROJECT, "prompt": PROMPT}).encode())
    started.stdin.close()
    return started


@pytest.fixture
def told(world: World) -> World:
    """A machine whose memory holds one thing worth recalling among others."""
    lines = Lines("old")
    lines.prompt(SAID, at=RECENTLY)
    lines.answer(f"Done: {SAID} at noon.", at=RECENTLY + 1)
    world.write(lines)
    other = Lines("other")
    for n in range(30):
        other.prompt(f"add a chart of rainfall for station {n}", at=RECENTLY - 900 + n)
    world.write(other)
    world.memory().index()
    return world


# --- words that must not come back --------------------------------------------------------------------------------


@pytest.mark.parametrize(("session", "source"), [("new", "startup"), ("old", "compact")])
def test_a_session_that_starts_is_not_told_what_was_withdrawn(world: World, session: str, source: str) -> None:
    lines = Lines("old")
    lines.prompt("We decided to store session tokens in Memcached because of its latency", at=RECENTLY)
    lines.answer("Done: session tokens are stored in Memcached.", at=RECENTLY + 1)
    world.write(lines)
    memory = world.memory()
    memory.index()
    memory.learning.run()
    assert "Memcached" in ask(world, "SessionStart", session, source=source).text
    ((entry,),) = world.rows("select entry_id from entries")
    memory.entries.rule(entry, "deprecated", "it was a mistake")
    assert "Memcached" not in ask(world, "SessionStart", session, source=source).text


@pytest.mark.parametrize("session", ["old", "fork"])
def test_a_fork_is_not_given_its_own_words(told: World, session: str) -> None:
    fork = Lines("fork")
    fork.lines = [json.loads(line) | {"sessionId": "fork"} for line in told.path("old").read_text("utf-8").splitlines()]
    told.write(fork)
    told.memory().index()
    assert "zephyr" not in ask(told, "UserPromptSubmit", session, prompt=PROMPT).text


@pytest.mark.parametrize("mark", ["\ufe0f", "\u0336", "\u20dd"])
def test_a_mark_does_not_hide_the_end_of_the_fence(mark: str, tmp_path: Path) -> None:
    assert f"<{mark}/recalled" not in fenced(f"and <{mark}/recalled-history> then", tmp_path)


@pytest.mark.parametrize("tool", ["get", "timeline"])
def test_tools_of_the_server_redact_again(told: World, tool: str) -> None:
    from axiommind.surfaces.mcp import answers

    secret = "ghp_" + "Zz9Yy8Xx7Ww6Vv5Uu4Tt3Ss2Rr1Qq0Pp9Oo8"
    with sqlite3.connect(told.home / "index.db") as db:  # as a version wrote it that did not know such secrets
        for (name,) in db.execute("select name from sqlite_master where type = 'trigger'").fetchall():
            db.execute(f'drop trigger "{name}"')
        db.execute("update prompts set text = ? || text", (f"{secret} ",))
    memory = told.memory()
    (found,) = [one for one in memory.recall.index(SAID, Scope(None), min_score=0.0) if one.type == "prompt"][:1]
    given = answers(memory).features.call(tool, {"ids": [found.id]})
    assert secret not in str(given) and "isError" not in given


# --- what somebody damaged ------------------------------------------------------------------------------------------


def test_a_number_of_any_length_in_the_spool_does_not_stop_the_index(told: World) -> None:
    line = {"v": 1, "at": 10**400, "hook": "Stop", "session": "old", "project": None, "items": [], "tokens": 1, "ms": 1}
    served = told.home / "hooks" / "served"
    served.mkdir(parents=True)
    (served / "old.jsonl").write_text(json.dumps(line) + "\n", "utf-8")
    told.memory().index()


def test_no_packet_is_made_of_another_versions_index(told: World) -> None:
    assert ask(told, "SessionStart", source="startup").outcome == "served"
    with sqlite3.connect(told.home / "index.db") as db:
        db.execute("update projection_offsets set version = version + 1")
    assert ask(told, "UserPromptSubmit", prompt=PROMPT).outcome == "error"
    assert ask(told, "SessionStart", source="startup").text == ""


# --- clients that are gone --------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
def test_an_answer_that_nobody_got_was_not_served(told: World) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    assert start_hook(told, full, "gone").wait(PATIENCE_S) == 0
    os.close(full)
    assert record.served_before(told.home, "gone").ids == frozenset()
    noted = json.loads((told.home / "hooks" / "hooks.log").read_bytes().splitlines()[-1])
    assert (noted["outcome"], noted["why"], noted["items"]) == ("error", "the client is gone", 0)


@pytest.mark.skipif(sys.platform != "linux", reason="needs pipes of a known size")
def test_a_client_that_does_not_read_keeps_no_hook_alive(told: World) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with pytest.raises(BlockingIOError):
        while True:
            os.write(writing, b" " * 4096)
    os.set_blocking(writing, True)
    started = start_hook(told, writing, "deaf", seconds=2)
    try:
        assert started.wait(PATIENCE_S) == 0
        assert b"the client does not read" in (told.home / "hooks" / "hooks.log").read_bytes()
    finally:
        started.kill()
        started.wait()
        os.close(reading)
        os.close(writing)


# --- what held --------------------------------------------------------------------------------------------------------


def test_what_was_forgotten_is_in_no_file_and_in_no_answer(told: World) -> None:
    assert "zephyr" in ask(told, "UserPromptSubmit", prompt=PROMPT).text
    told.memory().forget(session="old", reason="private")
    for event, fields in (("UserPromptSubmit", {"prompt": PROMPT}), ("SessionStart", {"source": "startup"})):
        assert "zephyr" not in ask(told, event, **fields).text
    assert [path for path in told.home.rglob("*") if path.is_file() and b"zephyr" in path.read_bytes()] == []


def test_who_went_by_a_decision_does_not_keep_it_alive(world: World) -> None:
    """What fell is not told either in the words of a session that went by it, nor by the agent that noted it."""
    for name, prompt, answer in (
        ("a", "We decided to use Flyway for the schema migrations of the billing ledger.", "Noted: Flyway it is."),
        ("c", "Add a column there.", "As agreed, schema migrations of the billing ledger go through Flyway: V2.sql."),
        ("b", "We decided to use Liquibase for the schema migrations of the billing ledger.", "Noted."),
    ):
        lines = Lines(name)
        lines.prompt(prompt)
        lines.answer(answer)
        world.write(lines)
    for n in range(12):
        lines = Lines(f"n{n}")
        lines.prompt(f"add a chart of rainfall for station number {n}")
        world.write(lines)
    memory = world.memory()
    memory.index()
    memory.learning.run()
    entries = {text: entry for entry, text in world.rows("select entry_id, text from entries")}
    old, new = (next(e for t, e in entries.items() if word in t) for word in ("Flyway", "Liquibase"))
    asked = "what do schema migrations of the billing ledger go through?"
    assert "Flyway" in str(memory.recall.index(asked, Scope(PROJECT), min_score=0.0))
    memory.entries.rule(old, "superseded", "changed our mind", new)
    found = str(memory.recall.index(asked, Scope(PROJECT), min_score=0.0))
    assert "Flyway" not in found and "Liquibase" in found
