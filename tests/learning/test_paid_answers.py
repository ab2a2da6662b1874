"""What a model was paid for: two learners pay once, and a killed one pays for nothing twice."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from axiommind.learning.known import read_up_to
from axiommind.learning.pipeline import Pipeline
from axiommind.memory import Memory
from tests.counting import wait_for
from tests.http_server import Server, sends
from tests.learning.model_answers import answer, entry
from tests.shell import axm
from tests.transcripts import Lines, World

SAID = "Remember: it listens on port 8123, always."
CALLS = "select count(*) from model_calls"
base = World.environ.fget  # type: ignore[attr-defined]


def reply(text: str) -> Any:
    usage = {"prompt_tokens": 100, "completion_tokens": 20}
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return sends(200, {"model": "m-1", "choices": [choice], "usage": usage})


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture
def asked(world: World, server: Server, monkeypatch: pytest.MonkeyPatch) -> World:
    """Four sessions, and a model that is asked about them."""
    server.replies = [reply(answer())]  # nothing found: so nothing more is asked about it
    for name, value in {"EXTRACT_URL": server.url, "EXTRACT_MODEL": "m", "EXTRACT_SECONDS": "100"}.items():
        monkeypatch.setenv(f"AXM_{name}", value)
    monkeypatch.setattr(
        World, "environ", property(lambda w: base(w) | {k: v for k, v in os.environ.items() if k.startswith("AXM_EX")})
    )
    for n in range(4):
        lines = Lines(f"s{n}")
        lines.prompt(SAID)
        lines.answer("Noted.")
        world.write(lines)
    world.memory().index()
    return world


def learn(memory: Memory) -> Any:
    return memory.learning.run(extractor="openai")


def test_two_learners_pay_once(asked: World, server: Server) -> None:
    command = [sys.executable, "-m", "axiommind", "learn", "--extractor", "openai", "--no-index"]
    running = [
        subprocess.Popen(command, env=asked.environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(3)
    ]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert len(server.requests) == asked.one(CALLS) == 4
    assert asked.one("select count(*) from learned where extractor = 'openai' and status = 'success'") == 4


class Killed(BaseException):
    """As if the process had ended there."""


@pytest.mark.parametrize("place", ["_finish_all", "_apply", "_entries"])
def test_a_killed_run_asks_nothing_twice(
    asked: World, server: Server, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    def kill(*_args: object, **_more: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Pipeline, place, kill)
        with pytest.raises(Killed):
            learn(asked.memory())
    assert len(server.requests) == 1
    report = learn(asked.memory())
    assert (report.sessions, report.failed) == (4, 0)
    assert len(server.requests) == asked.one(CALLS) == 4  # the first answer was used, and counted once
    assert asked.memory().verify() == []


def test_an_answer_is_kept_before_it_is_read(asked: World, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def kill(*_args: object, **_more: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("axiommind.llm.budget.CallRecord.__new__", kill)
        patch.setattr("axiommind.extraction.by_model.read", kill)
        with pytest.raises(Killed):
            learn(asked.memory())
    assert (len(server.requests), asked.one(CALLS)) == (1, 0)
    learn(asked.memory())
    assert len(server.requests) == asked.one(CALLS) == 4


def test_killed_for_good_while_a_model_is_asked(asked: World, server: Server) -> None:
    """`kill -9` wherever it happens to be: no more calls than sessions and kills, and everything is learned."""
    command = [sys.executable, "-m", "axiommind", "learn", "--extractor", "openai", "--no-index"]
    process = subprocess.Popen(command, env=asked.environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: bool(server.requests), "the first question")
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert learn(asked.memory()).failed == 0
    assert len(server.requests) <= 5  # the call that was under way may have been lost on the way
    assert asked.one("select count(*) from learned where extractor = 'openai' and status = 'success'") == 4
    assert asked.memory().verify() == []


def test_a_finished_build_has_used_its_answers(asked: World, server: Server) -> None:
    learn(asked.memory())
    asked.memory().learning.run(extractor="openai", again=True, session="s0")
    assert len(server.requests) == 5  # who learns again wants a new answer


def test_a_bad_answer_is_not_used_again(asked: World, server: Server) -> None:
    server.replies = [reply("prose"), reply("prose"), reply(answer())]
    report = asked.memory().learning.run(extractor="openai", session="s0")
    assert report.failed == 1 and len(server.requests) == 2
    report = asked.memory().learning.run(extractor="openai", session="s0")
    assert report.failed == 0 and len(server.requests) == 3


def test_an_answer_is_forgotten_with_its_session(asked: World, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def kill(*_args: object, **_more: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Pipeline, "_finish_all", kill)
        with pytest.raises(Killed):
            asked.memory().learning.run(extractor="openai", session="s0")
    asked.memory().forget(session="s0")
    assert asked.memory().verify() == []
    asked.memory().undo_forget(session="s0")
    assert asked.memory().learning.run(extractor="openai", session="s0").failed == 0
    assert len(server.requests) == 2  # what was forgotten is not used


def test_subagents_and_silent_sessions_are_asked_about_only_by_name(asked: World, server: Server) -> None:
    silent = Lines("silent")
    silent.answer("Nobody said anything.")
    asked.write(silent)
    agent = Lines("agent-a1", sidechain=True)
    agent.prompt("Look for the port.")
    agent.answer("It is 8123.")
    path = asked.path("s0").with_suffix("") / "subagents" / "agent-a1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(agent.data())
    asked.memory().index()
    assert learn(asked.memory()).sessions == 4 and len(server.requests) == 4
    assert axm(asked, "learn", "--no-index", "--extractor", "openai", "--session", "agent-a1").returncode == 0
    assert len(server.requests) == 5


# --- only what is new ------------------------------------------------------------------------------------------


def material(server: Server, number: int) -> str:
    return str(server.requests[number].body["messages"][-1]["content"])


def test_only_what_is_new_is_sent_and_what_was_learned_stays(asked: World, server: Server) -> None:
    server.replies = [reply(answer(entry()))]
    assert asked.memory().learning.run(extractor="openai", session="s0").failed == 0
    assert asked.rows("select title, status from entries") == [("The port", "active")]
    first = len(server.requests)
    more = Lines("s0")
    more._clock = itertools.count(50)
    more.prompt("Restart it with systemctl restart hygro, never by hand.")
    asked.append(more.data(), "s0")
    asked.memory().index()
    (asked.home / "index.db").unlink()  # how far a model has read comes from the log
    asked.memory().index()
    server.replies = [reply(answer())]
    assert asked.memory().learning.run(extractor="openai", session="s0").failed == 0
    assert SAID in material(server, 0)
    sent = material(server, first)
    assert "systemctl restart hygro" in sent and "[0 person]" not in sent
    assert "Known already" in sent and "The port" in sent
    assert asked.rows("select title, status from entries") == [("The port", "active")]
    assert asked.memory().learning.run(extractor="openai", session="s0", again=True).failed == 0
    assert "[0 person]" in material(server, first + 1)  # asked for again, all of it is sent


def test_a_failure_does_not_lose_the_place(asked: World, server: Server) -> None:
    assert asked.memory().learning.run(extractor="openai", session="s0").failed == 0
    with asked.memory().home.writing([]) as (_log, _key, index):
        place = read_up_to(index.db, "s0", "openai")
    more = Lines("s0")
    more._clock = itertools.count(50)
    more.prompt("And once more.")
    asked.append(more.data(), "s0")
    asked.memory().index()
    server.replies = [sends(500, {})]
    assert asked.memory().learning.run(extractor="openai", session="s0").failed == 1
    with asked.memory().home.writing([]) as (_log, _key, index):
        assert place == read_up_to(index.db, "s0", "openai") > 0
