"""A model in the background: off until somebody says yes, then asked about what ends from then on, and once."""

from __future__ import annotations

import io
import itertools
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from axiommind.callers import Caller
from axiommind.learning import distilling
from tests.http_server import Server, sends
from tests.learning.model_answers import answer
from tests.shell import Done, axm
from tests.transcripts import AS_AGENT, START, Lines, World

HOUR = 60


def reply(text: str) -> Any:
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 100, "completion_tokens": 20}
    return sends(200, {"model": "m-1", "choices": [choice], "usage": usage})


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    server.replies = [reply(answer())]
    yield server
    server.close()


class Asked:
    """Three sessions, an hour apart, and a model that could be asked about them."""

    def __init__(self, world: World, server: Server) -> None:
        self.world, self.server = world, server
        self.settings = {"AXM_EXTRACT_URL": server.url, "AXM_EXTRACT_MODEL": "m", "AXM_LEARN": "on"}
        for n in range(3):
            self.say(f"s{n}", n * HOUR)
        world.memory().index()

    def say(self, session: str, minute: float) -> None:
        lines = Lines(session)
        lines._clock = itertools.count(int(minute))  # every line has an id of its own
        lines.prompt(f"In session {session} it listens on port 8123.", at=minute)
        lines.answer("Noted.", at=minute + 1)
        self.world.append(lines.data(), session)

    def axm(self, *args: str, **environ: str) -> Done:
        return axm(self.world, *args, **{**self.settings, **environ})

    def by_itself(self, **environ: str) -> Any:
        """What the background does."""
        from axiommind.config import Config
        from axiommind.memory import Memory

        all_of_it = self.world.environ | self.settings | environ
        memory = Memory(Config.load(all_of_it), environ=all_of_it, user=self.world.base)
        return memory.learning.run_in_background()

    @property
    def about(self) -> list[str]:
        """The sessions that were sent, in order."""
        sent = [str(request.body["messages"][-1]["content"]) for request in self.server.requests]
        return [text.partition("In session ")[2].partition(" ")[0] for text in sent]


@pytest.fixture
def asked(world: World, server: Server) -> Asked:
    return Asked(world, server)


def test_nothing_is_sent_until_somebody_says_yes(asked: Asked) -> None:
    assert asked.by_itself().sessions == 3
    assert asked.by_itself(AXM_EXTRACTOR="openai").sessions == 0  # for `axm learn`, and not for what nobody asked for
    assert asked.about == []


def test_sessions_that_ended_since_newest_first_and_once(asked: Asked) -> None:
    on = {"AXM_LEARN_MODEL": "openai", "AXM_LEARN_MODEL_SINCE": "2026-01-05T08:30:00Z"}
    asked.by_itself(**on)
    assert asked.about == ["s2", "s1"]
    asked.by_itself(**on)
    assert asked.axm("learn", **on).returncode == 0
    assert len(asked.about) == 2
    asked.say("s1", 3 * HOUR)  # it goes on, and ends again
    asked.world.memory().index()
    asked.by_itself(**on)
    assert asked.about == ["s2", "s1", "s1"]


def test_a_session_that_goes_on_is_left_alone(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("axiommind.learning.learner.now", lambda: START + (2 * HOUR + 5) * 60_000)
    asked.by_itself(AXM_LEARN_MODEL="openai")
    assert asked.about == ["s1", "s0"]


def test_the_backlog_is_asked_about_on_demand(asked: Asked) -> None:
    assert asked.axm("learn", "--model", "openai").returncode == 0
    asked.by_itself()
    assert asked.about == []  # all of it ended before
    done = asked.axm("learn", "--backfill", "2")
    assert done.returncode == 0 and asked.about == ["s2", "s1"]
    each = distilling.MEDIAN_TOKENS
    assert f"Asking about 2 sessions of 3, newest first: about {2 * each:,} tokens" in done.stderr
    assert "Left: 1 session; axm learn --backfill 2 continues with them" in done.stderr
    assert asked.axm("learn", "--backfill", "2").returncode == 0
    assert asked.about == ["s2", "s1", "s0"]


def test_a_backfill_that_is_interrupted_continues(asked: Asked, server: Server) -> None:
    def interrupt(_handler: object) -> None:
        raise AssertionError("the connection ends here")

    server.replies = [reply(answer()), interrupt, reply(answer())]
    asked.axm("learn", "--model", "openai")
    assert asked.axm("learn", "--backfill", "3").returncode == 3  # one failed
    assert asked.axm("learn", "--backfill", "3").returncode == 0
    assert sorted(asked.about) == ["s0", "s1", "s1", "s2"]


def test_the_budget_ends_a_run_and_what_was_learned_stays(asked: Asked) -> None:
    report = asked.by_itself(AXM_LEARN_MODEL="openai", AXM_BUDGET_CALLS="1")
    assert asked.about == ["s2"] and report.left == 2 and "budget" in report.stopped
    assert asked.by_itself(AXM_LEARN_MODEL="openai", AXM_BUDGET_CALLS="0").left == 2


def test_a_model_that_is_not_there_does_not_keep_the_rules_from_learning(asked: Asked) -> None:
    report = asked.by_itself(AXM_LEARN_MODEL="claude", AXM_EXTRACT_CLAUDE="/nowhere/claude")
    assert report.sessions == 3 and "no program" in report.stopped


def test_switching_it_on_and_off(asked: Asked) -> None:
    config = asked.world.home / "config.toml"
    config.write_text("# mine\n[hooks]\nstop = true\n")
    assert asked.axm("learn", "--model").stdout.startswith("Distilling by a model: off")
    done = asked.axm("learn", "--model", "openai")
    assert done.returncode == 0 and "on since" in done.stdout and "by openai" in done.stdout
    assert config.read_text().startswith("# mine\n[hooks]\nstop = true\n")
    shown = asked.axm("learn", "--model", "--json")
    assert '"on": true' in shown.stdout and '"backlog": 3' in shown.stdout
    budget = asked.axm("budget").stdout
    assert "Distilling by a model: on" in budget and "waiting: 0 finished sessions; 3 older ones" in budget
    assert '"distilling"' in asked.axm("budget", "--json").stdout
    before = config.read_text()
    asked.axm("learn", "--model", "openai")  # again: since when it is on stays
    assert config.read_text() == before
    assert asked.axm("learn", "--model", "off").returncode == 0
    assert config.read_text() == "# mine\n[hooks]\nstop = true\n"
    assert asked.axm("learn", "--model", "prophet").returncode == 2


def test_without_the_program_it_says_what_to_do(asked: Asked) -> None:
    done = asked.axm("learn", "--model", "on", AXM_EXTRACT_CLAUDE="/nowhere/claude")
    assert done.returncode == 3 and "install Claude Code, or set extract.claude to its path" in " ".join(
        done.stdout.split()
    )
    done = asked.axm("doctor", AXM_EXTRACT_CLAUDE="/nowhere/claude")
    assert "claude distils finished sessions, and cannot be asked" in done.stdout


def test_a_time_that_is_none_is_said(asked: Asked) -> None:
    done = asked.axm("learn", "--model", AXM_LEARN_MODEL="openai", AXM_LEARN_MODEL_SINCE="yesterday-ish")
    assert done.returncode == 2 and "learn.model_since" in done.stderr
    done = asked.axm("learn", "--model", AXM_LEARN_MODEL="prophet")
    assert done.returncode == 2 and "axm learn --model off" in done.stderr


def test_doctor_tells_when_it_last_learned(asked: Asked) -> None:
    assert "in the background; not yet run" in asked.axm("doctor").stdout
    asked.by_itself(AXM_LEARN_MODEL="openai", AXM_BUDGET_CALLS="1")
    shown = asked.axm("doctor", AXM_LEARN_MODEL="openai").stdout
    assert f"last {time.strftime('%Y-%m-%d', time.gmtime())}" in shown and "it ended early" in shown
    assert "off in the background" in asked.axm("doctor", AXM_LEARN="off").stdout


def test_an_agent_cannot_say_yes(asked: Asked) -> None:
    done = asked.axm("learn", "--model", "on", **AS_AGENT)
    assert done.returncode == 1 and "only a person" in done.stderr
    assert not (asked.world.home / "config.toml").exists()
    asked.axm("learn", "--model", "openai")
    assert asked.axm("learn", "--model", "off", **AS_AGENT).returncode == 0  # but no, at any time


def test_axm_learn_goes_on_without_a_model_that_is_not_there(asked: Asked) -> None:
    done = asked.axm("learn", AXM_LEARN_MODEL="claude", AXM_EXTRACT_CLAUDE="/nowhere/claude")
    assert done.returncode == 3 and "Learned: 3 sessions" in done.stderr and "no program" in done.stderr
    done = asked.axm("learn", "--backfill", "1", AXM_LEARN_MODEL="claude", AXM_EXTRACT_CLAUDE="/nowhere/claude")
    assert done.returncode == 1  # that was asked for


# --- the offer of axm install -------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def install(asked: Asked, *args: str, said: str | None = None, monkeypatch: pytest.MonkeyPatch | None = None) -> Done:
    if said is not None and monkeypatch is not None:
        monkeypatch.setattr("axiommind.surfaces.cli._offer.sys", _Terminals(said))
        at_terminal = Caller(True, "a terminal", at_terminal=True)
        monkeypatch.setattr("axiommind.surfaces.cli._offer.identify", lambda *_: at_terminal)
    return asked.axm("install", "claude-code", *args, AXM_EXTRACT_CLAUDE=sys.executable)


class _Terminals:
    """The two streams that a question needs."""

    def __init__(self, said: str) -> None:
        self.stdin, self.stderr = Terminal(said), Terminal()


def test_the_offer_waits_for_nobody_where_there_is_no_terminal(asked: Asked) -> None:
    config = asked.world.home / "config.toml"
    done = install(asked)
    assert done.returncode == 0 and not config.exists()
    for words in ("by rules, on this machine", "auto = false", "claude -p", f"{distilling.MEDIAN_TOKENS:,} tokens",
                  "50 calls, 1,000,000 tokens and 1 USD a day", "redacted", "axm learn --model on"):  # fmt: skip
        assert words in done.stderr, words


@pytest.mark.parametrize(
    ("said", "is_on"), [("y\n", True), ("yes\n", True), ("\n", False), ("n\n", False), ("", False)]
)
def test_a_person_at_a_terminal_is_asked(asked: Asked, monkeypatch: pytest.MonkeyPatch, said: str, is_on: bool) -> None:
    done = install(asked, said=said, monkeypatch=monkeypatch)
    assert done.returncode == 0
    config = asked.world.home / "config.toml"
    assert (config.exists() and 'model = "claude"' in config.read_text()) == is_on


@pytest.mark.parametrize("before", [None, "# mine\n[hooks]\nstop = true", "[learn]\nauto = true\n"])
def test_uninstall_restores_the_settings_byte_for_byte(asked: Asked, before: str | None) -> None:
    config = asked.world.home / "config.toml"
    if before is not None:
        config.write_text(before)
    assert install(asked, "--model", "on").returncode == 0 and 'model = "claude"' in config.read_text()
    assert "as it was before" in asked.axm("uninstall", "claude-code", "--print").stdout
    assert asked.axm("uninstall", "claude-code").returncode == 0
    assert (config.read_text() if config.exists() else None) == before
    assert not (asked.world.home / "backups").exists()


def test_uninstall_takes_out_only_ours_where_somebody_wrote_since(asked: Asked) -> None:
    config = asked.world.home / "config.toml"
    install(asked, "--model", "on")
    config.write_text(config.read_text() + "\n[hooks]\nstop = false\n")
    asked.axm("uninstall", "claude-code")
    assert "claude" not in config.read_text() and "stop = false" in config.read_text()


def test_what_somebody_switched_on_alone_is_left_on(asked: Asked) -> None:
    install(asked)
    asked.axm("learn", "--model", "openai")
    asked.axm("uninstall", "claude-code")
    assert 'model = "openai"' in (asked.world.home / "config.toml").read_text()
    assert install(asked, "--model", "off").returncode == 0
    assert not (asked.world.home / "config.toml").exists()


def test_the_questions_themselves_are_never_indexed(asked: Asked) -> None:
    """A client that writes a transcript of our own calls all the same: the memory must not learn from itself."""
    question = Lines("ours", cwd="/tmp/axm-claude-ab12cd_e")
    question.prompt("You read one recorded session between a person and a coding agent …")
    asked.world.write(question, folder="-tmp-axm-claude-ab12cd-e")
    theirs = Lines("theirs", cwd="/home/dev/axm-claude-notes")
    theirs.prompt("A project may be called like that.")
    asked.world.write(theirs, folder="-home-dev-axm-claude-notes")
    asked.world.memory().index()
    assert asked.world.rows("select id from sessions where id in ('ours', 'theirs')") == [("theirs",)]
