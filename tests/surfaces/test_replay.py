"""A replay knows only what was known then, asks the hooks as a client does, and leaves the home as it was."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from axiommind.home import Scope
from axiommind.surfaces.replay.run import replay
from tests.learning.sessions import Session
from tests.shell import axm
from tests.transcripts import World

DAY = 1_440  # minutes
DECISION = "We always keep amounts as integer cents in `ledger_store.py`, never as floats"


def _session(name: str, day: int, prompt: str, answer: str) -> Session:
    lines = Session(name)
    lines.prompt(prompt, at=day * DAY)
    lines.answer(answer, at=day * DAY + 1)
    return lines


def _world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.write(_session("s1", 1, DECISION, "Noted: integer cents in ledger_store.py."))
    world.write(_session("s2", 2, "Tell me about the weather in Busan", "It is sunny."))
    question = "How do we keep amounts in the ledger_store, cents or floats?"
    world.write(_session("s3", 3, question, "As integer cents, see ledger_store.py."))
    world.write(_session("s4", 4, "Which amounts in ledger_store are integer cents?", "All of them."))
    world.memory().index()
    return world


def test_only_what_had_ended_is_known(tmp_path: Path) -> None:
    world = _world(tmp_path)
    found = replay(world.memory(), Scope(None))
    assert (found.sessions, found.known) == (2, 2)
    first, second = found.moments
    assert [one.moment.session_id for one in found.moments] == ["s3", "s4"]
    assert "integer cents" in first.answer.text
    assert "s4.jsonl" not in first.answer.text
    assert "s3.jsonl" not in first.answer.text
    assert "s4.jsonl" not in second.answer.text


def test_what_came_before_everything_is_not_answered(tmp_path: Path) -> None:
    world = _world(tmp_path)
    found = replay(world.memory(), Scope(None), since=1)
    assert found.sessions == 4
    assert found.moments[0].moment.session_id == "s1"
    assert not found.moments[0].answer.items


def test_the_home_is_left_alone(tmp_path: Path) -> None:
    world = _world(tmp_path)
    assert world.person_token

    def state() -> dict[str, str]:
        names = [
            path for path in sorted(world.home.rglob("*")) if path.is_file() and path.name[-4:] not in ("-shm", "-wal")
        ]
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in names}

    before = state()
    first = replay(world.memory(), Scope(None))
    assert state() == before
    again = replay(world.memory(), Scope(None))
    assert [one.answer.text for one in again.moments] == [one.answer.text for one in first.moments]


def test_the_command(tmp_path: Path) -> None:
    world = _world(tmp_path)
    done = axm(world, "eval", "replay", "--all-projects", "--json")
    record = json.loads(done.stdout)
    assert record["prompts"]["asked"] == 2
    assert record["prompts"]["answered"] == len(record["answers"]) > 0
    assert set(record["answers"][0]) >= {"event", "at", "about", "text", "items"}
    shown = axm(world, "eval", "replay", "--all-projects", "--examples", "1")
    assert "Replayed: 2 sessions; 2 sessions known before the first" in shown.stderr
    assert "integer cents" in shown.stdout
    nothing = axm(world, "eval", "replay", "--since", "2030-01-01", "--all-projects")
    assert nothing.returncode == 1
